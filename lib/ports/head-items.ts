// The entries of a head about its workload's view: which items lie beside it, which ranges of a whole list have come, and the floors of
// children other than pods. A store keeps each entry as a text, its identity, and has it read here once, with the head.

/** Neighbouring items of pods, each of so many slots: from the item numbered `first` to `last`, both included. */
export interface PodItems {
  sort: 'pods';
  name: string;
  slots: number;
  first: number;
  last: number;
}

/** An item of pods that may be in any range of a whole list: their place in it is a hash, or of their kind's own reckoning. */
export interface HashedPods {
  sort: 'hashedPods';
  name: string;
  slots: number;
}

/** An item of children other than pods, all of one resource, in a layout of so many items. */
export interface ChildItem {
  sort: 'children';
  name: string;
  resource: string;
  width: number;
}

/** These slots of a whole list of pods are in the view: from (included) to (excluded). */
export interface ListedRange {
  sort: 'listed';
  name: string;
  era: number;
  floor: string;
  from: number;
  to: number;
}

/** resourceVersion of the last whole list of the children of one resource. */
export interface ChildFloor {
  sort: 'floor';
  name: string;
  era: number;
  resource: string;
  floor: string;
}

/** An entry that this build does not know. It is carried along, and counts as an item of pods. */
export interface OtherItem {
  sort: 'other';
  name: string;
}

/** An entry about an item of pods. */
export type PodItem = PodItems | HashedPods | OtherItem;

export type HeadItem = PodItem | ChildItem | ListedRange | ChildFloor;

/** A run is one entry, `pods/104/0-5`, so that the head stays small. */
export function podItems({ slots, first, last }: Omit<PodItems, 'sort' | 'name'>): PodItems {
  return { sort: 'pods', name: `pods/${slots}/${first === last ? first : `${first}-${last}`}`, slots, first, last };
}

export const hashedPods = (slots: number, hash: number): HashedPods => ({ sort: 'hashedPods', name: `pods/${slots}/h${hash}`, slots });

/** @param at the item within its layout: below `width` */
export const childItem = (resource: string, width: number, at: number): ChildItem => ({
  sort: 'children',
  name: `children/${resource}/${width}/${at}`,
  resource,
  width,
});

export const listedRange = ({ era, floor, from, to }: Omit<ListedRange, 'sort' | 'name'>): ListedRange => ({
  sort: 'listed',
  name: `list/${era}/${floor}/${from}-${to}`,
  era,
  floor,
  from,
  to,
});

export const childFloorItem = ({ era, resource, floor }: Omit<ChildFloor, 'sort' | 'name'>): ChildFloor => ({
  sort: 'floor',
  name: `floor/${era}/${resource}/${floor}`,
  era,
  resource,
  floor,
});

const PODS = /^pods\/(\d+)\/(?:(\d+)(?:-(\d+))?|h\d+)$/;
const CHILDREN = /^children\/([^/]+)\/(\d+)\/\d+$/;
const LISTED = /^list\/(-?\d+)\/(\d+)\/(\d+)-(\d+)$/;
const FLOOR = /^floor\/(-?\d+)\/([^/]+)\/(\d+)$/;

/** @param name as a store keeps it */
export function headItemOf(name: string): HeadItem {
  switch (name.slice(0, name.indexOf('/'))) {
    case 'pods': {
      const [, slots, first, last = first] = PODS.exec(name) ?? [];
      if (slots === undefined) break;
      if (first === undefined) return { sort: 'hashedPods', name, slots: Number(slots) };
      return { sort: 'pods', name, slots: Number(slots), first: Number(first), last: Number(last) };
    }
    case 'children': {
      const [, resource, width] = CHILDREN.exec(name) ?? [];
      if (resource === undefined) break;
      return { sort: 'children', name, resource, width: Number(width) };
    }
    case 'list': {
      const [, era, floor, from, to] = LISTED.exec(name) ?? [];
      if (floor === undefined) break;
      return { sort: 'listed', name, era: Number(era), floor, from: Number(from), to: Number(to) };
    }
    case 'floor': {
      const [, era, resource, floor] = FLOOR.exec(name) ?? [];
      if (resource === undefined || floor === undefined) break;
      return { sort: 'floor', name, era: Number(era), resource, floor };
    }
  }
  return { sort: 'other', name };
}

/** The names of a run's items, of any other entry its own. */
export function namesWithin(item: HeadItem): string[] {
  if (item.sort !== 'pods' || item.first === item.last) return [item.name];
  const { slots, first, last } = item;
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => `pods/${slots}/${first + at}`);
}

/** The entries of a head after a change, each once, by name. */
export function changedItems(
  items: readonly HeadItem[],
  { addItems = [], removeItems = [] }: { addItems?: readonly HeadItem[]; removeItems?: readonly HeadItem[] },
): readonly HeadItem[] {
  const byName = new Map([...items, ...addItems].map((item) => [item.name, item]));
  for (const { name } of removeItems) byName.delete(name);
  return [...byName.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
