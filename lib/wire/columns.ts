// Pods as columns: what they have in common once, what differs as small differences to the pod before. About 20 bytes a pod,
// of which 16 are its uid.
import * as v from 'valibot';
import { childNameOf } from '../objects/child-names.ts';
import type { ContainerFacts, PodFacts } from '../objects/pod-facts.ts';
import { isResourceVersion } from '../objects/resource-version.ts';
import type { PodEntry } from './observations.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { parseGuarded } from './guarded-json.ts';
import { ReasonColumn, readReasons } from './reason-column.ts';
import { MessageTooLargeError, UndecodableMessageError } from './undecodable.ts';

export interface PackedPods {
  /** Everything but the uids; compresses well. */
  columns: Uint8Array;
  /** 16 bytes each, as random as can be. */
  uids: Uint8Array;
}

const MOST_PODS = 50_000;
const MOST_SHAPES = 10_000;
const LONGEST_SHAPE = 65_536;
const LONGEST_NAME = 253;
const UUID_LENGTH = 36;
const isHyphenAt = (at: number): boolean => at === 8 || at === 13 || at === 18 || at === 23;
/** Those of the uid that was read last. */
const UUID_BYTES = new Uint8Array(16);

/** Reads a UUID in small letters into `UUID_BYTES`, digit by digit: an item of the view holds hundreds. @returns false for any other text */
function readUuid(uid: string): boolean {
  if (uid.length !== UUID_LENGTH) return false;
  let digits = 0;
  for (let at = 0; at < UUID_LENGTH; at += 1) {
    const code = uid.charCodeAt(at);
    if (isHyphenAt(at)) {
      if (code !== 0x2d) return false;
      continue;
    }
    const digit = code >= 0x30 && code <= 0x39 ? code - 0x30 : code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
    if (digit < 0) return false;
    UUID_BYTES[digits >> 1] = (digits & 1) === 0 ? digit << 4 : (UUID_BYTES[digits >> 1] ?? 0) | digit;
    digits += 1;
  }
  return true;
}

/** @returns 16 bytes; undefined for what is no UUID in small letters */
export const uuidBytesOf = (uid: string): Uint8Array | undefined => (readUuid(uid) ? UUID_BYTES.slice() : undefined);

/** @param bytes 16 */
export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const text = v.pipe(v.string(), v.maxLength(1_024));
const texts = v.record(text, text);
const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** What many pods share, to the letter. Single letters, since a small item holds one shape for few pods. What is not known is passed over. */
const Shape = v.object({
  /** namespace */
  n: text,
  /** controller */
  c: v.optional(v.strictObject({ apiVersion: text, kind: text, name: text, uid: text })),
  /** labels */
  l: texts,
  /** Index annotation where it is no plain number. */
  i: v.optional(text),
  f: v.optional(text),
  g: v.optional(text),
  /** tracked, assigned, deleted, by a pass: 1, 2, 4, 8; then which columns it has: index 16, number 32, deletedAt 64, readySince 128, computed name 256, reasons 512 */
  b: wholeNumber,
  p: text,
  /** Grace seconds of a deletion. */
  d: v.optional(wholeNumber),
  r: v.optional(v.picklist(['True', 'False', 'Unknown'])),
  /** Conditions as type and status. */
  k: v.array(v.tuple([text, text])),
  /** Containers: name, role, restarts, exit code or null, whether finishedAt follows. */
  s: v.array(
    v.tuple([
      text,
      v.picklist(['container', 'sidecar', 'init']),
      wholeNumber,
      v.nullable(v.pipe(v.number(), v.safeInteger())),
      v.boolean(),
    ]),
  ),
});
type Shape = v.InferOutput<typeof Shape>;

const BITS = {
  tracked: 1,
  assigned: 2,
  deleted: 4,
  byPass: 8,
  index: 16,
  number: 32,
  deletedAt: 64,
  readySince: 128,
  computedName: 256,
  reasons: 512,
};

const isPlainIndex = (index: string | undefined): index is string => index !== undefined && /^(0|[1-9]\d{0,8})$/.test(index);

