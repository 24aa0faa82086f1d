// How a node's decision is stored: with the head while it is small, else in items beside it that the head names.
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { NODE_DECISION, type NodeDecision, type PodDecision } from './node-decision.ts';

const STORED_DECISION = v.object({
  ...v.omit(NODE_DECISION, ['pods']).entries,
  /** While they fit. */
  pods: v.optional(NODE_DECISION.entries.pods),
  /** Else for each item the write that it is of. The item at place n has the pods whose uid hashes to n. */
  items: v.optional(v.array(v.string())),
});
/** The part that lies in the head. It alone says which decision holds. */
export type StoredDecision = v.InferOutput<typeof STORED_DECISION>;

/** Items by name. An item is never changed: another content gets another name. */
export type DecisionItems = ReadonlyMap<string, readonly PodDecision[]>;

/** The largest part of a head that a kind may keep. */
const MOST_HEAD_BYTES = 600;
/** About 200 bytes each: an item of some 6 KB. */
const USUAL_PODS_OF_AN_ITEM = 32;
/** Items are halved or doubled in number only beyond these, so that a pod more or less does not move all of them. */
const MOST_PODS_OF_AN_ITEM = 48;
const FEWEST_PODS_OF_AN_ITEM = 12;

/**
 * @param write a name for this write that no other one has, also of a pass that was overtaken; 8 characters are enough
 * @param before what is stored now: items whose pods are the same are not written again
 * @returns the head's part, and the items that must be stored before it
 */
export function storedDecision(
  decision: NodeDecision,
  write: string,
  before?: { stored: StoredDecision; items: DecisionItems },
): { stored: StoredDecision; items: DecisionItems } {
  const { pods, ...rest } = decision;
  if (JSON.stringify(decision).length <= MOST_HEAD_BYTES) return { stored: decision, items: new Map() };
  const writes = before?.stored.items;
  const count = itemCountFor(pods.length, writes?.length);
  const places = Array.from({ length: count }, (): PodDecision[] => []);
  for (const pod of pods) places[placeOf(pod.uid, count)]?.push(pod);
  const written = new Map<string, readonly PodDecision[]>();
  const items = places.map((content, place) => {
    const former = writes?.length === count ? writes[place] : undefined;
    if (former !== undefined && isDeepStrictEqual(before?.items.get(itemName(place, former)), content)) return former;
    written.set(itemName(place, write), content);
    return write;
  });
  return { stored: { ...rest, items }, items: written };
}

/** The names of all items of a stored decision. */
export const itemNamesOf = ({ items = [] }: StoredDecision): string[] => items.map((write, place) => itemName(place, write));

/** The item that has the decision on this pod; undefined: it lies in the head. */
export const itemNameFor = (uid: string, { items }: StoredDecision): string | undefined =>
  items === undefined ? undefined : itemName(placeOf(uid, items.length), items[placeOf(uid, items.length)] ?? '');

/** Undefined if it cannot be read or an item is missing: the decision is lost. */
export function readDecision(stored: unknown, items: ReadonlyMap<string, unknown>): NodeDecision | undefined {
  const head = v.safeParse(STORED_DECISION, stored);
  if (!head.success) return undefined;
  const { pods: inHead, items: _, ...rest } = head.output;
  if (inHead !== undefined) return { ...rest, pods: inHead };
  const pods = v.safeParse(
    v.array(NODE_DECISION.entries.pods),
    itemNamesOf(head.output).map((name) => items.get(name)),
  );
  if (!pods.success) return undefined;
  return { ...rest, pods: pods.output.flat().toSorted((one, other) => one.sequence - other.sequence) };
}

const itemName = (place: number, write: string): string => `decisions/${place}@${write}`;

/** A power of two. @param now how many there are; absent: none */
function itemCountFor(pods: number, now: number | undefined): number {
  if (now !== undefined && pods <= now * MOST_PODS_OF_AN_ITEM && (now === 1 || pods >= now * FEWEST_PODS_OF_AN_ITEM)) return now;
  let count = 1;
  while (count * USUAL_PODS_OF_AN_ITEM < pods) count *= 2;
  return count;
}

function placeOf(uid: string, count: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < uid.length; at += 1) hash = Math.imul(hash ^ uid.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % count;
}
