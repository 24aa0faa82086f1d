// How Jobs are displayed.
import type { Job } from '../../objects/kubernetes.ts';
import { isBuiltInOff, OUR_MANAGER } from './terms/managed-by.ts';
import { jobFacts } from './facts.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { defineShown, type Figure, type Unmanaged } from '../rows/kind-shown.ts';
import { counted } from '../rows/reasons.ts';
import type { Standing } from '../rows/state.ts';
import { trueCondition } from '../rows/usual-reasons.ts';
import { jobBackoff } from './backoff/kept-backoff.ts';
import { indexStatesOf } from './detail/index-states.ts';
import { PATCH_PURPOSES } from './reasons/patch-purposes.ts';
import { JOB_REASONS } from './reasons/reason-codes.ts';
import { reasonsOf } from './reasons/reasons.ts';

export const jobShown = defineShown<Job>(jobFacts, {
  reasons: JOB_REASONS,
  reasonsOf,
  knownBackoff: (stored, job) => jobBackoff.known(stored, job),
  lettingGoText,
  standingOf,
  isUnderWay: ({ status: { ready = 0, succeeded = 0, failed = 0 } = {} }) => ready + succeeded + failed > 0,
  fields: [
    { name: 'parallelism', in: 'spec', is: 'count' },
    { name: 'completions', in: 'spec', is: 'count' },
    { name: 'active', in: 'status', is: 'count' },
    { name: 'ready', in: 'status', is: 'count' },
    { name: 'succeeded', in: 'status', is: 'count' },
    { name: 'failed', in: 'status', is: 'count' },
    { name: 'startTime', in: 'status', is: 'time' },
    { name: 'completionTime', in: 'status', is: 'time' },
  ],
  figuresOf,
  indexesOf: indexStatesOf,
  purposes: PATCH_PURPOSES,
  eventsPerPod: new Set(['SuccessfulCreate', 'SuccessfulDelete']),
  hiddenStatus: new Set(['uncountedTerminatedPods']),
  unmanagedText,
  ownOnlyText: (manages) => (isBuiltInOff(manages) ? undefined : `Farloop takes only the Jobs that say "managedBy: ${OUR_MANAGER}"`),
});

function standingOf({ spec, status }: Job): Standing | undefined {
  for (const [type, state] of [
    ['Complete', 'Succeeded'],
    ['Failed', 'Failed'],
  ] as const) {
    const condition = trueCondition(status?.conditions, type);
    if (condition) return { state, ...(condition.reason !== undefined && { reason: condition.reason }) };
  }
  return spec.suspend === true ? { state: 'Suspended' } : undefined;
}

function figuresOf(job: Job | undefined): Figure[] {
  const { active = 0, ready = 0, succeeded = 0, failed = 0 } = job?.status ?? {};
  const { completions } = job?.spec ?? {};
  return [
    { name: 'succeeded', value: succeeded, ...(completions !== undefined && { of: completions }) },
    { name: 'active', value: active },
    { name: 'ready', value: ready, isMinor: true },
    { name: 'failed', value: failed },
  ];
}

function lettingGoText(held: readonly PodFacts[]): string {
  if (held.length === 0) return 'the Job is gone: nothing is left to do, and the next pass forgets it';
  return `the Job is gone: the tracking finalizer comes off ${counted(held.length, 'pod', 'pods')} of it`;
}

const BUILT_IN = new Set([undefined, '', 'kubernetes.io/job-controller']);
const ANEW = `Give it "managedBy: ${OUR_MANAGER}" in its spec and create it anew, since that field cannot be changed`;

function unmanagedText({ managedBy, wanted, manages }: Unmanaged): string {
  if (managedBy === undefined && wanted !== undefined)
    return `the cluster dropped its spec.managedBy, which Kubernetes 1.32 and newer keep. Upgrade the cluster, or, where its built-in Job controller is off, let Farloop take all Jobs: --manage all-jobs`;
  if (!BUILT_IN.has(managedBy)) return `its spec.managedBy is ${JSON.stringify(managedBy)}, so that controller has it. ${ANEW}`;
  const who = managedBy === undefined ? 'it names no manager' : `its spec.managedBy is ${JSON.stringify(managedBy)}`;
  const all = !isBuiltInOff(manages) ? '; or, where that controller is off, let Farloop take all Jobs: --manage all-jobs' : '';
  return `${who}, so the built-in Job controller has it. ${ANEW}${all}`;
}