function computedNameOf({ controller, index, number }: PodFacts): string | undefined {
  if (!controller || number === undefined) return undefined;
  return childNameOf(controller, { index: isPlainIndex(index) ? Number(index) : undefined, number });
}

function bitsOf({ pod, deleted, byPass }: PodEntry): number {
  return (
    (pod.tracked ? BITS.tracked : 0) |
    (pod.assigned ? BITS.assigned : 0) |
    (deleted ? BITS.deleted : 0) |
    (byPass ? BITS.byPass : 0) |
    (isPlainIndex(pod.index) ? BITS.index : 0) |
    (pod.number !== undefined ? BITS.number : 0) |
    (pod.deletedAt !== undefined ? BITS.deletedAt : 0) |
    (pod.readySince !== undefined ? BITS.readySince : 0) |
    (computedNameOf(pod) === pod.name ? BITS.computedName : 0) |
    (pod.reasons ? BITS.reasons : 0)
  );
}

function shapeOf(pod: PodFacts, bits: number): Shape {
  return {
    n: pod.namespace,
    ...(pod.controller && { c: pod.controller }),
    l: pod.labels,
    ...(pod.index !== undefined && !isPlainIndex(pod.index) && { i: pod.index }),
    ...(pod.failureCount !== undefined && { f: pod.failureCount }),
    ...(pod.ignoredFailureCount !== undefined && { g: pod.ignoredFailureCount }),
    b: bits,
    p: pod.phase,
    ...(pod.deletionGraceSeconds !== undefined && { d: pod.deletionGraceSeconds }),
    ...(pod.ready && { r: pod.ready }),
    k: pod.conditions.map(({ type, status }) => [type, status]),
    s: pod.containers.map(({ name, role, restarts, exitCode, finishedAt }) => [
      name,
      role,
      restarts,
      exitCode ?? null,
      finishedAt !== undefined,
    ]),
  };
}

/**
 * Whether two pods with the same bits are surely of one shape, seen without writing it: those of a workload that a relay has in memory
 * share the objects that they have in common.
 */
const isAlike = (a: PodFacts, b: PodFacts): boolean =>
  a.labels === b.labels &&
  a.controller === b.controller &&
  a.conditions === b.conditions &&
  a.namespace === b.namespace &&
  a.phase === b.phase &&
  a.ready === b.ready &&
  a.failureCount === b.failureCount &&
  a.ignoredFailureCount === b.ignoredFailureCount &&
  a.deletionGraceSeconds === b.deletionGraceSeconds &&
  (a.index === b.index || (isPlainIndex(a.index) && isPlainIndex(b.index))) &&
  (a.containers === b.containers ||
    (a.containers.length === b.containers.length && a.containers.every((one, at) => areAlike(one, b.containers[at]))));

const areAlike = (a: ContainerFacts, b: ContainerFacts | undefined): boolean =>
  a.name === b?.name &&
  a.role === b.role &&
  a.restarts === b.restarts &&
  a.exitCode === b.exitCode &&
  (a.finishedAt === undefined) === (b.finishedAt === undefined);

/** What entries came to when they were packed before: most of an item are the same each time that it is written. Nobody changes them. */
export type WrittenShapes = WeakMap<PodEntry, { bits: number; written: string }>;

interface Columns {
  shape: ByteWriter;
  uidTexts: ByteWriter;
  versions: ByteWriter;
  heard: ByteWriter;
  names: ByteWriter;
  indexes: ByteWriter;
  numbers: ByteWriter;
  times: ByteWriter;
}

const LONGEST_EXACT = 15;

/** `a − b`; versions may be longer than a number holds exactly, but hardly ever are. */
function writeDifference(writer: ByteWriter, a: string, b: string): void {
  if (a.length <= LONGEST_EXACT && b.length <= LONGEST_EXACT) writer.signed(Number(a) - Number(b));
  else writer.bigSigned(BigInt(a) - BigInt(b));
}

