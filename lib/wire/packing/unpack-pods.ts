// Unpacks pods from their columns. The loop runs for tens of thousands of pods, so it makes what pods share once, and few objects for each pod.
import * as v from 'valibot';
import { isResourceVersion } from '../../objects/values/resource-version.ts';
import { BLANK_FACTS, CHECKED_FACTS, DICTIONARY_FACTS, LISTED_FACTS, NUMBER_FACTS, type PodFacts } from '../../objects/pods/fact-table.ts';
import { ByteReader } from './bytes.ts';
import type { PackedChildren, Refuse } from './codec.ts';
import { LONGEST_SHAPE, MOST_PODS, MOST_SHAPES, OWN_CONTAINERS_MAX, SHAPE_VALUES_MAX } from './columns.ts';
import { readDictionary } from './dictionary-column.ts';
import { parseGuarded, type ValueBudget } from '../words/guarded-json.ts';
import type { PodEntry } from '../words/observations.ts';
import { BITS, computedNameOf, factsOfShape, faultOfShape, Shape } from './shapes.ts';
import { UndecodableMessageError } from '../words/undecodable.ts';
import { uuidAt } from './uuid-bytes.ts';

const LONGEST_NAME = 253;
const LONGEST_UID = 128;
const SHAPE_DEPTH = 4;

const NUMBERS = NUMBER_FACTS.map(({ number }) => number);
const LISTED = LISTED_FACTS.map(({ listed }) => listed);
const DICTIONARIES = DICTIONARY_FACTS.map(({ dictionary }) => dictionary);
const CHECKS_OF_LISTED = LISTED.map(({ faultOf: faultOfTimes }) => faultOfTimes);

/** A number fact, as the loop over the pods needs it. */
interface OwnNumber {
  /** In the table. */
  at: number;
  bit: number;
  isBehind: boolean;
  isCount: boolean;
  isSinceCreation: boolean;
  /** Beside the number of the pod before. */
  step: number;
  give: (facts: PodFacts, value: number) => void;
}
const OWN_NUMBERS = NUMBERS.map(({ bit, column, since, isCount = false, give }, at): OwnNumber => ({
  at,
  bit,
  isBehind: column === 'behind',
  isCount,
  isSinceCreation: since === 'createdAt',
  step: since === 'next' ? 1 : 0,
  give,
}));
/** Numbers whose columns stand behind those of version 1. */
const BEHIND = OWN_NUMBERS.filter(({ isBehind }) => isBehind);
/** Of what is read when all pods are known, in this order. */
const LATER_BITS = [...DICTIONARIES, ...BEHIND].map(({ bit }) => bit);

/** A shape, read once for all of its pods. So a pod costs only what it does not share. */
interface Kind {
  bits: number;
  /** Copied for each pod. */
  facts: PodFacts;
  /** Those that each pod has for itself, in the order of the columns. */
  numbers: readonly OwnNumber[];
  /** Which of `LATER_BITS` it has, by their places. */
  later: readonly number[];
  /** Checks of each pod's own facts. */
  checks: readonly ((facts: PodFacts) => string | undefined)[];
  /** Containers that each pod has for itself, because at least one of them has a time. */
  ownContainers: number;
  /** Why no pod of this shape is accepted. */
  fault: string | undefined;
}

function kindOf(shape: Shape, fault?: string): Kind {
  const facts = { ...BLANK_FACTS };
  factsOfShape(shape, facts);
  return kindWith(shape.b, facts, fault);
}

function kindWith(bits: number, facts: PodFacts, fault: string | undefined): Kind {
  let ownContainers = 0;
  for (const { timesOf, lengthOf } of LISTED) if (timesOf(facts).length > 0) ownContainers += lengthOf(facts);
  const checks: Kind['checks'][number][] = [];
  for (const fact of CHECKED_FACTS) if (fact.name in facts) checks.push(fact.faultOf);
  // Shared containers have no times. Checked for each pod, those of a message of many pods would take as long as all the rest.
  if (ownContainers > 0) checks.push(...CHECKS_OF_LISTED);
  const later: number[] = [];
  for (const [at, bit] of LATER_BITS.entries()) if ((bits & bit) !== 0) later.push(at);
  return {
    bits,
    facts,
    numbers: OWN_NUMBERS.filter(({ bit, isBehind }) => !isBehind && (bit === 0 || (bits & bit) !== 0)),
    later,
    checks,
    ownContainers,
    fault,
  };
}

