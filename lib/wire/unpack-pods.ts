// Pods out of their columns. The loop runs for each of tens of thousands: what pods share is made once, and few objects are made for each.
import * as v from 'valibot';
import { LARGEST_INT32, LEAST_INT32 } from '../objects/integers.ts';
import { isResourceVersion } from '../objects/resource-version.ts';
import { isDurationSeconds } from '../objects/time.ts';
import type { ContainerFacts, PodFacts } from '../objects/pod-facts.ts';
import { ByteReader } from './bytes.ts';
import {
  BITS,
  computedNameOf,
  LONGEST_SHAPE,
  MOST_PODS,
  MOST_SHAPES,
  OWN_CONTAINERS_MAX,
  Shape,
  SHAPE_VALUES_MAX,
  type PackedPods,
} from './columns.ts';
import { parseGuarded, type ValueBudget } from './guarded-json.ts';
import type { PodEntry } from './observations.ts';
import { readReasons } from './reason-column.ts';
import { UndecodableMessageError } from './undecodable.ts';
import { uuidAt } from './uuid-bytes.ts';

const LONGEST_NAME = 253;
const LONGEST_UID = 128;
const SHAPE_DEPTH = 4;
/** Nine digits, as every index and number of a child. */
const NUMBER_MAX = 999_999_999;
/** Years 0 to 9999, which is what the API's times reach; Unix seconds. */
const [TIME_MIN, TIME_MAX] = [-62_167_219_200, 253_402_300_799];
/** Texts of an index are longer than nine digits where somebody wrote one; facts hold none beyond this. */
const LONGEST_INDEX = 100;
/** Control and format characters, and line ends: no name or uid has any. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A shape as its pods share it: a pod costs what is its own, however much its kind holds. */
interface Kind {
  shape: Shape;
  conditions: PodFacts['conditions'];
  /** Without the times at which they ended. */
  containers: ContainerFacts[];
  /** Whether each pod has its own list, for one container at least has a time. */
  areOwn: boolean;
  /** Why no pod of this kind can be believed. */
  fault: string | undefined;
}

/** Told of a pod that cannot be one, by its place: it is among what is returned all the same. */
export type Refuse = (at: number, fault: string) => void;

const kindOf = (shape: Shape, fault?: string): Kind => ({
  shape,
  fault,
  conditions: shape.k.map(([type, status]) => ({ type, status })),
  containers: shape.s.map(([name, role, restarts, exitCode]): ContainerFacts => ({
    name,
    role,
    restarts,
    ...(exitCode !== null && { exitCode }),
  })),
  areOwn: shape.s.some(([, , , , isOver]) => isOver),
});

interface Readers {
  uidTexts: ByteReader;
  versions: ByteReader;
  heard: ByteReader;
  names: ByteReader;
  indexes: ByteReader;
  numbers: ByteReader;
  times: ByteReader;
}

/** What must be known of a shape to read the columns of its pods. */
const Layout = v.object({ b: v.pipe(v.number(), v.safeInteger(), v.minValue(0)), s: v.array(v.unknown()) });

/** Of a shape that is none: its pods are passed over, and those behind them are read. @throws UndecodableMessageError */
function layoutOf(shape: unknown, fault: string): Kind {
  const layout = v.safeParse(Layout, shape, { abortEarly: true });
  if (!layout.success) throw new UndecodableMessageError(fault);
  const { b, s } = layout.output;
  const containers = s.map((container): Shape['s'][number] => [
    '',
    'container',
    0,
    null,
    Array.isArray(container) && container[4] === true,
  ]);
  return kindOf({ n: '', l: {}, b, p: '', k: [], s: containers }, fault);
}

function readKind(text: string, budget: ValueBudget, isRefusing: boolean): Kind {
  if (!isRefusing) return kindOf(parseGuarded(text, Shape, 'pod', SHAPE_DEPTH, budget));
  const parsed = parseGuarded(text, v.unknown(), 'pod', SHAPE_DEPTH, budget);
  const shape = v.safeParse(Shape, parsed, { abortEarly: true });
  if (shape.success) return kindOf(shape.output, kindFault(shape.output));
  const [issue] = shape.issues;
  return layoutOf(parsed, `the pod has an unusable ${v.getDotPath(issue) ?? 'form'}: ${issue.message}`);
}

function kindFault({ d, s }: Shape): string | undefined {
  if (d !== undefined && !isDurationSeconds(d)) return 'deletionGraceSeconds: a number of seconds';
  for (const [, , restarts, exitCode] of s)
    if (restarts > LARGEST_INT32 || (exitCode !== null && (exitCode > LARGEST_INT32 || exitCode < LEAST_INT32)))
      return 'containers: numbers of 32 bits';
  return undefined;
}

const isTimeOfPod = (seconds: number | undefined): boolean => seconds === undefined || (seconds >= TIME_MIN && seconds <= TIME_MAX);

