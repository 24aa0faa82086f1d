// A part of a view as the store keeps it.
import * as v from 'valibot';
import { isResourceVersion } from '../objects/values/resource-version.ts';
import { packPods, type WrittenShapes } from './packing/columns.ts';
import { open, seal } from './packing/envelope.ts';
import { parseGuarded } from './words/guarded-json.ts';
import type { OwnerEntry, ViewPart } from './words/observations.ts';
import { slotOf } from './words/view-layout.ts';
import { unpackPods } from './packing/unpack-pods.ts';

const LIMITS = { bytes: 400_000, unpackedBytes: 8_000_000 };

const version = v.pipe(
  v.string(),
  v.check((digits: string) => isResourceVersion(digits), 'a resourceVersion'),
);
/** The API server's owners all have a spec; only its kind knows what stands in it. */
export const OwnerObject = v.looseObject({
  metadata: v.looseObject({ name: v.string(), namespace: v.exactOptional(v.string()), uid: v.string(), resourceVersion: version }),
  spec: v.looseObject({}),
});
/**
 * Functions of two builds read and write it side by side. A build passes over a field that it does not know, and drops it when it writes.
 * So add only fields that a build can do without.
 */
const Header = v.object({
  e: v.pipe(v.number(), v.safeInteger()),
  f: version,
  o: v.optional(v.object({ h: version, p: v.boolean(), d: v.boolean(), j: OwnerObject })),
});

const writtenShapes: WrittenShapes = new WeakMap();

/** The bytes of one item; its pods stand in the order of their slots. */
export function packPart({ era, floor, owner, pods }: ViewPart): Uint8Array {
  const header = { e: era, f: floor, ...(owner && { o: { h: owner.heardAt, p: owner.byPass, d: owner.deleted, j: owner.object } }) };
  const entries = [...pods.values()].toSorted((a, b) => slotOf(a.pod) - slotOf(b.pod));
  return seal({ header: JSON.stringify(header), pods: packPods(entries, { before: writtenShapes }) });
}

/** @throws UndecodableMessageError: such an item counts as missing (R1) */
export function unpackPart(bytes: Uint8Array): ViewPart {
  const { header, pods } = open(bytes, LIMITS);
  const { e, f, o } = parseGuarded(header, Header, 'view item');
  const owner: OwnerEntry | undefined = o && { heardAt: o.h, byPass: o.p, deleted: o.d, object: o.j };
  return { era: e, floor: f, ...(owner && { owner }), pods: new Map(unpackPods(pods).map((entry) => [entry.pod.uid, entry])) };
}
