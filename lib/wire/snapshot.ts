// A planner's input and decision in one pass, packed for the flight recorder, whatever the kind. It holds facts only, so it cannot contain a
// template, an environment value or a secret.
import * as v from 'valibot';
import type { KindOptions } from '../objects/kind-options.ts';
import { LARGEST_INT32 } from '../objects/values/integers.ts';
import type { Fault } from '../objects/values/fact-checks.ts';
import type { SnapshotTexts } from '../objects/values/frequent-texts.ts';
import type { WorkloadObject } from '../objects/kubernetes.ts';
import { unrecordableFieldIn } from '../objects/pods/recorded-template.ts';
import { MANAGES_WORD, readManages, writtenManages, type Manages } from '../objects/manages.ts';
import type { ChildState } from '../objects/child-state.ts';
import type { PodFacts } from '../objects/pods/pod-facts.ts';
import { POD_FACTS } from '../objects/pods/fact-table.ts';
import { packChildren, unpackChildren } from './packing/child-columns.ts';
import { packPods } from './packing/columns.ts';
import { open } from './packing/envelope.ts';
import { DEEPEST_OBJECT, parseGuarded } from './words/guarded-json.ts';
import { sealSnapshot, snapshotDecoders } from './snapshot-words.ts';
import { UndecodableMessageError } from './words/undecodable.ts';
import type { PodEntry } from './words/observations.ts';
import { OwnerObject } from './view-item.ts';
import { slotOf } from './words/view-layout.ts';
import { unpackPods } from './packing/unpack-pods.ts';

const LIMITS = { bytes: 400_000, unpackedBytes: 8_000_000 };

const whole = v.pipe(v.number(), v.safeInteger());
/** The API's counters are int32. */
const int32FromZero = v.pipe(whole, v.minValue(0), v.maxValue(LARGEST_INT32));

/** Durable state of the workload, as its planner is given it. */
const Head = v.strictObject({
  expectations: v.strictObject({ create: v.array(v.string()), delete: v.array(v.string()), strip: v.array(v.string()) }),
  backoff: v.strictObject({ failures: int32FromZero, lastFailureTime: v.exactOptional(v.string()) }),
  ordinal: whole,
  holdUntilMs: v.exactOptional(v.number()),
  deleteHoldUntilMs: v.exactOptional(v.number()),
  createsLast: v.exactOptional(v.literal(true)),
  failure: v.exactOptional(v.objectWithRest({ reason: v.string(), message: v.string() }, v.string())),
});

const Decided = v.strictObject({
  outcome: v.string(),
  why: v.array(v.string()),
  /** In order. */
  actions: v.array(v.strictObject({ verb: v.string(), target: v.string(), why: v.string() })),
  requeueAfterSeconds: v.exactOptional(v.number()),
  /** The status that would stand after it. */
  status: v.record(v.string(), v.unknown()),
});
export type Decided = v.InferOutput<typeof Decided>;

const Header = v.strictObject({
  o: OwnerObject,
  h: Head,
  /** `kept` of the head, by the kind's own schema. */
  k: v.exactOptional(v.record(v.string(), v.unknown())),
  /** Names that objects of somebody else have. */
  n: v.exactOptional(v.record(v.string(), v.strictObject({ uid: v.string(), isTerminating: v.boolean() }))),
  /** Answers to what the planner wanted to know beside the cluster's objects; null: there is no such thing. */
  s: v.exactOptional(v.record(v.string(), v.unknown())),
  /** Options that the cluster is registered with. */
  x: v.exactOptional(v.record(v.string(), v.string())),
  m: v.union([v.picklist(['own', 'all']), v.array(v.pipe(v.string(), v.regex(MANAGES_WORD)))]),
  t: v.number(),
  d: Decided,
});

export interface RecordedPlan {
  /** The owner's facts. */
  owner: WorkloadObject;
  pods: readonly PodFacts[];
  /** Pods that are gone and had succeeded, as the planner was given them; absent: none. */
  ended?: readonly PodFacts[];
  /** Children other than pods; absent for a kind that has none. */
  children?: readonly ChildState[];
  head: v.InferOutput<typeof Head>;
  /** Its kind's part of the head; absent: nothing. */
  kept?: object;
  /** Names that objects of somebody else have, as the planner was given them; absent: none. */
  held?: Readonly<Record<string, { uid: string; isTerminating: boolean }>>;
  /** Answers to its sights, by `sightKeyOf`; absent: none. */
  sights?: Readonly<Record<string, unknown>>;
  manages: Manages;
  options?: KindOptions;
  /** The cluster's time in that pass, Unix milliseconds. */
  nowMs: number;
  decided: Decided;
}

