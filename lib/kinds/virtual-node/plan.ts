// A node's pass: decides on all pods that wait for it, from one live list, and says how its provider is. The pods' own passes carry it out.
import * as v from 'valibot';
import type { Pod } from '../../objects/kubernetes.ts';
import { timeOf } from '../../objects/pods/pod-facts.ts';
import { NODES, PODS } from '../../objects/resources.ts';
import { isOfRun, type Task } from '../../objects/task.ts';
import {
  readKeyOf,
  sightKeyOf,
  type AfterOwner,
  type LeftBehind,
  type NewPlan,
  type ProviderState,
  type ReadWant,
  type SightWant,
  type Snapshot,
  type ToldWorkload,
} from '../rows/plan.ts';
import { canonicalText } from '../../objects/child-state.ts';
import { isPhaseFinal, uidOf } from '../preemption/node/counted-pods.ts';
import { rebuiltDecision } from '../preemption/node/lost-decision.ts';
import { decideAdmissions, type PodEnd } from '../preemption/node/node-admission.ts';
import { NODE_DECISION, type NodeDecision, type PodDecision } from '../preemption/node/node-decision.ts';
import { orderingOf } from '../virtual-pod/ordering.ts';
import { VIRTUAL_POD } from '../virtual-pod/facts.ts';
import { problemOfNode, virtualNodeNamed } from '../virtual-pod/node-options.ts';
import type { VirtualNode } from './facts.ts';
import { decisionText } from './decision-text.ts';
import { nodeObject, nodeStatus } from './node-object.ts';
import { daemonSetRefusal, unsupportedIn } from './unsupported.ts';

export const KEPT = v.object({
  decision: NODE_DECISION,
  /** Uids of tasks without a pod at the last look: one more, and their pods' passes are told. */
  dangling: v.optional(v.array(v.string())),
});
export type Kept = v.InferOutput<typeof KEPT>;

type NodePlan = NewPlan<object, Kept>;
type Given = Snapshot<VirtualNode, Kept>;

/** Pods that one pass tells, and tasks that it finds: the rest is told by the next ones. */
const MOST_TOLD = 256;
/** Of decisions, some 200 a pod. Rejected pods are forgotten once the API server shows it, and others come in their place. */
const MOST_DECIDED_CHARACTERS = 250_000;
/** Tasks are compared with pods, so that a lost word of the provider shows, and the status has a heartbeat as a kubelet's. */
const LOOK_SECONDS = 300;
/** Pods that have run for so long seldom change: looks at tasks of which nobody tells come less often. */
const STEADY_MS = 3_600_000;
const STEADY_LOOK_SECONDS = 60;
/** A timer may be early by the clocks' difference. */
const HEARTBEAT_SECONDS = LOOK_SECONDS - 15;
/** Until a provider that is not well is asked again. */
const UNWELL_SECONDS = 10;

/** Fields that an admission reads of a pod. No environment, no command. */
const CONTAINERS = { '*': true, env: false, envFrom: false, command: false, args: false } as const;
const POD_FIELDS = {
  apiVersion: true,
  kind: true,
  metadata: { '*': true, managedFields: false },
  spec: { '*': true, containers: CONTAINERS, initContainers: CONTAINERS, ephemeralContainers: CONTAINERS },
  status: true,
} as const;