interface Readers {
  uidTexts: ByteReader;
  versions: ByteReader;
  observed: ByteReader;
  names: ByteReader;
  indexes: ByteReader;
  numbers: ByteReader;
  times: ByteReader;
}

/** The fields of a shape that are needed to read the columns of its pods. */
const Layout = v.object({
  b: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  ...Object.fromEntries(LISTED_FACTS.map(({ shared }) => [shared.letter, v.array(v.unknown())])),
});

/** For an unusable shape: enough to skip its pods and to read those behind them. @throws UndecodableMessageError */
function layoutOf(shape: unknown, fault: string): Kind {
  const layout = v.safeParse(Layout, shape, { abortEarly: true });
  if (!layout.success) throw new UndecodableMessageError(fault);
  const read: Shape = layout.output;
  const facts = { ...BLANK_FACTS };
  for (const { listed, shared } of LISTED_FACTS) listed.skip(read[shared.letter] as readonly unknown[], facts);
  return kindWith(read.b, facts, fault);
}

function readKind(text: string, budget: ValueBudget, isRefusing: boolean): Kind {
  if (!isRefusing) return kindOf(parseGuarded(text, Shape, 'pod', SHAPE_DEPTH, budget));
  const parsed = parseGuarded(text, v.unknown(), 'pod', SHAPE_DEPTH, budget);
  const shape = v.safeParse(Shape, parsed, { abortEarly: true });
  if (shape.success) return kindOf(shape.output, faultOfShape(shape.output));
  const [issue] = shape.issues;
  return layoutOf(parsed, `the pod has an unusable ${v.getDotPath(issue) ?? 'form'}: ${issue.message}`);
}

