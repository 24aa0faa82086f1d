// How training jobs are displayed.
import { isActive, type PodFacts } from '../../objects/pod-facts.ts';
import { fieldsOf } from '../../objects/untyped-fields.ts';
import { defineShown, type Figure, type KindShown, type Unmanaged } from '../kind-shown.ts';
import type { Snapshot } from '../plan.ts';
import { counted, type Reason } from '../reasons.ts';
import type { Standing } from '../state.ts';
import { isTrue } from './conditions.ts';
import type { FrameworkNames } from './framework-names.ts';
import type { JobCondition, TrainingJob } from './job-types.ts';
import { MULTI_KUEUE, TRAINING_JOBS } from './settings.ts';

const REASONS = {
  JobSucceeded: undefined,
  JobFailed: undefined,
  JobSuspended: undefined,
  ReplicasRestarting: 'BackingOff',
  ReplicasRunning: 'Running',
  ReplicasWaiting: 'Waiting',
  ReplicasStarting: 'Pending',
  NoReplicasYet: 'Pending',
} as const satisfies KindShown['reasons'];
type Code = keyof typeof REASONS;

export const trainingShown = (names: FrameworkNames): KindShown =>
  defineShown<TrainingJob>({
    reasons: REASONS,
    reasonsOf: (snapshot) => reasonsOf(names, snapshot),
    knownBackoff: ({ failures }) => ({ failures }),
    lettingGoText: (held) =>
      held.length === 0
        ? `the ${names.kind} is gone: nothing is left to do`
        : `the ${names.kind} is gone: the API server deletes ${counted(held.length, 'pod', 'pods')} of it`,
    standingOf,
    isUnderWay: (job) => sumOf(job, 'active') + sumOf(job, 'succeeded') + sumOf(job, 'failed') > 0,
    fields: [
      { name: 'startTime', in: 'status', is: 'time' },
      { name: 'completionTime', in: 'status', is: 'time' },
    ],
    figuresOf: (job) => figuresOf(names, job),
    purposes: {
      correct: { does: 'correct', refusedTo: (target) => `correct ${target}` },
      completed: { does: 'remember completed replicas on', refusedTo: (target) => `annotate ${target}` },
    },
    eventsPerPod: new Set(['SuccessfulCreatePod', 'SuccessfulDeletePod', 'SuccessfulCreateService', 'SuccessfulDeleteService']),
    hiddenStatus: new Set(['lastReconcileTime']),
    unmanagedText,
    ownOnlyText: () => undefined,
  });

const conditionOf = ({ status }: TrainingJob, type: string): JobCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');

const STANDINGS = [
  ['Succeeded', 'Complete'],
  ['Failed', 'Failed'],
  ['Suspended', 'Suspended'],
] as const;

function standingOf(job: TrainingJob): Standing | undefined {
  for (const [type, state] of STANDINGS) {
    const condition = conditionOf(job, type);
    if (condition) return { state, ...(condition.reason !== undefined && state !== 'Suspended' && { reason: condition.reason }) };
  }
  return undefined;
}

const sumOf = ({ status }: TrainingJob, count: 'active' | 'succeeded' | 'failed'): number =>
  Object.values(status?.replicaStatuses ?? {}).reduce((sum, counts) => sum + (counts[count] ?? 0), 0);

const wantedOf = ({ replicasField }: FrameworkNames, { spec }: TrainingJob): number =>
  Object.values(fieldsOf(spec[replicasField])).reduce((sum: number, own) => {
    const { replicas = 1 } = fieldsOf(own);
    return sum + (typeof replicas === 'number' && replicas > 0 ? replicas : 0);
  }, 0);

function figuresOf(names: FrameworkNames, job: TrainingJob | undefined): Figure[] {
  return [
    { name: 'succeeded', value: job ? sumOf(job, 'succeeded') : 0, ...(job && { of: wantedOf(names, job) }) },
    { name: 'active', value: job ? sumOf(job, 'active') : 0 },
    { name: 'failed', value: job ? sumOf(job, 'failed') : 0 },
  ];
}

function reasonsOf(names: FrameworkNames, { owner, pods }: Snapshot<TrainingJob>): Reason<Code>[] {
  const said = (type: string): string => conditionOf(owner, type)?.message ?? '';
  if (isTrue(owner.status?.conditions, 'Succeeded')) return [{ code: 'JobSucceeded', text: `it succeeded: ${said('Succeeded')}` }];
  if (isTrue(owner.status?.conditions, 'Failed')) return [{ code: 'JobFailed', text: `it failed: ${said('Failed')}` }];
  if (owner.spec.runPolicy?.suspend === true)
    return [{ code: 'JobSuspended', text: 'its runPolicy.suspend is true: it runs when that is false' }];
  const active = [...pods].filter((pod) => pod.controller?.uid === owner.metadata.uid && isActive(pod));
  const running = active.filter(({ phase }) => phase === 'Running');
  const waiting = active.filter(({ phase }) => phase !== 'Running');
  const wanted = wantedOf(names, owner);
  const reasons: Reason<Code>[] = [];
  if (isTrue(owner.status?.conditions, 'Restarting')) reasons.push({ code: 'ReplicasRestarting', text: said('Restarting') });
  if (running.length > 0)
    reasons.push({
      code: 'ReplicasRunning',
      text: `${running.length} of ${counted(wanted, 'replica', 'replicas')} run`,
      pods: namesOf(running),
    });
  if (waiting.length > 0) reasons.push(waitingReason(waiting));
  return reasons.length > 0 ? reasons : [{ code: 'NoReplicasYet', text: 'none of its replicas has a pod' }];
}

const namesOf = (pods: readonly PodFacts[]): string[] => pods.slice(0, MOST_NAMES).map(({ name }) => name);
const MOST_NAMES = 5;

/** In the words of the cluster, where it has some: of the pod's conditions, or of a container that waits. */
function waitingReason(pods: readonly PodFacts[]): Reason<Code> {
  const held = pods.find(({ reasons }) => (reasons?.length ?? 0) > 0);
  const [why] = held?.reasons ?? [];
  if (!held || !why)
    return { code: 'ReplicasStarting', text: `${counted(pods.length, 'replica has', 'replicas have')} yet to start`, pods: namesOf(pods) };
  const more = why.message === undefined ? '' : `: ${why.message}`;
  return { code: 'ReplicasWaiting', text: `${held.name} waits: ${why.reason}${more}`, pods: namesOf(pods), podReason: why.reason };
}

function unmanagedText({ managedBy, manages }: Unmanaged): string {
  if (managedBy === MULTI_KUEUE)
    return `its spec.runPolicy.managedBy is ${JSON.stringify(managedBy)}, so Kueue runs it on another cluster. Create it anew without that field to run it here`;
  return manages.includes(TRAINING_JOBS)
    ? 'Farloop does not manage it'
    : `Farloop does not manage training jobs here. Register the cluster again with --manage ${TRAINING_JOBS}`;
}
