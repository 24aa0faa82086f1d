// Whole Jobs and pods for tests of the planner: a case states only what matters.
import type { Condition, Job, JobSpec, JobStatus, ObjectMeta } from '../../../lib/objects/kubernetes.ts';
import { timeOf, type ContainerFacts, type PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { EMPTY_HEAD, type PlanHead, type Snapshot } from '../../../lib/kinds/rows/plan.ts';

/** The moment of every case, in Unix seconds. */
export const NOW = 1_770_000_000;
/** RFC 3339, so many seconds from now; negative lies in the past. */
export const at = (seconds: number): string => timeOf(NOW + seconds);
export const now = new Date(NOW * 1000);

export const JOB_UID = '6b1f0d4e-0000-4000-8000-00000000a0b1';
const OWN_LABELS = {
  'batch.kubernetes.io/controller-uid': JOB_UID,
  'batch.kubernetes.io/job-name': 'demo',
  'controller-uid': JOB_UID,
  'job-name': 'demo',
};

/** p2 c5, Never, started a minute ago and counted once, unless said otherwise. */
export function aJob(spec: JobSpec = {}, { status = {}, metadata = {} }: { status?: JobStatus; metadata?: ObjectMeta } = {}): Job {
  const name = metadata.name ?? 'demo';
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default', uid: JOB_UID, resourceVersion: '100', generation: 1, creationTimestamp: at(-60), ...metadata },
    spec: {
      parallelism: 2,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': JOB_UID } },
      template: {
        metadata: { labels: OWN_LABELS },
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
      },
      ...spec,
    },
    status: { startTime: at(-60), uncountedTerminatedPods: {}, ...status },
  };
}

/** The same with completion indexes. */
export const anIndexedJob = (spec: JobSpec = {}, rest: { status?: JobStatus; metadata?: ObjectMeta } = {}): Job =>
  aJob({ completionMode: 'Indexed', ...spec }, rest);

let pods = 0;

/** A pod of the Job with its finalizer: running for ten seconds, not ready. Each one has a uid and a name of its own. */
export function aPod(facts: Partial<PodFacts> = {}): PodFacts {
  pods += 1;
  const uid = facts.uid ?? `pod-${pods}`;
  return {
    uid,
    name: `demo-${uid}`,
    namespace: 'default',
    resourceVersion: String(1000 + pods),
    controller: { apiVersion: 'batch/v1', kind: 'Job', name: 'demo', uid: JOB_UID },
    labels: OWN_LABELS,
    tracked: true,
    phase: 'Running',
    createdAt: NOW - 10,
    assigned: true,
    conditions: [],
    containers: [],
    ...facts,
  };
}

/** A container that ended. @param secondsAgo when */
export const ended = (exitCode: number, secondsAgo = 3600, name = 'main', role: ContainerFacts['role'] = 'container'): ContainerFacts => ({
  name,
  role,
  restarts: 0,
  exitCode,
  finishedAt: NOW - secondsAgo,
});

const LETTERS: Record<string, Partial<PodFacts>> = {
  P: { phase: 'Pending', assigned: false },
  A: { phase: 'Running' },
  R: { phase: 'Running', ready: 'True', readySince: NOW - 5 },
  S: { phase: 'Succeeded', createdAt: NOW - 3700, containers: [ended(0)] },
  F: { phase: 'Failed', createdAt: NOW - 3700, containers: [ended(1)] },
  T: { phase: 'Running', createdAt: NOW - 3700, deletedAt: NOW - 3570, deletionGraceSeconds: 30 },
};

/**
 * Pods from the shorthand of the worked cases: `2R S1 F? Tx F0[1]`. A letter (P pending, A running, R ready, S succeeded, F failed
 * and T terminating since an hour ago), before it how many, after it the completion index (`?` none, `x` one that cannot be read), in
 * brackets the failure count of the index.
 */
export function podsOf(text: string): PodFacts[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => {
      const [, count = '', letter = '', index = '', failures] = /^(\d*)([PARSFT])(\d+|[?x])?(?:\[(.*)\])?$/.exec(word) ?? [];
      const state = LETTERS[letter];
      if (!state) throw new Error(`"${word}" is no pod: expected such as 2R, S1, F?, F0[1]`);
      const annotated = index === '' || index === '?' ? {} : { index: index === 'x' ? 'x' : index };
      return Array.from({ length: Number(count || 1) }, () =>
        aPod({ ...state, ...annotated, ...(failures !== undefined && { failureCount: failures }) }),
      );
    });
}

export const aCondition = (type: string, status: 'True' | 'False', reason = '', message = ''): Condition => ({
  type,
  status,
  reason,
  message,
  lastProbeTime: at(-30),
  lastTransitionTime: at(-30),
});

/** What a pass knows besides the objects. */
export const aHead = (head: Partial<PlanHead> = {}): PlanHead => ({ ...EMPTY_HEAD, ...head });

export const aSnapshot = (owner: Job, podFacts: readonly PodFacts[] = [], head: Partial<PlanHead> = {}): Snapshot<Job> => ({
  owner,
  pods: podFacts,
  head: aHead(head),
  manages: ['all-jobs'],
});