/** Pods in the order given; neighbours should be alike. @throws MessageTooLargeError more of them, or of their kinds, than are read */
export function packPods(entries: Iterable<PodEntry>, before?: WrittenShapes): PackedPods {
  const writers: Columns = {
    shape: new ByteWriter(),
    uidTexts: new ByteWriter(),
    versions: new ByteWriter(),
    heard: new ByteWriter(),
    names: new ByteWriter(),
    indexes: new ByteWriter(),
    numbers: new ByteWriter(),
    times: new ByteWriter(),
  };
  const shapes = new Map<string, number>();
  const reasons = new ReasonColumn();
  const uids = new ByteWriter();
  let version = '0';
  let index = 0;
  let number = 0;
  let createdAt = 0;
  let count = 0;
  let last: { pod: PodFacts; bits: number; written: string; at: number } | undefined;
  for (const entry of entries) {
    const { pod, heardAt } = entry;
    count += 1;
    const known = before?.get(entry);
    const bits = known?.bits ?? bitsOf(entry);
    if (!last || bits !== last.bits || (known ? known.written !== last.written : !isAlike(pod, last.pod))) {
      const written = known?.written ?? JSON.stringify(shapeOf(pod, bits));
      const at = shapes.get(written) ?? shapes.size;
      shapes.set(written, at);
      last = { pod, bits, written, at };
    }
    if (!known) before?.set(entry, { bits, written: last.written });
    writers.shape.unsigned(last.at);
    if (readUuid(pod.uid)) uids.bytes(UUID_BYTES);
    else {
      // Sixteen zeros stand for a uid that is no UUID.
      uids.bytes(new Uint8Array(16));
      writers.uidTexts.text(pod.uid);
    }
    writeDifference(writers.versions, pod.resourceVersion, version);
    writeDifference(writers.heard, heardAt, pod.resourceVersion);
    version = pod.resourceVersion;
    if ((bits & BITS.computedName) === 0) writers.names.text(pod.name);
    if (isPlainIndex(pod.index)) {
      writers.indexes.signed(Number(pod.index) - index - 1);
      index = Number(pod.index);
    }
    if (pod.number !== undefined) {
      writers.numbers.signed(pod.number - number);
      number = pod.number;
    }
    writers.times.signed(pod.createdAt - createdAt);
    createdAt = pod.createdAt;
    if (pod.deletedAt !== undefined) writers.times.signed(pod.deletedAt - createdAt);
    if (pod.readySince !== undefined) writers.times.signed(pod.readySince - createdAt);
    for (const { finishedAt } of pod.containers) if (finishedAt !== undefined) writers.times.signed(finishedAt - createdAt);
    if (pod.reasons) reasons.add(pod.reasons);
  }
  reasons.writeTo(writers.times);
  if (count > MOST_PODS || shapes.size > MOST_SHAPES) throw new MessageTooLargeError(`${count} pods of ${shapes.size} kinds`);
  const all = new ByteWriter();
  all.unsigned(count);
  all.unsigned(shapes.size);
  for (const shape of shapes.keys()) all.text(shape);
  for (const column of Object.values(writers) as ByteWriter[]) {
    all.unsigned(column.length);
    all.bytes(column.done());
  }
  return { columns: all.done(), uids: uids.done() };
}

