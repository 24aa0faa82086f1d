// Packs pods into columns: what pods share is written once, the rest as small differences to the pod before. About 20 bytes a pod, of which
// 16 are its uid.
import { DICTIONARY_FACTS, LISTED_FACTS, NUMBER_FACTS, type PodFacts } from '../../objects/pods/fact-table.ts';
import type { PodEntry } from '../words/observations.ts';
import { ByteWriter } from './bytes.ts';
import type { PackedChildren } from './codec.ts';
import { DictionaryColumn } from './dictionary-column.ts';
import { CHARACTERS_PER_VALUE, valuesIn } from '../words/guarded-json.ts';
import { areAlike, BITS, bitsOf, writtenShapeOf } from './shapes.ts';
import { MessageTooLargeError } from '../words/undecodable.ts';
import { readUuid, UUID_BYTES } from './uuid-bytes.ts';

export const MOST_PODS = 50_000;
export const MOST_SHAPES = 10_000;
export const LONGEST_SHAPE = 65_536;
/** Values in all shapes together. In a whole list, 4,000 pods may have a shape each, of a hundred values or so. */
export const SHAPE_VALUES_MAX = 500_000;
/** Containers that pods do not share, because each ended at a time of its own. In a whole list, 4,000 pods may have 75 each. */
export const OWN_CONTAINERS_MAX = 300_000;

/** Caches the shape of entries that were packed before, because most entries of an item are the same at each write. Entries never change. */
export type WrittenShapes = WeakMap<PodEntry, { bits: number; written: string }>;

interface Columns {
  shape: ByteWriter;
  uidTexts: ByteWriter;
  versions: ByteWriter;
  observed: ByteWriter;
  names: ByteWriter;
  indexes: ByteWriter;
  numbers: ByteWriter;
  times: ByteWriter;
}

const NUMBERS = NUMBER_FACTS.map(({ number }) => number);
const LISTED = LISTED_FACTS.map(({ listed }) => listed);
const DICTIONARIES = DICTIONARY_FACTS.map(({ dictionary }) => dictionary);
// In arrays of their own: the loop over them runs for every pod.
const NUMBER_BITS = NUMBERS.map(({ bit }) => bit);
const NUMBER_VALUES = NUMBERS.map(({ valueOf }) => valueOf);
const IS_SINCE_CREATION = NUMBERS.map(({ since }) => since === 'createdAt');
/** Beside the number of the pod before. */
const STEPS = NUMBERS.map(({ since }) => (since === 'next' ? 1 : 0));
const DICTIONARY_BITS = DICTIONARIES.reduce((all, { bit }) => all | bit, 0);

/** As many shapes are remembered: pods of a workload are in a few states at a time, and neighbours in the same or in two that alternate. */
const RECENT_SHAPES = 4;
interface WrittenShape {
  pod: PodFacts;
  bits: number;
  written: string;
  at: number;
}

/** Compares without writing the pod's shape. @param written where it is known */
function findShape(recent: readonly WrittenShape[], pod: PodFacts, bits: number, written: string | undefined): WrittenShape | undefined {
  for (let at = 0; at < recent.length; at += 1) {
    const shape = recent[at];
    if (shape?.bits === bits && (written === undefined ? areAlike(pod, shape.pod) : written === shape.written)) return shape;
  }
  return undefined;
}

const LONGEST_EXACT = 15;

/** Writes `a − b`. Versions may be longer than a number holds exactly, but hardly ever are. */
function writeDifference(writer: ByteWriter, a: string, b: string): void {
  if (a.length <= LONGEST_EXACT && b.length <= LONGEST_EXACT) writer.signed(Number(a) - Number(b));
  else writer.bigSigned(BigInt(a) - BigInt(b));
}

/**
 * Packs pods in the order given. Neighbours should be alike, or they take more bytes.
 * @param options.before the cache of an item that is written again
 * @param options.isForMessage checks shapes against all limits of the reader. An unreadable item counts as missing, and passes do without it;
 *   an unreadable message would hold up the observations of many workloads.
 * @throws MessageTooLargeError more pods, or more shapes, than readers take
 */