export function plan(given: Given, now: Date): NodePlan {
  const { owner: node, kept, options, read, sights } = given;
  const { name } = node.metadata;
  const settings = virtualNodeNamed(options, name);
  if (!settings) return { actions: [], why: [`${name} is none of the virtual nodes of this cluster`], outcome: 'notOurs' };
  const foreign = problemOfNode(node);
  if (foreign !== undefined) return { actions: [], why: [foreign], outcome: 'parked' };
  const pods: ReadWant = { resource: PODS, namespace: '', fieldSelector: `spec.nodeName=${name}`, fields: POD_FIELDS };
  const provider: SightWant = { sight: 'provider', node: name };
  const tasks: SightWant = { sight: 'tasks', node: name };
  const listed = read?.get(readKeyOf(pods, ''))?.objects as Pod[] | undefined;
  const state = sights?.get(sightKeyOf(provider)) as ProviderState | undefined;
  const seenTasks = sights?.get(sightKeyOf(tasks)) as Task[] | null | undefined;
  if (given.isWhole !== true || !state) return { actions: [], wants: [{ owner: 'whole' }, pods, provider, tasks], why: [] };
  const nowText = timeOf(Math.floor(now.getTime() / 1000)) ?? '';
  const wanted = nodeStatus(node, settings, { problem: state.problem, nowText, endpoint: state.endpoint });
  const isNews = canonicalText(withoutHeartbeats(wanted)) !== canonicalText(withoutHeartbeats(node.status ?? {}));
  const because = state.problem === undefined ? 'it is ready for pods' : 'its provider is not well';
  const isDue = isNews || isHeartbeatDue(node, now);
  const status = isDue ? wanted : (node.status ?? {});
  const statusActions = isDue
    ? [{ verb: 'status' as const, status, why: isNews ? because : 'its last heartbeat is five minutes old' }]
    : [];
  // Nothing is decided on what runs while nobody knows what does.
  if (state.isSilent)
    return { actions: statusActions, status, why: [`the provider does not answer: ${state.problem}`], requeueAfterSeconds: UNWELL_SECONDS };
  if (!listed || !seenTasks) return { actions: [], wants: [pods, tasks], why: [] };
  const ofPods = seenTasks.filter((task) => !isOfRun(task));
  const ours = state.sharesTasks ? ofThisNode(ofPods, { listed, kept }) : ofPods;
  const before = kept?.decision ?? rebuiltDecision({ pods: listed, running: runningIn(ours) }, now);
  const ending = endingIn(before, listed);
  const heads: SightWant = {
    sight: 'workloads',
    workloads: ending.map(({ uid, namespace, name: pod }) => ({ kind: VIRTUAL_POD, namespace, name: pod, uid })),
  };
  if (ending.length > 0 && sights?.has(sightKeyOf(heads)) !== true) return { actions: [], wants: [heads], why: [] };
  const ended = endsIn(ending, (sights?.get(sightKeyOf(heads)) ?? {}) as Record<string, unknown>, { listed, tasks: ours });
  const { decision, requeueAt } = decideAdmissions(
    {
      // Its capacity counts from its first pass on, before its status says so.
      node: { ...node, status },
      pods: listed,
      decision: before,
      ended,
      settings: { ordering: orderingOf(options ?? {}) },
      mostCharacters: MOST_DECIDED_CHARACTERS,
      refusalOf: (pod) => (settings.takesDaemonSets ? undefined : daemonSetRefusal(pod)) ?? unsupportedIn(pod, state.cannot),
    },
    now,
  );
  const told = toldIn(decision, listed);
  const dangling = danglingIn(decision, { listed, tasks: ours }, kept?.dangling ?? []);
  const stored = { ...decision, told: told.upTo };
  const differing = differingIn(listed, ours);
  const tells = [...told.pods, ...dangling.tells, ...unlistedIn(decision, listed), ...differing].slice(0, MOST_TOLD);
  const decided = decision.pods.filter(({ sequence, changed = sequence }) => changed > before.latest);
  return {
    actions: statusActions,
    status,
    why: whyOf(decided, { name, decision, problem: state.problem }),
    head: { kept: { decision: stored, ...(dangling.uids.length > 0 && { dangling: dangling.uids }) } },
    ...(tells.length > 0 && { tells }),
    ...requeueOf({
      requeueAt,
      now,
      isMore: told.isMore,
      lookAgainSeconds: lookAgainSecondsOf(state, { decision, listed, now }),
      problem: state.problem,
    }),
  };
}

/** A Node that somebody deleted is made again, for its pods still run: its new pass takes them over. */
export function afterOwner({ key, options }: LeftBehind): AfterOwner {
  const settings = virtualNodeNamed(options, key.name);
  if (!settings) return { actions: [], isDone: true, why: 'the Node is gone, and is none of the virtual nodes of this cluster' };
  const why = 'the Node is gone: it is made again';
  return { actions: [{ verb: 'create', resource: NODES, object: nodeObject(settings), why }], isDone: true, why };
}

