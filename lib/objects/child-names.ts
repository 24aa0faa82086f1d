// Names of a workload's pods, in upstream's pattern. The last five characters are computed from the pod's owner, slot and number (R5): a
// keyed permutation of the number, so no two numbers of a slot share a name, and a repeated create collides. A name that can be computed
// need not be sent or stored either.

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
/** Names per slot: 27 to the 5th. */
const NAMES_PER_SLOT = ALPHABET.length ** SUFFIX_LENGTH;
const MAX_PREFIX_LENGTH = 58;
const HALF_BITS = 12;
const HALF_MASK = (1 << HALF_BITS) - 1;
const ROUNDS = 6;

/**
 * The name of a child.
 * @param owner name and uid of the workload
 * @param child `index` of an Indexed Job; undefined if all pods are one series. `number`: position of the child in its index or series,
 * from 0; after 14,348,907 the names repeat
 */
export const childNameOf = (owner: { name: string; uid: string }, child: { index: number | undefined; number: number }): string =>
  `${namePrefixOf(owner.name, child.index).slice(0, MAX_PREFIX_LENGTH)}${childSuffix(owner.uid, child.index, child.number)}`;

/** The five characters alone, of `bcdfghjklmnpqrstvwxz2456789`; one to one with the number. */
const childSuffix = (ownerUid: string, index: number | undefined, number: number): string => suffixOf(keyOf(ownerUid, index ?? 0), number);

/** Upstream's `generateName`: `<job>-`, or with an index `<job>-<index>-` with the Job's part cut to fit. */
export function namePrefixOf(jobName: string, index?: number): string {
  if (index === undefined) return jobName.length < 253 ? `${jobName}-` : jobName;
  const end = `-${index}-`;
  return `${jobName.slice(0, MAX_PREFIX_LENGTH - end.length)}${end}`;
}

/** Whether the prefix and five characters make the name: `a-1-` does not make `a-1-1-abcde`. */
export const isOfPrefix = (name: string, prefix: string): boolean =>
  name.length === prefix.length + SUFFIX_LENGTH && name.startsWith(prefix);

/** Caches the hash of the latest uid: the pods of a workload are named one after the other. */
let last = { uid: '', hash: hashOf('') };

/** The key of a slot: the uid's text and the index, mixed into 32 bits. */
function keyOf(uid: string, index: number): number {
  if (last.uid !== uid) last = { uid, hash: hashOf(uid) };
  return mix(last.hash ^ mix(index + 0x9e3779b9));
}

function hashOf(uid: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < uid.length; at += 1) hash = Math.imul(hash ^ uid.charCodeAt(at), 0x01000193);
  return hash;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** A Feistel network over 24 bits, repeated until the value is a valid name: one to one. */
function suffixOf(key: number, number: number): string {
  let value = number % NAMES_PER_SLOT;
  do {
    let left = value >>> HALF_BITS;
    let right = value & HALF_MASK;
    for (let round = 0; round < ROUNDS; round += 1) {
      const next = left ^ (mix(key ^ mix(right ^ Math.imul(round + 1, 0x9e3779b1))) & HALF_MASK);
      left = right;
      right = next;
    }
    value = (left << HALF_BITS) | right;
  } while (value >= NAMES_PER_SLOT);
  let text = '';
  for (let at = 0; at < SUFFIX_LENGTH; at += 1) {
    text = `${ALPHABET.charAt(value % ALPHABET.length)}${text}`;
    value = Math.floor(value / ALPHABET.length);
  }
  return text;
}
