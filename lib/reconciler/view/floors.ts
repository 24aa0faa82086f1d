// The floors of a view: the versions of the last whole lists. That of the pods is a field of the head; those of other resources are among the
// entries that the head keeps of its view. Only heads of kinds with such children have any (R3).
import { isNewer, newest } from '../../objects/values/resource-version.ts';
import { childFloorItem, type HeadItem } from '../../ports/head-items.ts';
import type { Head, HeadChange } from '../../ports/store.ts';
import { isOfPods } from '../../wire/packing/codecs.ts';
import type { ResourceReport } from '../../wire/words/observations.ts';

/** Below every era: the workload is unknown (R1) until a pass has listed it. */
export const UNKNOWN_ERA = -1;

type Floors = Pick<Head, 'items' | 'era' | 'floor'>;

/** A floor of an earlier era says nothing about this one (R3). @returns undefined: an absent child of the resource may still exist (trap 8) */
export function floorIn(head: Floors, resource: string, era: number): string | undefined {
  if (isOfPods(resource)) return head.era < era ? undefined : head.floor;
  return head.items.reduce<string | undefined>(
    (highest, item) =>
      item.sort === 'floor' && item.resource === resource && item.era === era ? newest(highest ?? item.floor, item.floor) : highest,
    undefined,
  );
}

/** Resources other than pods that the head names items or floors of. */
export function childResourcesIn({ items }: Pick<Head, 'items'>): string[] {
  const [named, listed] = [items.filter(({ sort }) => sort === 'children'), items.filter(({ sort }) => sort === 'floor')];
  return [...new Set([...named, ...listed].flatMap((item) => ('resource' in item ? [item.resource] : [])))];
}

/** The entry of a whole list in the head, in place of those of earlier lists; empty if the list does not raise the floor. */
export function raisedFloor(head: Floors, { resource, whole }: ResourceReport, era: number): Pick<HeadChange, 'addItems' | 'removeItems'> {
  const before = floorIn(head, resource, era);
  if (!whole || (before !== undefined && !isNewer(whole.floor, before))) return {};
  const floor = childFloorItem({ era, resource, floor: whole.floor });
  const isOutdated = (item: HeadItem): boolean =>
    item.sort === 'floor' && item.resource === resource && item.era <= era && item.name !== floor.name;
  return { addItems: [floor], removeItems: head.items.filter(isOutdated) };
}

/** Both changes may add and remove entries. */
export function bothChanges(one: HeadChange = {}, other: HeadChange = {}): HeadChange {
  const addItems = [...(one.addItems ?? []), ...(other.addItems ?? [])];
  const removeItems = [...(one.removeItems ?? []), ...(other.removeItems ?? [])];
  const { addItems: _added, removeItems: _removed, ...rest } = { ...one, ...other };
  return { ...rest, ...(addItems.length > 0 && { addItems }), ...(removeItems.length > 0 && { removeItems }) };
}