function whyOf(
  decided: readonly PodDecision[],
  { name, decision, problem }: { name: string; decision: NodeDecision; problem: string | undefined },
): string[] {
  const nameByUid = new Map(decision.pods.map((pod) => [pod.uid, `${pod.namespace}/${pod.name}`]));
  const sentences = decided.slice(0, 20).map((pod) => decisionText(pod, name, nameByUid));
  const more = decided.length > 20 ? [`and ${decided.length - 20} more decisions`] : [];
  const health = problem === undefined ? [] : [`the provider can start nothing now: ${problem}`];
  return decided.length === 0 ? [...health, `${name} has decided on all its pods`] : [...health, ...sentences, ...more];
}

/** Where nobody tells of changes. Undefined: nothing of this node may change at its provider. */
function lookAgainSecondsOf(
  { lookAgainSeconds }: ProviderState,
  { decision, listed, now }: { decision: NodeDecision; listed: readonly Pod[]; now: Date },
): number | undefined {
  const byUid = new Map(listed.map((pod) => [uidOf(pod), pod]));
  const admitted = decision.pods.filter(({ state, hasEnded }) => state === 'admitted' && !hasEnded);
  if (lookAgainSeconds === undefined || admitted.length === 0) return undefined;
  const isSteady = admitted.every(({ uid }) => {
    const { metadata, status } = byUid.get(uid) ?? {};
    const startedMs = Date.parse(status?.startTime ?? '');
    return status?.phase === 'Running' && metadata?.deletionTimestamp === undefined && now.getTime() - startedMs >= STEADY_MS;
  });
  return isSteady ? Math.max(lookAgainSeconds, STEADY_LOOK_SECONDS) : lookAgainSeconds;
}

function requeueOf(about: {
  requeueAt: string | undefined;
  now: Date;
  isMore: boolean;
  lookAgainSeconds: number | undefined;
  problem: string | undefined;
}): {
  requeueAfterSeconds: number;
} {
  const { requeueAt, now, isMore, lookAgainSeconds = LOOK_SECONDS, problem } = about;
  const seconds = [
    ...(isMore ? [0.05] : []),
    ...(requeueAt === undefined ? [] : [Math.max((Date.parse(requeueAt) - now.getTime()) / 1000, 0.05)]),
    Math.min(lookAgainSeconds, LOOK_SECONDS),
    ...(problem === undefined ? [] : [UNWELL_SECONDS]),
  ];
  return { requeueAfterSeconds: Math.min(...seconds) };
}

/** Pods whose end their own passes may have noted: they go, or nobody lists them any more. */
function endingIn({ pods }: NodeDecision, listed: readonly Pod[]): PodDecision[] {
  const byUid = new Map(listed.map((pod) => [uidOf(pod), pod]));
  return pods.filter(({ uid, state, hasEnded, eviction }) => {
    if (hasEnded || state !== 'admitted') return false;
    const pod = byUid.get(uid);
    return pod === undefined || eviction !== undefined || pod.metadata.deletionTimestamp !== undefined || isPhaseFinal(pod);
  });
}

/** As the pods' passes have noted. One whose head is gone has ended if nobody lists it and nothing of it runs. */
function endsIn(
  ending: readonly PodDecision[],
  heads: Readonly<Record<string, unknown>>,
  { listed, tasks }: { listed: readonly Pod[]; tasks: readonly Task[] },
): Map<string, PodEnd> {
  const there = new Set(listed.map(uidOf));
  const runs = new Set(tasks.filter(({ hasEnded }) => !hasEnded).map(({ uid }) => uid));
  const ends = new Map<string, PodEnd>();
  for (const { uid, eviction } of ending) {
    const head = heads[uid];
    const noted = v.safeParse(v.object({ ended: v.object({ wasKilled: v.boolean() }) }), head);
    if (noted.success) ends.set(uid, noted.output.ended);
    else if (head === null && !there.has(uid) && !runs.has(uid)) ends.set(uid, { wasKilled: eviction !== undefined });
  }
  return ends;
}

/** The pods of the changes that nobody was told of, oldest first, as many as one pass tells. */
function toldIn({ pods, latest, told }: NodeDecision, listed: readonly Pod[]): { pods: ToldWorkload[]; upTo: number; isMore: boolean } {
  const there = new Set(listed.map(uidOf));
  const news = pods
    .map((pod) => ({ pod, change: pod.changed ?? pod.sequence }))
    .filter(({ change }) => change > told)
    .toSorted((one, other) => one.change - other.change);
  const now = news.slice(0, MOST_TOLD);
  const isMore = news.length > now.length;
  return {
    pods: now.map(({ pod: { uid, namespace, name } }) => ({
      kind: VIRTUAL_POD,
      namespace,
      name,
      uid,
      ...(!there.has(uid) && { evenUnknown: true as const }),
    })),
    upTo: isMore ? (now.at(-1)?.change ?? told) : latest,
    isMore,
  };
}

