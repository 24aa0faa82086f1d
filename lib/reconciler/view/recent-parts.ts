// View parts that were packed or unpacked recently, found by their bytes: ingest and passes read again and again what one of them has just
// written. The same bytes always mean the same part, so an entry cannot be out of date. Parts are never changed.
import type { AnyChild, ViewPart } from '../../wire/words/observations.ts';
import { packPart, unpackPart } from '../../wire/view-item.ts';

const MOST_CHILDREN = 60_000;
/** The weight of a part beside its children: its bytes, perhaps an owner. */
const CHILDREN_A_PART = 20;

interface Recent {
  bytes: Uint8Array;
  part: ViewPart<AnyChild>;
}

/** Least recently used first. */
const recent = new Map<number, Recent>();
let weight = 0;

const weightOf = ({ part }: Recent): number => part.children.size + CHILDREN_A_PART;

/** A hash of some of the bytes; a hit is compared byte by byte. */
function digestOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5 ^ bytes.length;
  for (let at = 0; at < bytes.length; at += 7) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash;
}

function forget(digest: number): void {
  const known = recent.get(digest);
  if (known) weight -= weightOf(known);
  recent.delete(digest);
}

function remember(digest: number, entry: Recent): void {
  forget(digest);
  recent.set(digest, entry);
  weight += weightOf(entry);
  for (const oldest of recent.keys()) {
    if (weight <= MOST_CHILDREN) return;
    forget(oldest);
  }
}

/** Like unpackPart. The caller must not change the part. @throws UndecodableMessageError */
export function readPart<Child extends AnyChild>(bytes: Uint8Array): ViewPart<Child> {
  const digest = digestOf(bytes);
  const known = recent.get(digest);
  const entry = known && Buffer.compare(known.bytes, bytes) === 0 ? known : { bytes, part: unpackPart(bytes) };
  remember(digest, entry);
  // Safe: the part names its resource, and so the sort of its children.
  return entry.part as ViewPart<Child>;
}

/** Like packPart. The caller must not change the part afterwards. @param options.replaced what it is written in the place of: nobody reads that again */
export function writePart<Child extends AnyChild>(
  part: ViewPart<Child>,
  { replaced, isBySlot }: { replaced?: Uint8Array | undefined; isBySlot?: boolean } = {},
): Uint8Array {
  const bytes = packPart(part, { isBySlot: isBySlot ?? false });
  if (replaced) forget(digestOf(replaced));
  remember(digestOf(bytes), { bytes, part });
  return bytes;
}
