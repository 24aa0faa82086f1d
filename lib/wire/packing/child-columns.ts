// Packs children other than pods as columns: common values once, then small differences. Messages and view items with such children are of
// version 2 (docs/decisions/0008-versions.md).
import * as v from 'valibot';
import { partBytes, PART_BYTES_MAX, type ChildState } from '../../objects/child-state.ts';
import type { Json } from '../../objects/kubernetes.ts';
import { isResourceVersion } from '../../objects/values/resource-version.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import type { PackedChildren, Refuse } from './codec.ts';
import { parseGuarded, type ValueBudget } from '../words/guarded-json.ts';
import { OBJECT_NAME, UID } from '../words/names.ts';
import type { ChildEntry, ChildPresence } from '../words/observations.ts';
import { MessageTooLargeError, UndecodableMessageError } from '../words/undecodable.ts';
import { readUuid, UUID_BYTES, uuidAt } from './uuid-bytes.ts';

/** Most children in one message or item. */
export const MOST_CHILDREN = 10_000;
const LONGEST_SHAPE = 65_536;
const LONGEST_NAME = 253;
const LONGEST_UID = 128;
const LONGEST_VERSION = 40;
/** Most values in shapes and parts together. */
const VALUES_MAX = 200_000;
const SHAPE_DEPTH = 3;
const PART_DEPTH = 16;
/** More than a valid part takes, so that a part that is too large is refused alone and not with its whole message. */
const LONGEST_PART = 65_536;
const NUMBER_MAX = 999_999_999;

const text = v.pipe(v.string(), v.maxLength(1_024));
const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const PRESENCES: readonly ChildPresence[] = ['there', 'left', 'deleted'];

const Shape = v.object({
  /** Resource: `plural.group`. */
  r: v.pipe(v.string(), v.regex(OBJECT_NAME, 'a resource')),
  n: text,
  l: v.optional(v.record(text, text)),
  /** Revision of the part. */
  v: wholeNumber,
  /** The name's beginning, if digits follow. */
  p: v.optional(text),
  s: v.picklist(PRESENCES),
  /** Bits: by a pass 1, terminating 2, with a number 4, orphaned 8. */
  b: wholeNumber,
});
type Shape = v.InferOutput<typeof Shape>;

const BITS = { byPass: 1, terminating: 2, number: 4, orphaned: 8 };

/** Matches a name that ends in a number: names of neighbours then differ by the number alone. */
const NUMBERED = /^(.*?)(0|[1-9]\d{0,8})$/;

export function packChildren(entries: Iterable<ChildEntry>): PackedChildren {
  const [shapeColumn, uidTexts, versions, names, numbers, partColumn] = Array.from({ length: 6 }, () => new ByteWriter()) as Writers;
  const shapes = new Map<string, number>();
  const parts = new Map<string, number>();
  const uids = new ByteWriter();
  const at = (known: Map<string, number>, written: string): number => {
    const place = known.get(written) ?? known.size;
    known.set(written, place);
    return place;
  };
  // Children share labels and parts: their text is made once for each object, not for each child.
  const labelPlaces = new Map<object | undefined, number>();
  const shapePlaces = new Map<string, number>();
  const partPlaces = new Map<Json, number>();
  let count = 0;
  let named = 0;
  let number = 0;
  for (const { child, heardAt, byPass, presence } of entries) {
    count += 1;
    const [, prefix, digits] = NUMBERED.exec(child.name) ?? [];
    const { labels } = child;
    const shape: Omit<Shape, 'l'> = {
      r: child.resource,
      n: child.namespace,
      v: child.part.revision,
      ...(digits !== undefined && { p: prefix }),
      s: presence,
      b:
        (byPass ? BITS.byPass : 0) |
        (child.terminating ? BITS.terminating : 0) |
        (child.number === undefined ? 0 : BITS.number) |
        (child.orphaned ? BITS.orphaned : 0),
    };
    const labelPlace = labelPlaces.get(labels) ?? labelPlaces.size;
    labelPlaces.set(labels, labelPlace);
    const shapeKey = `${labelPlace} ${JSON.stringify(shape)}`;
    const shapePlace = shapePlaces.get(shapeKey) ?? at(shapes, shapeText(shape, labels));
    shapePlaces.set(shapeKey, shapePlace);
    shapeColumn.unsigned(shapePlace);
    if (readUuid(child.uid)) uids.bytes(UUID_BYTES);
    else {
      uids.bytes(new Uint8Array(16));
      uidTexts.text(child.uid);
    }
    versions.text(child.resourceVersion);
    versions.text(heardAt === child.resourceVersion ? '' : heardAt);
    if (digits === undefined) names.text(child.name);
    else {
      names.signed(Number(digits) - named);
      named = Number(digits);
    }
    if (child.number !== undefined) {
      numbers.signed(child.number - number);
      number = child.number;
    }
    const { facts } = child.part;
    const partPlace = partPlaces.get(facts) ?? at(parts, JSON.stringify(facts));
    partPlaces.set(facts, partPlace);
    partColumn.unsigned(partPlace);
  }
  if (count > MOST_CHILDREN) throw new MessageTooLargeError(`${count} children that are no pods`);
  const all = new ByteWriter();
  all.unsigned(count);
  for (const texts of [shapes, parts]) {
    all.unsigned(texts.size);
    for (const each of texts.keys()) all.text(each);
  }
  for (const column of [shapeColumn, uidTexts, versions, names, numbers, partColumn]) {
    all.unsigned(column.length);
    all.bytes(column.done());
  }
  return { columns: all.done(), uids: uids.done() };
}