/** @throws UndecodableMessageError anything that packPods would not have written */
export function unpackPods({ columns, uids }: PackedPods): PodEntry[] {
  const reader = new ByteReader(columns);
  const count = reader.unsigned();
  if (count > MOST_PODS || uids.length !== count * 16) throw new UndecodableMessageError(`${count} pods with ${uids.length} bytes of uids`);
  const shapeCount = reader.unsigned();
  if (shapeCount > Math.min(count, MOST_SHAPES))
    throw new UndecodableMessageError(`${shapeCount} kinds of pods; at most one for each pod is possible`);
  const shapes = Array.from({ length: shapeCount }, () => parseGuarded(reader.text(LONGEST_SHAPE), Shape, 'pod'));
  const column = (): ByteReader => new ByteReader(reader.bytes(reader.unsigned()));
  const readers = {
    shape: column(),
    uidTexts: column(),
    versions: column(),
    heard: column(),
    names: column(),
    indexes: column(),
    numbers: column(),
    times: column(),
  };
  const entries: PodEntry[] = [];
  const explained: PodFacts[] = [];
  let version = 0n;
  let index = 0;
  let number = 0;
  let createdAt = 0;
  for (let at = 0; at < count; at++) {
    const shape = shapes[readers.shape.unsigned()];
    if (!shape) throw new UndecodableMessageError('a pod of a kind that the message does not hold');
    version += readers.versions.bigSigned();
    const heardAt = version + readers.heard.bigSigned();
    const name = (shape.b & BITS.computedName) === 0 ? readers.names.text(LONGEST_NAME) : undefined;
    if ((shape.b & BITS.index) !== 0) index += readers.indexes.signed() + 1;
    if ((shape.b & BITS.number) !== 0) number += readers.numbers.signed();
    createdAt += readers.times.signed();
    const time = (): number => createdAt + readers.times.signed();
    const pod: PodFacts = {
      uid: uidOf(uids.subarray(at * 16, at * 16 + 16), readers.uidTexts),
      name: name ?? '',
      namespace: shape.n,
      resourceVersion: versionOf(version),
      ...(shape.c && { controller: shape.c }),
      labels: shape.l,
      ...((shape.b & BITS.index) !== 0 && { index: String(index) }),
      ...(shape.i !== undefined && { index: shape.i }),
      ...(shape.f !== undefined && { failureCount: shape.f }),
      ...(shape.g !== undefined && { ignoredFailureCount: shape.g }),
      ...((shape.b & BITS.number) !== 0 && { number }),
      tracked: (shape.b & BITS.tracked) !== 0,
      phase: shape.p,
      createdAt,
      ...((shape.b & BITS.deletedAt) !== 0 && { deletedAt: time() }),
      ...(shape.d !== undefined && { deletionGraceSeconds: shape.d }),
      assigned: (shape.b & BITS.assigned) !== 0,
      ...(shape.r && { ready: shape.r }),
      ...((shape.b & BITS.readySince) !== 0 && { readySince: time() }),
      conditions: shape.k.map(([type, status]) => ({ type, status })),
      containers: shape.s.map(([container, role, restarts, exitCode, isOver]) =>
        containerOf({ name: container, role, restarts }, exitCode, isOver ? time() : undefined),
      ),
    };
    if (name === undefined) pod.name = computedNameOf(pod) ?? '';
    if (pod.name === '' || index < 0 || number < 0) throw new UndecodableMessageError('a pod without a name, or with a negative number');
    if ((shape.b & BITS.reasons) !== 0) explained.push(pod);
    entries.push({ heardAt: versionOf(heardAt), byPass: (shape.b & BITS.byPass) !== 0, deleted: (shape.b & BITS.deleted) !== 0, pod });
  }
  if (!reader.isAtEnd) throw new UndecodableMessageError('more bytes than pods');
  for (const [at, reasons] of readReasons(readers.times, explained.length).entries()) {
    const pod = explained[at];
    if (pod && reasons) pod.reasons = reasons;
  }
  return entries;
}

const containerOf = (
  facts: Pick<ContainerFacts, 'name' | 'role' | 'restarts'>,
  exitCode: number | null,
  finishedAt: number | undefined,
): ContainerFacts => ({
  ...facts,
  ...(exitCode !== null && { exitCode }),
  ...(finishedAt !== undefined && { finishedAt }),
});

function versionOf(version: bigint): string {
  const written = version.toString();
  if (!isResourceVersion(written)) throw new UndecodableMessageError(`"${String(written)}" is no resourceVersion`);
  return written;
}

function uidOf(bytes: Uint8Array, others: ByteReader): string {
  if (bytes.every((byte) => byte === 0)) {
    const uid = others.text(128);
    if (uid === '') throw new UndecodableMessageError('a pod without a uid');
    return uid;
  }
  return uuidOf(bytes);
}
