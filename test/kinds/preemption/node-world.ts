// A node with its pods, their tasks and the passes over each of them, for playing the node's decisions in every order. A world is a
// value: a step makes another one. Passes are as simple as may be: a pod's pass does what the decision says, and stores the end.
import { itemNamesOf, readDecision, storedDecision, type StoredDecision } from '../../../lib/kinds/preemption/node/decision-items.ts';
import { rebuiltDecision } from '../../../lib/kinds/preemption/node/lost-decision.ts';
import {
  afterTelling,
  decideAdmissions,
  type AdmissionCount,
  type NodeAdmission,
  type PodEnd,
} from '../../../lib/kinds/preemption/node/node-admission.ts';
import type { NodeDecision, PodDecision } from '../../../lib/kinds/preemption/node/node-decision.ts';
import { dutyOf, type PodDuty } from '../../../lib/kinds/preemption/node/pod-duty.ts';
import { roomOf } from '../../../lib/kinds/preemption/node/room.ts';
import type { Node, Pod, PodStatus } from '../../../lib/objects/kubernetes.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
export const at = (seconds: number): string => new Date(START_MS + seconds * 1000).toISOString();

export const SYSTEM_CRITICAL = 2_000_000_000;

export interface PodTerms {
  cpu?: string;
  memory?: string;
  priority?: number;
  graceSeconds?: number;
  /** Of its creation. */
  second?: number;
}

export function aPod(name: string, { cpu, memory, priority, graceSeconds, second = 0 }: PodTerms = {}): Pod {
  const requests = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, uid: `uid-${name}`, creationTimestamp: at(second) },
    spec: {
      nodeName: 'vn-0',
      containers: [{ name: 'main', image: 'agent', resources: { requests } }],
      ...(priority !== undefined && { priority }),
      ...(graceSeconds !== undefined && { terminationGracePeriodSeconds: graceSeconds }),
    },
    status: { phase: 'Pending' },
  };
}

/** 300m and 300Mi. */
export const hrb = (name: string, terms: PodTerms = {}): Pod => aPod(name, { cpu: '300m', memory: '300Mi', ...terms });
/** Critical. */
export const cc = (name: string, terms: PodTerms = {}): Pod =>
  aPod(name, { cpu: '100m', memory: '100Mi', priority: SYSTEM_CRITICAL, second: 100, ...terms });

export const aNode = ({ cpu = '1000m', memory = '1000Mi', pods = '3' } = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'vn-0', uid: 'uid-node', labels: { 'kubernetes.io/os': 'linux' } },
  status: { allocatable: { cpu, memory, pods }, nodeInfo: { operatingSystem: 'linux' } },
});

type Task = 'running' | 'stopping' | 'over';

export interface World {
  second: number;
  node: Node | undefined;
  /** As the API server has them. */
  pods: Readonly<Record<string, Pod>>;
  /** By uid. An ended task stays: a repeated start finds it. */
  tasks: Readonly<Record<string, Task>>;
  /** What pods' passes have stored, each in its own head. */
  heads: Readonly<Record<string, { end?: PodEnd; wasKilled?: true; reading?: PodDuty }>>;
  stored: { stored: StoredDecision; items: ReadonlyMap<string, readonly PodDecision[]> } | undefined;
  nextPass: string | undefined;
  wakes: { node: boolean; pods: readonly string[] };
  /** Events by pod. Their names are computed, so each is there once at most. */
  events: readonly string[];
  /** Uids of pods that outlived a deadline. */
  late: readonly string[];
  counted: readonly AdmissionCount[];
  writes: number;
}

export const worldOf = (node: Node, second = 0): World => ({
  second,
  node,
  pods: {},
  tasks: {},
  heads: {},
  stored: undefined,
  nextPass: undefined,
  wakes: { node: false, pods: [] },
  events: [],
  late: [],
  counted: [],
  writes: 0,
});

const uidOf = ({ metadata }: Pod): string => metadata.uid as string;
const union = (list: readonly string[], more: readonly string[]): string[] => [...new Set([...list, ...more])].toSorted();
const wakeNode = (world: World): World => ({ ...world, wakes: { ...world.wakes, node: true } });
const wakePods = (world: World, uids: readonly string[]): World => ({
  ...world,
  wakes: { ...world.wakes, pods: union(world.wakes.pods, uids) },
});