/** @throws MessageTooLargeError beyond what `unpackChildren` reads */
function shapeText({ r, n, ...rest }: Omit<Shape, 'l'>, labels: ChildState['labels']): string {
  const written = JSON.stringify({ r, n, ...(labels && { l: labels }), ...rest });
  if (Buffer.byteLength(written) > LONGEST_SHAPE) throw new MessageTooLargeError(`labels of ${Buffer.byteLength(written)} bytes`);
  return written;
}
type Writers = [ByteWriter, ByteWriter, ByteWriter, ByteWriter, ByteWriter, ByteWriter];

/** @throws UndecodableMessageError anything that packChildren would not have written */
export function unpackChildren({ columns, uids }: PackedChildren, refuse: Refuse = cannotBe): ChildEntry[] {
  const reader = new ByteReader(columns);
  const count = reader.unsigned();
  if (count > MOST_CHILDREN || uids.length !== count * 16)
    throw new UndecodableMessageError(`${count} children with ${uids.length} bytes of uids`);
  const budget: ValueBudget = { left: VALUES_MAX };
  const texts = <Value>(longest: number, schema: v.GenericSchema<unknown, Value>, what: string, depth: number): Value[] => {
    const size = reader.unsigned();
    if (size > count) throw new UndecodableMessageError(`${size} ${what}s of ${count} children`);
    return Array.from({ length: size }, () => parseGuarded(reader.text(longest), schema, what, depth, budget));
  };
  const shapes = texts(LONGEST_SHAPE, Shape, 'child', SHAPE_DEPTH);
  const parts = texts(LONGEST_PART, v.unknown(), 'part', PART_DEPTH) as Json[];
  // A value that children share is checked once: a message may hold 10,000 children of one part.
  const partSizes = parts.map((facts) => partBytes({ facts }));
  const column = (): ByteReader => new ByteReader(reader.bytes(reader.unsigned()));
  const [shapeColumn, uidTexts, versions, names, numbers, partColumn] = [column(), column(), column(), column(), column(), column()];
  let named = 0;
  let number = 0;
  const entries = Array.from({ length: count }, (_, at): ChildEntry => {
    const shape = shapes[shapeColumn.unsigned()];
    const partPlace = partColumn.unsigned();
    const facts = parts[partPlace];
    if (!shape || facts === undefined) throw new UndecodableMessageError('a child of a shape or part that the message does not hold');
    const uid = uuidAt(uids, at * 16) ?? uidTexts.text(LONGEST_UID);
    const resourceVersion = versions.text(LONGEST_VERSION);
    const heardAt = versions.text(LONGEST_VERSION) || resourceVersion;
    const name = shape.p === undefined ? names.text(LONGEST_NAME) : `${shape.p}${(named += names.signed())}`;
    if ((shape.b & BITS.number) !== 0) number += numbers.signed();
    const child: ChildState = {
      resource: shape.r,
      uid,
      namespace: shape.n,
      name,
      resourceVersion,
      ...(shape.l && { labels: shape.l }),
      ...((shape.b & BITS.number) !== 0 && { number }),
      ...((shape.b & BITS.terminating) !== 0 && { terminating: true as const }),
      ...((shape.b & BITS.orphaned) !== 0 && { orphaned: true as const }),
      part: { revision: shape.v, facts },
    };
    const fault = faultOf(child, heardAt, partSizes[partPlace] ?? 0);
    if (fault !== undefined) refuse(at, fault);
    return { heardAt, byPass: (shape.b & BITS.byPass) !== 0, presence: shape.s, child };
  });
  if (!reader.isAtEnd) throw new UndecodableMessageError('more bytes than children');
  return entries;
}

function faultOf(child: ChildState, heardAt: string, bytes: number): string | undefined {
  if (!UID.test(child.uid)) return 'a uid';
  if (!OBJECT_NAME.test(child.name) || child.name.length > LONGEST_NAME) return 'a name';
  if (child.namespace !== '' && !OBJECT_NAME.test(child.namespace)) return 'a namespace';
  if (!isResourceVersion(child.resourceVersion) || !isResourceVersion(heardAt)) return 'a resourceVersion';
  if (child.number !== undefined && (child.number < 0 || child.number > NUMBER_MAX)) return 'a number of at most nine digits';
  if (bytes > PART_BYTES_MAX)
    return `of ${child.resource} ${child.name}, at most ${PART_BYTES_MAX} bytes of JSON of what is compared; it has ${bytes}`;
  return undefined;
}

function cannotBe(at: number, fault: string): never {
  throw new UndecodableMessageError(`child ${at}: expected ${fault}`);
}
