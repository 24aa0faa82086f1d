// How training jobs are displayed.
import { defineShown, type Figure, type KindShown, type Unmanaged } from '../rows/kind-shown.ts';
import { counted } from '../rows/reasons.ts';
import type { Standing } from '../rows/state.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import type { TrainingJob } from './terms/job-types.ts';
import { conditionOf, REASONS, trainingReasons, wantedIn } from './reasons.ts';
import { MULTI_KUEUE, TRAINING_JOBS } from './names/settings.ts';

export const trainingShown = (names: FrameworkNames): KindShown =>
  defineShown<TrainingJob>({
    reasons: REASONS,
    reasonsOf: (snapshot, now, circumstances) => trainingReasons(names, snapshot, now, circumstances),
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
      adopt: { does: 'adopt', refusedTo: (target) => `adopt ${target}` },
      release: { does: 'release', refusedTo: (target) => `release ${target}` },
      correct: { does: 'correct', refusedTo: (target) => `correct ${target}` },
      completed: { does: 'remember completed replicas on', refusedTo: (target) => `annotate ${target}` },
    },
    eventsPerPod: new Set(['SuccessfulCreatePod', 'SuccessfulDeletePod', 'SuccessfulCreateService', 'SuccessfulDeleteService']),
    hiddenStatus: new Set(['lastReconcileTime']),
    unmanagedText,
    ownOnlyText: () => undefined,
  });

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

function figuresOf(names: FrameworkNames, job: TrainingJob | undefined): Figure[] {
  return [
    { name: 'succeeded', value: job ? sumOf(job, 'succeeded') : 0, ...(job && { of: wantedIn(names, job) }) },
    { name: 'active', value: job ? sumOf(job, 'active') : 0 },
    { name: 'failed', value: job ? sumOf(job, 'failed') : 0 },
  ];
}

function unmanagedText({ managedBy, manages }: Unmanaged): string {
  if (managedBy === MULTI_KUEUE)
    return `its spec.runPolicy.managedBy is ${JSON.stringify(managedBy)}, so Kueue runs it on another cluster. Create it anew without that field to run it here`;
  return manages.includes(TRAINING_JOBS)
    ? 'Farloop does not manage it'
    : `training jobs are managed only where "farloop up" or "farloop cluster add" is given --manage ${TRAINING_JOBS}`;
}