/** Its kind's part in reading a snapshot. */
export interface SnapshotKind {
  texts?: SnapshotTexts | undefined;
  /** The first field that no owner of the kind can have; undefined if its facts are possible. */
  faultOf(this: void, owner: unknown): Fault | undefined;
}

const FOR_PEOPLE = POD_FACTS.filter(({ isForPeople }) => isForPeople);

/** Without the cluster's own words about a pod: no planner reads them, and AWS bills a snapshot by its size. */
function plannedFactsOf(pod: PodFacts): PodFacts {
  if (FOR_PEOPLE.every(({ name }) => pod[name] === undefined)) return pod;
  const planned = { ...pod };
  for (const { forget } of FOR_PEOPLE) forget?.(planned);
  return planned;
}

/** A field that no snapshot may hold. A mistake in a kind's `recordedFactsOf`. */
export class UnrecordableError extends Error {}

/**
 * @throws UnrecordableError
 * @param plan its owner must be facts, as its row makes them
 * @param texts of its kind
 */
export function packSnapshot(
  { owner, pods, ended = [], children, head, kept, held, sights, options, manages, nowMs, decided }: RecordedPlan,
  texts: SnapshotTexts | undefined,
): Uint8Array {
  const entryOf = (pod: PodFacts, deleted: boolean): PodEntry => ({
    heardAt: pod.resourceVersion,
    byPass: false,
    presence: deleted ? 'deleted' : 'there',
    child: plannedFactsOf(pod),
  });
  const entries = [...pods.map((pod) => entryOf(pod, false)), ...ended.map((pod) => entryOf(pod, true))].toSorted(
    (one, other) => slotOf(one.child) - slotOf(other.child),
  );
  const unrecordable = unrecordableFieldIn({ owner, kept, sights });
  if (unrecordable !== undefined)
    throw new UnrecordableError(`${unrecordable} may hold a person's commands or values: no snapshot holds it`);
  const { manage, manages: words = manage } = writtenManages(manages);
  const header = {
    o: owner,
    h: head,
    ...(kept && { k: kept }),
    ...(held && { n: held }),
    ...(sights && { s: sights }),
    ...(options && { x: options }),
    m: words,
    t: nowMs,
    d: decided,
  };
  const others = children?.map((child) => ({ heardAt: child.resourceVersion, byPass: false, presence: 'there' as const, child }));
  const envelope = { header: JSON.stringify(header), pods: packPods(entries), ...(others && { children: packChildren(others) }) };
  return sealSnapshot(envelope, { ...owner.metadata, nowMs }, texts);
}

/** @throws UndecodableMessageError */
export function unpackSnapshot(bytes: Uint8Array, { texts, faultOf }: SnapshotKind): RecordedPlan {
  const { header, pods, children } = open(bytes, LIMITS, snapshotDecoders(texts));
  const { o, h, k, n, s, x, m, t, d } = parseGuarded(header, Header, 'snapshot', DEEPEST_OBJECT);
  const fault = faultOf(o);
  if (fault) throw new UndecodableMessageError(`the snapshot's owner has an unusable ${fault.field}: expected ${fault.expected}`);
  const entries = unpackPods(pods);
  const ended = entries.flatMap(({ presence, child }) => (presence === 'there' ? [] : [child]));
  return {
    owner: o,
    pods: entries.flatMap(({ presence, child }) => (presence === 'there' ? [child] : [])),
    ...(ended.length > 0 && { ended }),
    ...(children && { children: unpackChildren(children).map(({ child }) => child) }),
    head: h,
    ...(k && { kept: k }),
    ...(n && { held: n }),
    ...(s && { sights: s }),
    ...(x && { options: x }),
    manages: typeof m === 'string' ? readManages({ manage: m }) : m,
    nowMs: t,
    decided: d,
  };
}