/** Problems of the facts that a pod does not share. */
function faultOf(pod: PodFacts, { checks }: Kind): string | undefined {
  for (let at = 0; at < checks.length; at += 1) {
    const fault = checks[at]?.(pod);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * @param refuse is called for each impossible pod, so that it does not hold up the others. Without it only the columns are checked
 * @throws UndecodableMessageError anything that packPods would not have written
 */
export function unpackPods({ columns, uids }: PackedChildren, refuse?: Refuse): PodEntry[] {
  const reader = new ByteReader(columns);
  const count = reader.unsigned();
  if (count > MOST_PODS || uids.length !== count * 16) throw new UndecodableMessageError(`${count} pods with ${uids.length} bytes of uids`);
  const shapeCount = reader.unsigned();
  if (shapeCount > Math.min(count, MOST_SHAPES))
    throw new UndecodableMessageError(`${shapeCount} kinds of pods; at most one for each pod is possible`);
  const budget: ValueBudget = { left: SHAPE_VALUES_MAX };
  const kinds = Array.from({ length: shapeCount }, () => readKind(reader.text(LONGEST_SHAPE), budget, refuse !== undefined));
  const column = (): ByteReader => new ByteReader(reader.bytes(reader.unsigned()));
  const shapes = column();
  const readers: Readers = {
    uidTexts: column(),
    versions: column(),
    observed: column(),
    names: column(),
    indexes: column(),
    numbers: column(),
    times: column(),
  };
  const entries: PodEntry[] = [];
  const having = LATER_BITS.map((): PodFacts[] => []);
  const before: Before = { version: 0, numbers: NUMBERS.map(() => 0) };
  const numberColumns = NUMBERS.map(({ column: name }) => (name === 'behind' ? readers.times : readers[name]));
  const reading: Reading = { readers, numberColumns, before };
  let ownContainers = 0;
  for (let at = 0; at < count; at++) {
    const kind = kinds[shapes.unsigned()];
    if (!kind) throw new UndecodableMessageError('a pod of a kind that the message does not hold');
    if ((ownContainers += kind.ownContainers) > OWN_CONTAINERS_MAX)
      throw new UndecodableMessageError(`more than ${OWN_CONTAINERS_MAX} containers that are over`);
    const uid = uuidAt(uids, at * 16) ?? uidIn(readers.uidTexts);
    const entry = entryOf(kind, uid, reading);
    const fault = refuse && (kind.fault ?? faultOf(entry.child, kind));
    if (fault !== undefined) refuse?.(at, fault);
    for (let which = 0; which < kind.later.length; which += 1) having[kind.later[which] ?? 0]?.push(entry.child);
    entries.push(entry);
  }
  if (!reader.isAtEnd) throw new UndecodableMessageError('more bytes than pods');
  for (const [which, fact] of DICTIONARIES.entries()) {
    const pods = having[which] ?? [];
    for (const [at, value] of readDictionary(fact, readers.times, pods.length).entries()) {
      const pod = pods[at];
      if (pod && value !== undefined) fact.give(pod, value);
    }
  }
  for (const [which, number] of BEHIND.entries())
    for (const pod of having[DICTIONARIES.length + which] ?? []) number.give(pod, nextNumber(number, readers.times, pod, before));
  return entries;
}

/** Values of the pod before, to which the next one is a difference. */
interface Before {
  version: number | bigint;
  /** By number fact. */
  numbers: number[];
}

function nextNumber({ at, isSinceCreation, step }: OwnNumber, column: ByteReader, pod: PodFacts, { numbers }: Before): number {
  const base = isSinceCreation ? pod.createdAt : (numbers[at] ?? 0) + step;
  return (numbers[at] = base + column.signed());
}

interface Reading {
  readers: Readers;
  /** By number fact. */
  numberColumns: readonly ByteReader[];
  /** Becomes that of the pod that is read. */
  before: Before;
}

function entryOf({ bits, facts, numbers, ownContainers, fault }: Kind, uid: string, { readers, numberColumns, before }: Reading): PodEntry {
  const { versions, observed, names, times } = readers;
  before.version = sumOf(before.version, versions.wideSigned());
  const resourceVersion = versionOf(before.version);
  const later = observed.wideSigned();
  const heardAt = later === 0 ? resourceVersion : versionOf(sumOf(before.version, later));
  const name = (bits & BITS.computedName) === 0 ? names.text(LONGEST_NAME) : '';
  const pod: PodFacts = { ...facts };
  pod.uid = uid;
  pod.name = name;
  pod.resourceVersion = resourceVersion;
  let isBroken = false;
  for (let which = 0; which < numbers.length; which += 1) {
    const number = numbers[which] as OwnNumber;
    const value = nextNumber(number, numberColumns[number.at] as ByteReader, pod, before);
    if (number.isCount && value < 0) isBroken = true;
    number.give(pod, value);
  }
  if (ownContainers > 0) for (const { give } of LISTED) give(pod, () => pod.createdAt + times.signed());
  if ((bits & BITS.computedName) !== 0) pod.name = computedNameOf(pod) ?? '';
  if (fault === undefined && (pod.name === '' || isBroken))
    throw new UndecodableMessageError('a pod without a name, or with a negative number');
  return { heardAt, byPass: (bits & BITS.byPass) !== 0, presence: (bits & BITS.deleted) === 0 ? 'there' : 'deleted', child: pod };
}

/** A number while it is exact, which is nearly always; else a bigint. */
function sumOf(a: number | bigint, b: number | bigint): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(a) + BigInt(b);
}

function versionOf(version: number | bigint): string {
  const written = version.toString();
  if (version < 0 || (typeof version === 'bigint' && !isResourceVersion(written)))
    throw new UndecodableMessageError(`"${written}" is no resourceVersion`);
  return written;
}

function uidIn(others: ByteReader): string {
  const uid = others.text(LONGEST_UID);
  if (uid === '') throw new UndecodableMessageError('a pod without a uid');
  return uid;
}
