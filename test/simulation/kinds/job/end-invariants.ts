// How Jobs must stand when everything has ended.
import type { Job, Pod } from '../../../../lib/objects/kubernetes.ts';
import { endsOf } from '../../scenario.ts';
import type { Simulation } from '../../simulation.ts';
import type { Invariant } from '../../invariants/table.ts';

const endOf = ({ status }: Job): { type: string; reason?: string } | undefined =>
  status?.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');

/** Whether so many failures leave a Job its end. Which index or exit code they meet is not known. */
const canBear = ({ spec }: Job, failures: number): boolean =>
  spec.backoffLimitPerIndex === undefined && spec.podFailurePolicy === undefined && failures <= (spec.backoffLimit ?? 6);

/** An exit code ends the story, and each pod that would have ended so was deleted before by an edit: none did, and the others complete the Job. */
const isSpared = ({ history, struck }: Simulation, name: string, reason: string | undefined): boolean =>
  reason === 'PodFailurePolicy' &&
  struck.some(({ fault }) => CHANGES_PODS.has(fault)) &&
  history.owners
    .filter((record) => record.name === name)
    .every(({ pods }) => [...pods.values()].every(({ pod }) => !hasFailedByItself(pod)));

/** A pod has ended as the story tells in a past that the API server has forgotten: Farloop may have acted on it before that showed (R3). */
const wasSetBack = ({ struck }: Simulation): boolean => struck.some(({ fault }) => fault === 'apiServerIsOld');

/** What is deleted while it runs ends by a signal. */
const hasFailedByItself = ({ status }: Pod): boolean =>
  status?.containerStatuses?.some(({ state }) => ![undefined, 0, 137].includes(state?.terminated?.exitCode)) ?? false;

export const OF_JOB_ENDS: readonly Invariant[] = [
  {
    name: 'every Job ends as its story tells',
    rule: 'R1',
    atEnd: (simulation) => {
      const { run, struck, tampering } = simulation;
      if (simulation.kindOf.facts.kind !== 'Job') return undefined;
      for (const { name, cluster, end, reason, succeeded, failed } of endsOf(run.scenario)) {
        const job = simulation.history.owners.findLast((record) => record.cluster === cluster && record.name === name && !record.isGone)
          ?.object as Job | undefined;
        if (tampering.endedNamespaces.has(cluster)) continue;
        if (end !== 'Complete' && end !== 'Failed') continue;
        // A pod that somebody deletes is a failure, and may be one too many.
        if (end === 'Complete' && job && tampering.touchedPods > 0 && !canBear(job, (failed ?? 0) + tampering.touchedPods)) continue;
        const found = job && endOf(job);
        const isAsTold = found?.type === end && (reason === undefined || found.reason === reason);
        const isRight = isSpared(simulation, name, reason) ? found?.type === 'Complete' || (isAsTold && wasSetBack(simulation)) : isAsTold;
        if (!isRight) return `${name} ended with ${found?.type} ${found?.reason}`;
        // Some of what strikes changes which pods there are; whether they are counted is asked when the Job ends.
        // And a story that fails, or that somebody's hand decides, may be further on by then: its counts depend on when what happens.
        if (struck.length > 0 && (end === 'Failed' || run.scenario.acts.length > 1 || COUNTS_BY_TIME.has(run.scenario.name))) continue;
        if (tampering.touchedPods > 0 || struck.some(({ fault }) => CHANGES_PODS.has(fault))) continue;
        const { succeeded: foundSucceeded = 0, failed: foundFailed = 0 } = job?.status ?? {};
        if (succeeded !== undefined && foundSucceeded !== succeeded) return `${name}: ${foundSucceeded} succeeded`;
        if (failed !== undefined && foundFailed !== failed) return `${name}: ${foundFailed} failed`;
      }
      return undefined;
    },
  },
];

/** What makes other pods than the story tells of, or takes what was counted back. Whatever else strikes, the counts are the story's. */
const CHANGES_PODS = new Set<string>([
  'podIsDeleted',
  'podIsForcedAway',
  'isSuspendedShortly',
  'isScaledShortly',
  'ownerIsRecreated',
  'namespaceEnds',
  'apiServerIsOld',
  'otherController',
  'otherControllerFights',
  'secondFarloop',
]);

/** Stories whose counts depend on when what happens: a work queue's second pod is never made where the first ends before its turn. */
const COUNTS_BY_TIME = new Set<string>(['replaced-when-failed', 'success-policy', 'work-queue']);
