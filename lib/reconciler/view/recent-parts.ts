// View parts that were packed or unpacked lately, found by their bytes: ingest and passes read again and again what one of them wrote a
// moment ago. The same bytes always mean the same part, so nothing can be out of date here; parts are never changed.
import type { ViewPart } from '../../wire/observations.ts';
import { packPart, unpackPart } from '../../wire/view-item.ts';

const MOST_PODS = 60_000;
/** What a part weighs beside its pods: its bytes, perhaps an owner. */
const PODS_A_PART = 20;

interface Recent {
  bytes: Uint8Array;
  part: ViewPart;
}

/** Least recently used first. */
const recent = new Map<number, Recent>();
let weight = 0;

const weightOf = ({ part }: Recent): number => part.pods.size + PODS_A_PART;

/** Of some of the bytes: what is found is compared whole. */
function digestOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5 ^ bytes.length;
  for (let at = 0; at < bytes.length; at += 7) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash;
}

function remember(digest: number, entry: Recent): void {
  const replaced = recent.get(digest);
  if (replaced) weight -= weightOf(replaced);
  recent.delete(digest);
  recent.set(digest, entry);
  weight += weightOf(entry);
  for (const [oldest, forgotten] of recent) {
    if (weight <= MOST_PODS) return;
    recent.delete(oldest);
    weight -= weightOf(forgotten);
  }
}

/** As unpackPart. The part must not be changed. @throws UndecodableMessageError */
export function readPart(bytes: Uint8Array): ViewPart {
  const digest = digestOf(bytes);
  const known = recent.get(digest);
  const entry = known && Buffer.compare(known.bytes, bytes) === 0 ? known : { bytes, part: unpackPart(bytes) };
  remember(digest, entry);
  return entry.part;
}

/** As packPart. The part must not be changed afterwards. */
export function writePart(part: ViewPart): Uint8Array {
  const bytes = packPart(part);
  remember(digestOf(bytes), { bytes, part });
  return bytes;
}