/** Of what a pod has for itself. */
function faultOf(
  { uid, name, index, number, createdAt, deletedAt, readySince, containers }: PodFacts,
  areOwn: boolean,
): string | undefined {
  if (UNPRINTABLE.test(uid) || UNPRINTABLE.test(name)) return 'name or uid: a text without control characters';
  if (!isTimeOfPod(createdAt) || !isTimeOfPod(deletedAt) || !isTimeOfPod(readySince))
    return 'createdAt, deletedAt or readySince: a date before the year 10000';
  if (areOwn && !containers.every(({ finishedAt }) => isTimeOfPod(finishedAt))) return 'containers: a date before the year 10000';
  if ((number ?? 0) > NUMBER_MAX || (index?.length ?? 0) > LONGEST_INDEX) return 'index or number: at most nine digits';
  return undefined;
}

/**
 * @param refuse where one pod that cannot be one shall not keep the others from being read; without it nothing but the columns is checked
 * @throws UndecodableMessageError anything that packPods would not have written
 */
export function unpackPods({ columns, uids }: PackedPods, refuse?: Refuse): PodEntry[] {
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
    heard: column(),
    names: column(),
    indexes: column(),
    numbers: column(),
    times: column(),
  };
  const entries: PodEntry[] = [];
  const explained: PodFacts[] = [];
  const before = { version: 0 as number | bigint, index: 0, number: 0, createdAt: 0 };
  let ownContainers = 0;
  for (let at = 0; at < count; at++) {
    const kind = kinds[shapes.unsigned()];
    if (!kind) throw new UndecodableMessageError('a pod of a kind that the message does not hold');
    if (kind.areOwn && (ownContainers += kind.containers.length) > OWN_CONTAINERS_MAX)
      throw new UndecodableMessageError(`more than ${OWN_CONTAINERS_MAX} containers that are over`);
    const uid = uuidAt(uids, at * 16) ?? uidIn(readers.uidTexts);
    const entry = entryOf(kind, uid, readers, before);
    const fault = refuse && (kind.fault ?? faultOf(entry.pod, kind.areOwn));
    if (fault !== undefined) refuse?.(at, fault);
    if ((kind.shape.b & BITS.reasons) !== 0) explained.push(entry.pod);
    entries.push(entry);
  }
  if (!reader.isAtEnd) throw new UndecodableMessageError('more bytes than pods');
  for (const [at, reasons] of readReasons(readers.times, explained.length).entries()) {
    const pod = explained[at];
    if (pod && reasons) pod.reasons = reasons;
  }
  return entries;
}

/** @param before of the pod before, to which this one is a difference; becomes that of this one */
function entryOf(
  { shape, conditions, containers, areOwn, fault }: Kind,
  uid: string,
  { versions, heard, names, indexes, numbers, times }: Readers,
  before: { version: number | bigint; index: number; number: number; createdAt: number },
): PodEntry {
  const bits = shape.b;
  before.version = sumOf(before.version, versions.wideSigned());
  const resourceVersion = versionOf(before.version);
  const later = heard.wideSigned();
  const heardAt = later === 0 ? resourceVersion : versionOf(sumOf(before.version, later));
  const name = (bits & BITS.computedName) === 0 ? names.text(LONGEST_NAME) : '';
  if ((bits & BITS.index) !== 0) before.index += indexes.signed() + 1;
  if ((bits & BITS.number) !== 0) before.number += numbers.signed();
  before.createdAt += times.signed();
  const { index, number, createdAt } = before;
  // One by one, in the order of the interface: conditional spreads take twice the time and memory of all the rest.
  const pod = { uid, name, namespace: shape.n, resourceVersion } as PodFacts;
  if (shape.c) pod.controller = shape.c;
  pod.labels = shape.l;
  if ((bits & BITS.index) !== 0) pod.index = String(index);
  if (shape.i !== undefined) pod.index = shape.i;
  if (shape.f !== undefined) pod.failureCount = shape.f;
  if (shape.g !== undefined) pod.ignoredFailureCount = shape.g;
  if (shape.x !== undefined) pod.unreadable = shape.x;
  if ((bits & BITS.number) !== 0) pod.number = number;
  pod.tracked = (bits & BITS.tracked) !== 0;
  pod.phase = shape.p;
  pod.createdAt = createdAt;
  if ((bits & BITS.deletedAt) !== 0) pod.deletedAt = createdAt + times.signed();
  if (shape.d !== undefined) pod.deletionGraceSeconds = shape.d;
  pod.assigned = (bits & BITS.assigned) !== 0;
  if (shape.r) pod.ready = shape.r;
  if ((bits & BITS.readySince) !== 0) pod.readySince = createdAt + times.signed();
  pod.conditions = conditions;
  pod.containers = areOwn
    ? containers.map((container, at) => (shape.s[at]?.[4] ? endedAt(container, createdAt + times.signed()) : container))
    : containers;
  if ((bits & BITS.computedName) !== 0) pod.name = computedNameOf(pod) ?? '';
  if (fault === undefined && (pod.name === '' || index < 0 || number < 0))
    throw new UndecodableMessageError('a pod without a name, or with a negative number');
  return { heardAt, byPass: (bits & BITS.byPass) !== 0, deleted: (bits & BITS.deleted) !== 0, pod };
}

const endedAt = ({ name, role, restarts, exitCode }: ContainerFacts, finishedAt: number): ContainerFacts =>
  exitCode === undefined ? { name, role, restarts, finishedAt } : { name, role, restarts, exitCode, finishedAt };

/** As a number as long as one holds it exactly, which is nearly always. */
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
