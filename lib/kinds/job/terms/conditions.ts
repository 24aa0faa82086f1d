// Conditions of a Job: finding, adding, replacing.
import type { Condition } from '../../../objects/kubernetes.ts';

export interface NewCondition {
  type: string;
  status: 'True' | 'False';
  reason: string;
  message: string;
}

/** A condition as it is written at this time (RFC 3339). */
export const conditionAt = (condition: NewCondition, time: string): Condition => ({
  type: condition.type,
  status: condition.status,
  lastProbeTime: time,
  lastTransitionTime: time,
  reason: condition.reason,
  message: condition.message,
});

/**
 * The list with this condition in it: an entry of the type is replaced where status, reason or message differ, a missing one
 * appended, unless it would be False.
 * @returns the very same list when nothing changes
 */
export function withCondition(conditions: Condition[], wanted: NewCondition, time: string): Condition[] {
  const at = conditions.findIndex(({ type }) => type === wanted.type);
  const present = conditions[at];
  if (present === undefined) return wanted.status === 'False' ? conditions : [...conditions, conditionAt(wanted, time)];
  const same = present.status === wanted.status && (present.reason ?? '') === wanted.reason && (present.message ?? '') === wanted.message;
  return same ? conditions : conditions.with(at, conditionAt(wanted, time));
}
