// How training jobs are displayed.
import { defineShown, type Figure, type KindShown, type Unmanaged } from '../rows/kind-shown.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import { isOver } from './status/conditions.ts';
import type { TrainingJob } from './terms/job-types.ts';
import { REASONS, trainingReasons, wantedIn } from './reasons.ts';
import { placeOfReplica, replicasOf } from './detail/replicas.ts';
import { MULTI_KUEUE, TRAINING_JOBS } from './names/settings.ts';
import { trainingFacts } from './facts.ts';

export const trainingShown = (names: FrameworkNames): KindShown =>
  defineShown<TrainingJob>(trainingFacts(names), {
    reasons: REASONS,
    reasonsOf: (snapshot, now, circumstances) => trainingReasons(names, snapshot, now, circumstances),
    isUnderWay: (job) => sumOf(job, 'active') + sumOf(job, 'succeeded') + sumOf(job, 'failed') > 0,
    fields: [
      { name: 'startTime', in: 'status', is: 'time' },
      { name: 'completionTime', in: 'status', is: 'time' },
    ],
    figuresOf: (job) => figuresOf(names, job),
    replicasOf: (job, pods) => replicasOf(names, job, pods),
    placeOf: (pod) => placeOfReplica(names, pod),
    purposes: {
      completed: { does: 'remember completed replicas on', refusedTo: (target) => `annotate ${target}` },
    },
    eventsPerPod: new Set(['SuccessfulCreatePod', 'SuccessfulDeletePod', 'SuccessfulCreateService', 'SuccessfulDeleteService']),
    hiddenStatus: new Set(['lastReconcileTime']),
    unmanagedText,
  });

const sumOf = ({ status }: TrainingJob, count: 'active' | 'succeeded' | 'failed'): number =>
  Object.values(status?.replicaStatuses ?? {}).reduce((sum, counts) => sum + (counts[count] ?? 0), 0);

function figuresOf(names: FrameworkNames, job: TrainingJob | undefined): Figure[] {
  return [
    // Workers of a leader never succeed: they are ended with it, and no other counts then.
    { name: 'succeeded', value: job ? sumOf(job, 'succeeded') : 0, ...(job && { of: names.leader ? 1 : wantedIn(names, job) }) },
    { name: 'active', value: job && !isCleanedUp(job) ? sumOf(job, 'active') : 0 },
    { name: 'failed', value: job ? sumOf(job, 'failed') : 0 },
  ];
}

/** Its status keeps the replicas that ran when it ended, as upstream's does; their pods are deleted. */
const isCleanedUp = ({ spec, status }: TrainingJob): boolean =>
  isOver(status?.conditions) && (spec.runPolicy?.cleanPodPolicy ?? spec.cleanPodPolicy ?? 'None') !== 'None';

function unmanagedText({ managedBy, manages }: Unmanaged): string {
  if (managedBy === MULTI_KUEUE)
    return `its spec.runPolicy.managedBy is ${JSON.stringify(managedBy)}, so Kueue runs it on another cluster. Create it anew without that field to run it here`;
  return manages.includes(TRAINING_JOBS)
    ? 'Farloop does not manage it'
    : `training jobs are managed only where "farloop up" or "farloop cluster add" is given --manage ${TRAINING_JOBS}`;
}
