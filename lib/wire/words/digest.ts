// A digest of a set of objects by uid and version, in any order. Relay and view get the same digest from the same objects.

const MASK = (1n << 64n) - 1n;

/** 16 hex digits: the sum of the members' hashes. */
export function digestOf(members: Iterable<{ uid: string; resourceVersion: string }>): string {
  let sum = 0n;
  for (const member of members) sum += memberHash(member);
  return formatDigest(sum);
}

const formatDigest = (sum: bigint): string => (sum & MASK).toString(16).padStart(16, '0');

/** 64 bits. A digest that is kept up to date adds and subtracts them. */
function memberHash({ uid, resourceVersion }: { uid: string; resourceVersion: string }): bigint {
  let high = 0x811c9dc5;
  let low = 0xcbf29ce4;
  const text = `${uid} ${resourceVersion}`;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ (code + (high >>> 7)), 0x85ebca6b);
  }
  return (BigInt(finish(high)) << 32n) | BigInt(finish(low ^ high));
}

function finish(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
