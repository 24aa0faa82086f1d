// Pods as columns: what they have in common once, what differs as small differences to the pod before. About 20 bytes a pod,
// of which 16 are its uid.
import * as v from 'valibot';
import { childNameOf } from '../objects/child-names.ts';
import type { ContainerFacts, PodFacts } from '../objects/pod-facts.ts';
import type { PodEntry } from './observations.ts';
import { ByteWriter } from './bytes.ts';
import { CHARACTERS_PER_VALUE, valuesIn } from './guarded-json.ts';
import { ReasonColumn } from './reason-column.ts';
import { MessageTooLargeError } from './undecodable.ts';
import { readUuid, UUID_BYTES } from './uuid-bytes.ts';

export interface PackedPods {
  /** Everything but the uids; compresses well. */
  columns: Uint8Array;
  /** 16 bytes each, as random as can be. */
  uids: Uint8Array;
}

export const MOST_PODS = 50_000;
export const MOST_SHAPES = 10_000;
export const LONGEST_SHAPE = 65_536;
/** Values in all shapes together: 4,000 pods of a whole list may have a shape each, of some hundred values. */
export const SHAPE_VALUES_MAX = 500_000;
/** Containers that pods have for themselves, because each ended at a time of its own; those of a whole list of 4,000 pods may be 75 each. */
export const OWN_CONTAINERS_MAX = 300_000;

const text = v.pipe(v.string(), v.maxLength(1_024));
const texts = v.record(text, text);
const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** What many pods share, to the letter. Single letters, since a small item holds one shape for few pods. What is not known is passed over. */
export const Shape = v.object({
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
  /** Why it cannot be read. A build that does not know of this sees a pod that has not started. */
  x: v.optional(text),
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
export type Shape = v.InferOutput<typeof Shape>;

export const BITS = {
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

export function computedNameOf({ controller, index, number }: PodFacts): string | undefined {
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
    ...(pod.unreadable !== undefined && { x: pod.unreadable }),
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
  a.unreadable === b.unreadable &&
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

/**
 * Pods in the order given; neighbours should be alike.
 * @param options.before of an item that is written again
 * @param options.isForMessage shapes are held against all limits of who reads it. An item that turns out unreadable counts as missing, and a
 *   pass does without; one message that does keeps the news of many workloads.
 * @throws MessageTooLargeError more of them, or of their kinds, than are read
 */
export function packPods(
  entries: Iterable<PodEntry>,
  { before, isForMessage = false }: { before?: WrittenShapes; isForMessage?: boolean } = {},
): PackedPods {
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
  let ownContainers = 0;
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
    let isOver = false;
    for (const { finishedAt } of pod.containers) {
      if (finishedAt === undefined) continue;
      isOver = true;
      writers.times.signed(finishedAt - createdAt);
    }
    if (isOver) ownContainers += pod.containers.length;
    if (pod.reasons) reasons.add(pod.reasons);
  }
  reasons.writeTo(writers.times);
  if (count > MOST_PODS || shapes.size > MOST_SHAPES) throw new MessageTooLargeError(`${count} pods of ${shapes.size} kinds`);
  if (isForMessage) checkShapes([...shapes.keys()], ownContainers);
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

/** @throws MessageTooLargeError */
function checkShapes(shapes: readonly string[], ownContainers: number): void {
  let characters = 0;
  for (const shape of shapes) {
    if (shape.length * 3 > LONGEST_SHAPE && Buffer.byteLength(shape) > LONGEST_SHAPE)
      throw new MessageTooLargeError(`a kind of pods of ${Buffer.byteLength(shape)} bytes`);
    characters += shape.length;
  }
  if (ownContainers > OWN_CONTAINERS_MAX) throw new MessageTooLargeError(`${ownContainers} containers that are over`);
  if (characters <= SHAPE_VALUES_MAX * CHARACTERS_PER_VALUE) return;
  let values = 0;
  for (const shape of shapes) values += valuesIn(shape);
  if (values > SHAPE_VALUES_MAX) throw new MessageTooLargeError(`kinds of pods of ${values} values`);
}