export const arrive = (world: World, pod: Pod): World =>
  wakePods(wakeNode({ ...world, pods: { ...world.pods, [uidOf(pod)]: pod } }), [uidOf(pod)]);

/** Asked for by a user, with a grace period. */
export function remove(world: World, uid: string): World {
  const pod = world.pods[uid] as Pod;
  const removed = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: at(world.second) } };
  return wakePods(wakeNode({ ...world, pods: { ...world.pods, [uid]: removed } }), [uid]);
}

export function withoutPod(world: World, uid: string): World {
  const { [uid]: _, ...pods } = world.pods;
  return wakePods(wakeNode({ ...world, pods }), [uid]);
}

/** A task that is stopped, or ends by itself, is over. */
export const taskEnds = (world: World, uid: string): World => wakePods({ ...world, tasks: { ...world.tasks, [uid]: 'over' } }, [uid]);

/** All of the table. Relists wake everybody. */
export const loseTable = (world: World): World =>
  wakePods(wakeNode({ ...world, heads: {}, stored: undefined }), [...Object.keys(world.pods), ...Object.keys(world.tasks)]);

const readings = new WeakMap<object, NodeDecision | undefined>();

/** From its stored form. Undefined: lost, or never stored. */
export function decisionIn({ stored }: World): NodeDecision | undefined {
  if (stored === undefined) return undefined;
  if (!readings.has(stored)) readings.set(stored, readDecision(JSON.parse(JSON.stringify(stored.stored)), stored.items));
  return readings.get(stored);
}

export const entryOf = (world: World, uid: string): PodDecision | undefined => decisionIn(world)?.pods.find((pod) => pod.uid === uid);

function snapshotOf(
  world: World,
  templates: Readonly<Record<string, Pod>>,
): { decision: NodeDecision; decide: (from: NodeDecision) => NodeAdmission } {
  const now = new Date(START_MS + world.second * 1000);
  const pods = Object.values(world.pods);
  const running = Object.entries(world.tasks)
    .filter(([, task]) => task !== 'over')
    .map(([uid]) => ({ uid, namespace: 'default', name: uid.slice(4), room: roomOf(templates[uid] as Pod) }));
  const ends = new Map(Object.entries(world.heads).flatMap(([uid, { end }]) => (end === undefined ? [] : [[uid, end] as const])));
  return {
    decision: decisionIn(world) ?? rebuiltDecision({ pods, running }, now),
    decide: (decision) => decideAdmissions({ node: world.node, pods, decision, ended: ends, settings: { ordering: 'qos' } }, now),
  };
}

export interface NodePass {
  before: NodeDecision;
  admission: NodeAdmission;
  /** The same pass once more, from what the first one stored. */
  again: NodeAdmission;
  world: World;
}

/** @param templates the pods as they were ordered, by uid; @param dies after the decision is stored, before anybody is told */
export function nodePass(world: World, templates: Readonly<Record<string, Pod>>, dies = false): NodePass {
  const { decision: before, decide } = snapshotOf(world, templates);
  const admission = decide(before);
  const after = dies ? admission.decision : afterTelling(admission.decision);
  const written = storedDecision(after, `w${world.writes}`, world.stored);
  const names = new Set(itemNamesOf(written.stored));
  const items = new Map([...(world.stored?.items ?? []), ...written.items].filter(([name]) => names.has(name)));
  const next: World = {
    ...world,
    stored: { stored: written.stored, items },
    writes: world.writes + 1,
    nextPass: admission.requeueAt,
    counted: [...world.counted, ...admission.counted],
    late: union(world.late, lateIn(before, world)),
    wakes: { node: dies, pods: world.wakes.pods },
  };
  const told = dies
    ? next
    : wakePods(
        next,
        admission.tells.map(({ uid }) => uid),
      );
  return { before, admission, again: decide(decisionIn(told) as NodeDecision), world: told };
}

function lateIn({ pods }: NodeDecision, { heads, second }: World): string[] {
  const waits = pods.flatMap(({ preemption }) => [...(preemption?.victims ?? []), ...(preemption?.claims ?? [])]);
  return waits.filter(({ uid, deadline }) => deadline <= at(second) && heads[uid]?.end === undefined).map(({ uid }) => uid);
}