export function packPods(
  entries: Iterable<PodEntry>,
  { before: writtenBefore, isForMessage = false }: { before?: WrittenShapes; isForMessage?: boolean } = {},
): PackedChildren {
  const writers: Columns = {
    shape: new ByteWriter(),
    uidTexts: new ByteWriter(),
    versions: new ByteWriter(),
    observed: new ByteWriter(),
    names: new ByteWriter(),
    indexes: new ByteWriter(),
    numbers: new ByteWriter(),
    times: new ByteWriter(),
  };
  const shapes = new Map<string, number>();
  const dictionaries = DICTIONARIES.map((fact) => new DictionaryColumn(fact));
  const behind = NUMBERS.map(() => new ByteWriter());
  const numberWriters = NUMBERS.map(({ column }, at) => (column === 'behind' ? behind[at] : writers[column]));
  /** The values of the pod before, by number fact. */
  const before = NUMBERS.map(() => 0);
  const uids = new ByteWriter();
  let version = '0';
  let count = 0;
  let ownContainers = 0;
  let last: WrittenShape | undefined;
  const recent: WrittenShape[] = [];
  let oldest = 0;
  for (const entry of entries) {
    const { child: pod, heardAt } = entry;
    count += 1;
    const known = writtenBefore?.get(entry);
    const bits = known?.bits ?? bitsOf(entry);
    if (!last || bits !== last.bits || (known ? known.written !== last.written : !areAlike(pod, last.pod))) {
      last = findShape(recent, pod, bits, known?.written);
      if (!last) {
        const written = known?.written ?? writtenShapeOf(pod, bits);
        const at = shapes.get(written) ?? shapes.size;
        shapes.set(written, at);
        last = { pod, bits, written, at };
        recent[oldest] = last;
        oldest = (oldest + 1) % RECENT_SHAPES;
      }
    }
    if (!known) writtenBefore?.set(entry, { bits, written: last.written });
    writers.shape.unsigned(last.at);
    if (readUuid(pod.uid)) uids.bytes(UUID_BYTES);
    else {
      // Sixteen zeros stand for a uid that is not a UUID; it is written as a text.
      uids.bytes(new Uint8Array(16));
      writers.uidTexts.text(pod.uid);
    }
    writeDifference(writers.versions, pod.resourceVersion, version);
    writeDifference(writers.observed, heardAt, pod.resourceVersion);
    version = pod.resourceVersion;
    if ((bits & BITS.computedName) === 0) writers.names.text(pod.name);
    for (let at = 0; at < NUMBERS.length; at += 1) {
      const bit = NUMBER_BITS[at] ?? 0;
      if (bit !== 0 && (bits & bit) === 0) continue;
      const value = NUMBER_VALUES[at]?.(pod) ?? 0;
      const base = IS_SINCE_CREATION[at] ? pod.createdAt : (before[at] ?? 0) + (STEPS[at] ?? 0);
      numberWriters[at]?.signed(value - base);
      before[at] = value;
    }
    for (let at = 0; at < LISTED.length; at += 1) {
      const { timesOf, lengthOf } = LISTED[at] as (typeof LISTED)[number];
      const times = timesOf(pod);
      if (times.length === 0) continue;
      for (let each = 0; each < times.length; each += 1) writers.times.signed((times[each] ?? 0) - pod.createdAt);
      ownContainers += lengthOf(pod);
    }
    if ((bits & DICTIONARY_BITS) === 0) continue;
    for (let at = 0; at < DICTIONARIES.length; at += 1) {
      const { bit, valueOf } = DICTIONARIES[at] as (typeof DICTIONARIES)[number];
      if ((bits & bit) !== 0) dictionaries[at]?.add(valueOf(pod));
    }
  }
  for (const column of dictionaries) column.writeTo(writers.times);
  for (const column of behind) writers.times.bytes(column.done());
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
