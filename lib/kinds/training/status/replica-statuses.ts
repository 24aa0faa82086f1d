// Replica statuses, as they are stored and as they are written.
import { canonicalText } from '../../../objects/child-state.ts';
import { REPLICA_STATUS } from '../terms/job-fields.ts';
import type { Counter, ReplicaStatus, TrainingStatus } from '../terms/job-types.ts';

const { fields } = REPLICA_STATUS;
const COUNTERS = (Object.keys(fields) as (keyof typeof fields)[]).filter((name): name is Counter => fields[name].is === 'int32');

/**
 * Counts of a type by the phases of its pods.
 * @param terminatingFails whether a running pod that is being deleted counts as failed; else it runs until it has ended
 */
export function countsOf(
  pods: Iterable<{ phase: string; deletedAt?: number }>,
  { terminatingFails }: { terminatingFails: boolean },
): Record<Counter, number> {
  const counts = { active: 0, succeeded: 0, failed: 0 };
  for (const { phase, deletedAt } of pods) {
    if (phase === 'Running') counts[deletedAt !== undefined && terminatingFails ? 'failed' : 'active'] += 1;
    else if (phase === 'Succeeded') counts.succeeded += 1;
    else if (phase === 'Failed') counts.failed += 1;
  }
  return counts;
}

/** The status as the API server stores it: counters that are 0 are left out, replica statuses never are. */
export const storedStatus = (status: TrainingStatus): TrainingStatus => ({
  ...status,
  replicaStatuses: Object.fromEntries(
    Object.entries(status.replicaStatuses ?? {}).map(([type, { selector, ...counts }]) => [
      type,
      {
        ...Object.fromEntries(COUNTERS.flatMap((name) => (counts[name] ? [[name, counts[name]]] : []))),
        ...(selector !== undefined && { selector }),
      },
    ]),
  ),
});

/** As a merge patch: what is not there any more is taken out by name. */
export const statusPatchOf = (status: TrainingStatus): object => ({
  ...status,
  replicaStatuses: Object.fromEntries(
    Object.entries(status.replicaStatuses ?? {}).map(([type, { selector, ...counts }]) => [
      type,
      {
        ...Object.fromEntries(COUNTERS.map((name) => [name, counts[name] || null])),
        ...(selector !== undefined && { selector }),
      },
    ]),
  ),
});

/** Whether both say the same, whatever is left out. */
export const isSameStatus = (one: TrainingStatus, other: TrainingStatus): boolean =>
  canonicalText(storedStatus(one)) === canonicalText(storedStatus(other));

/** A job that has succeeded, or is suspended, runs nothing. */
export const withoutActive = (
  statuses: Record<string, ReplicaStatus>,
  { countsAsSucceeded }: { countsAsSucceeded: boolean },
): Record<string, ReplicaStatus> =>
  Object.fromEntries(
    Object.entries(statuses).map(([type, { active = 0, succeeded = 0, ...rest }]) => [
      type,
      { ...rest, active: 0, succeeded: countsAsSucceeded ? succeeded + active : succeeded },
    ]),
  );