/** A pass reads the decision first, and acts later: the decision may have changed meanwhile. */
export function podReads(world: World, uid: string): World {
  const head = { ...world.heads[uid], reading: dutyOf(entryOf(world, uid)) };
  const pods = world.wakes.pods.filter((woken) => woken !== uid);
  return { ...world, heads: { ...world.heads, [uid]: head }, wakes: { ...world.wakes, pods } };
}

export function podActs(world: World, uid: string): World {
  const { reading = { verb: 'wait' }, ...head } = world.heads[uid] ?? {};
  const next = { ...world, heads: { ...world.heads, [uid]: head } };
  const pod = next.pods[uid];
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return stop(next, uid, () => undefined);
  switch (reading.verb) {
    case 'start':
      return start(next, uid);
    case 'reject':
      return withStatus(
        next,
        uid,
        { phase: 'Failed', reason: reading.reason, message: `Pod was rejected: ${reading.message}` },
        reading.reason,
      );
    case 'evict':
      return evict(next, uid, reading.isLate);
    case 'wait':
    case 'leave':
      return next;
  }
}

export const podPass = (world: World, uid: string): World => podActs(podReads(world, uid), uid);

function withStatus(world: World, uid: string, status: PodStatus, event?: string): World {
  const pod = world.pods[uid] as Pod;
  const events = event === undefined ? world.events : union(world.events, [`${event} ${uid}`]);
  const next = { ...world, pods: { ...world.pods, [uid]: { ...pod, status: { ...pod.status, ...status } } }, events };
  return status.phase === 'Failed' || status.phase === 'Succeeded' ? wakeNode(next) : next;
}

function start(world: World, uid: string): World {
  const task = world.tasks[uid];
  if (task === 'over') return ended(withStatus(world, uid, { phase: 'Succeeded' }), uid);
  return task === undefined ? withStatus({ ...world, tasks: { ...world.tasks, [uid]: 'running' } }, uid, { phase: 'Running' }) : world;
}

function evict(world: World, uid: string, isLate: boolean): World {
  const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }];
  const marked = withStatus(world, uid, { conditions, reason: 'Preempting' }, 'Preempting');
  const told = isLate ? withStatus(marked, uid, {}, 'ExceededGracePeriod') : marked;
  const isStopped = told.tasks[uid] === 'running';
  const noted: World = isStopped ? { ...told, heads: { ...told.heads, [uid]: { ...told.heads[uid], wasKilled: true } } } : told;
  return stop(noted, uid, (pod) => ({ ...pod, status: { ...pod.status, phase: 'Failed' } }));
}

/** @param left what is left of the pod once nothing of it runs */
function stop(world: World, uid: string, left: (pod: Pod) => Pod | undefined): World {
  const task = world.tasks[uid];
  if (task === 'running') return { ...world, tasks: { ...world.tasks, [uid]: 'stopping' } };
  if (task === 'stopping') return world;
  const { [uid]: pod, ...pods } = world.pods;
  const rest = pod && left(pod);
  return ended(wakeNode({ ...world, pods: rest === undefined ? pods : { ...pods, [uid]: rest } }), uid);
}

function ended(world: World, uid: string): World {
  const head = world.heads[uid] ?? {};
  if (head.end !== undefined) return world;
  const end = { wasKilled: head.wasKilled === true };
  return wakeNode({ ...world, heads: { ...world.heads, [uid]: { ...head, end } }, tasks: { ...world.tasks, [uid]: 'over' } });
}

/** Passes of all that are woken, in a fixed order, until nobody is. */
export function calm(world: World, templates: Readonly<Record<string, Pod>>): World {
  let next = world;
  for (let passes = 0; next.wakes.node || next.wakes.pods.length > 0; passes += 1) {
    if (passes > 200) throw new Error(`still awake: ${JSON.stringify(next.wakes)}`);
    const [uid] = next.wakes.pods;
    next = next.wakes.node ? nodePass(next, templates).world : podPass(next, uid as string);
  }
  return next;
}

export const byUid = (pods: readonly Pod[]): Record<string, Pod> => Object.fromEntries(pods.map((pod) => [uidOf(pod), pod]));