/** Tasks that run for no pod that is listed: after two looks their pods' passes find out live what became of them (spec section 9.4). */
function danglingIn(
  { pods }: NodeDecision,
  { listed, tasks }: { listed: readonly Pod[]; tasks: readonly Task[] },
  before: readonly string[],
): { uids: string[]; tells: ToldWorkload[] } {
  const known = new Set([...listed.map(uidOf), ...pods.filter(({ hasEnded }) => !hasEnded).map(({ uid }) => uid)]);
  const found = tasks.filter(({ uid, hasEnded }) => !hasEnded && !known.has(uid));
  return {
    uids: found.map(({ uid }) => uid).slice(0, MOST_TOLD),
    tells: found
      .filter(({ uid }) => before.includes(uid))
      .map(({ uid, namespace, name }) => ({ kind: VIRTUAL_POD, namespace, name, uid, evenUnknown: true })),
  };
}

/** Pods that take room, and that nobody lists: the word that one is gone may be lost. */
function unlistedIn({ pods }: NodeDecision, listed: readonly Pod[]): ToldWorkload[] {
  const there = new Set(listed.map(uidOf));
  return pods
    .filter(({ uid, state, hasEnded }) => state === 'admitted' && !hasEnded && !there.has(uid))
    .map(({ uid, namespace, name }) => ({ kind: VIRTUAL_POD, namespace, name, uid, evenUnknown: true }));
}

/** Pods of which the API server shows something else than the provider: a word of it was lost, or is on its way. */
function differingIn(listed: readonly Pod[], tasks: readonly Task[]): ToldWorkload[] {
  const byUid = new Map(tasks.map((task) => [task.uid, task]));
  return listed.flatMap((pod): ToldWorkload[] => {
    const task = byUid.get(uidOf(pod));
    if (isPhaseFinal(pod)) return [];
    // One that was never started has no task yet.
    if (!task && pod.status?.startTime === undefined) return [];
    if (task && !task.hasEnded && (task.status.phase ?? 'Pending') === (pod.status?.phase ?? 'Pending')) return [];
    return [{ kind: VIRTUAL_POD, namespace: pod.metadata.namespace ?? '', name: pod.metadata.name ?? '', uid: uidOf(pod) }];
  });
}

/** Those of pods that are on it, or that it has decided on: all others may be somebody else's. */
function ofThisNode(tasks: readonly Task[], { listed, kept }: { listed: readonly Pod[]; kept: Kept | undefined }): Task[] {
  const known = new Set([...listed.map(uidOf), ...(kept?.decision.pods ?? []).map(({ uid }) => uid)]);
  return tasks.filter(({ uid }) => known.has(uid));
}

const runningIn = (tasks: readonly Task[]) =>
  tasks
    .filter(({ hasEnded }) => !hasEnded)
    .map(({ uid, namespace, name, requests = {} }) => ({ uid, namespace, name, room: { requests: { ...requests } } }));

interface Heartbeats {
  conditions?: { type?: string; lastHeartbeatTime?: string }[];
}

function isHeartbeatDue({ status }: Given['owner'], now: Date): boolean {
  const { lastHeartbeatTime = '' } = ((status as Heartbeats | undefined)?.conditions ?? []).find(({ type }) => type === 'Ready') ?? {};
  return !(now.getTime() - Date.parse(lastHeartbeatTime) < HEARTBEAT_SECONDS * 1_000);
}

/** A heartbeat alone is no news, nor a field that some API servers do not keep. */
function withoutHeartbeats(status: object): object {
  const {
    conditions = [],
    declaredFeatures: _features,
    ...rest
  } = status as {
    conditions?: { lastHeartbeatTime?: unknown }[];
    declaredFeatures?: unknown;
  };
  return { ...rest, conditions: conditions.map(({ lastHeartbeatTime: _time, ...condition }) => condition) };
}
