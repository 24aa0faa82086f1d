// The list of conditions. Its last element is the state that people see in lists, so its order is part of the contract.
import type { JobCondition } from '../terms/job-types.ts';

export type ConditionType = 'Created' | 'Running' | 'Restarting' | 'Succeeded' | 'Suspended' | 'Failed';

export interface NewCondition {
  type: ConditionType;
  status: 'True' | 'False';
  reason: string;
  message: string;
}

type Conditions = readonly JobCondition[];

export const isTrue = (conditions: Conditions | undefined, type: ConditionType): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

/** Succeeded or failed; suspended is not finished. */
export const isOver = (conditions: Conditions | undefined): boolean => isTrue(conditions, 'Succeeded') || isTrue(conditions, 'Failed');

/** @returns the same list where nothing changes @param time RFC 3339 */
export function withCondition(conditions: JobCondition[], wanted: NewCondition, time: string): JobCondition[] {
  if (isTrue(conditions, 'Failed')) return conditions;
  const present = conditions.find(({ type }) => type === wanted.type);
  if (present?.status === wanted.status && present.reason === wanted.reason) return conditions;
  const lastTransitionTime = present?.status === wanted.status ? (present.lastTransitionTime ?? time) : time;
  const { type, status, reason, message } = wanted;
  const isTerminal = type === 'Failed' || type === 'Succeeded';
  const others = conditions
    .filter((condition) => condition.type !== type && condition.type !== OPPOSITE[type])
    .map((condition) => (isTerminal && condition.type === 'Running' ? { ...condition, status: 'False' } : condition));
  return [...others, { type, status, reason, message, lastUpdateTime: time, lastTransitionTime }];
}

/** One of the two drops the other, even as it becomes False. */
const OPPOSITE: Partial<Record<ConditionType, ConditionType>> = { Restarting: 'Running', Running: 'Restarting' };

export const withConditions = (conditions: JobCondition[], wanted: readonly NewCondition[], time: string): JobCondition[] =>
  wanted.reduce((list, condition) => withCondition(list, condition, time), conditions);

/** Conditions of a job, with the first of all. @param time RFC 3339 */
export function createdConditions(
  { kind, name }: { kind: string; name: string },
  present: JobCondition[] | undefined,
  time: string,
): JobCondition[] {
  if (present && present.length > 0) return present;
  return withCondition([], { type: 'Created', status: 'True', reason: `${kind}Created`, message: `${kind} ${name} is created.` }, time);
}
