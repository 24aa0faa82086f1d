// A child's slot among its siblings. Neighbours are stored and listed together, because a storm touches neighbours together.
import type { AnyChild } from './observations.ts';

/** The completion index, else the number that its name stands for, else a hash of the uid. */
export function slotOf(child: Pick<AnyChild, 'number' | 'uid'> & { index?: string }): number {
  const { index, number, uid } = child;
  if (index !== undefined && /^\d{1,9}$/.test(index)) return Number(index);
  return number ?? hashOf(uid);
}

export function hashOf(uid: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < uid.length; at++) hash = Math.imul(hash ^ uid.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Above every slot: indexes go to 10^9, hashes to 2^32. */
export const END_OF_SLOTS = 2 ** 32;
