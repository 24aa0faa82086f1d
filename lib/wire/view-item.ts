// A part of a view as the store keeps it: pods, which a part of version 1 holds alone, or children of another resource.
import * as v from 'valibot';
import { isResourceVersion } from '../objects/values/resource-version.ts';
import { codecOf, isOfPods, POD_RESOURCE } from './packing/codecs.ts';
import { ByteWriter } from './packing/bytes.ts';
import { BOILERPLATE, open, openWith, seal, sealWith, type Decoder } from './packing/envelope.ts';
import { parseGuarded } from './words/guarded-json.ts';
import type { AnyChild, OwnerEntry, ViewPart } from './words/observations.ts';
import { UndecodableMessageError } from './words/undecodable.ts';

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
  /** Absent in parts of pods. */
  r: v.optional(v.string()),
  f: version,
  o: v.optional(v.object({ h: version, p: v.boolean(), d: v.boolean(), j: OwnerObject })),
});

/**
 * In the version's place of an item of pods that lie by their kind's own slots. A build that looks for such pods elsewhere must not read it: from a
 * whole list it would take all of them for gone. It counts the item as missing, and lists anew (R1).
 */
const BY_SLOT = 70;
const BY_SLOT_DECODER: Record<number, Decoder> = { [BY_SLOT]: (reader, limits) => openWith(BOILERPLATE, reader, limits) };

const NO_PODS = codecOf(POD_RESOURCE).pack([]);

/** The bytes of one item; neighbours stand side by side in it. @param options.isBySlot its pods lie by their kind's own slots */
export function packPart<Child extends AnyChild>(
  { era, resource, floor, owner, children }: ViewPart<Child>,
  { isBySlot = false }: { isBySlot?: boolean } = {},
): Uint8Array {
  const codec = codecOf<Child>(resource);
  const packed = codec.pack([...children.values()].toSorted((a, b) => codec.compare(a.child, b.child)));
  const written = owner && { o: { h: owner.heardAt, p: owner.byPass, d: owner.deleted, j: owner.object } };
  if (isOfPods(resource)) {
    const envelope = { header: JSON.stringify({ e: era, f: floor, ...written }), pods: packed };
    if (!isBySlot) return seal(envelope);
    const writer = new ByteWriter();
    writer.byte(BY_SLOT);
    sealWith(BOILERPLATE, envelope, writer);
    return writer.done();
  }
  return seal({ header: JSON.stringify({ e: era, r: resource, f: floor, ...written }), pods: NO_PODS, children: packed });
}

/** @throws UndecodableMessageError: such an item counts as missing (R1) */
export function unpackPart<Child extends AnyChild>(bytes: Uint8Array): ViewPart<Child> {
  const { header, pods, children: others } = open(bytes, LIMITS, BY_SLOT_DECODER);
  const { e, r: resource = POD_RESOURCE, f, o } = parseGuarded(header, Header, 'view item');
  const packed = isOfPods(resource) ? pods : others;
  if (!packed) throw new UndecodableMessageError(`a view item of ${resource} holds none`);
  const owner: OwnerEntry | undefined = o && { heardAt: o.h, byPass: o.p, deleted: o.d, object: o.j };
  const children = new Map(
    codecOf<Child>(resource)
      .unpack(packed)
      .map((entry) => [entry.child.uid, entry]),
  );
  return { era: e, resource, floor: f, ...(owner && { owner }), children };
}
