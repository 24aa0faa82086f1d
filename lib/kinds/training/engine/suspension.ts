// A job that is suspended runs nothing; one that is resumed begins its time anew.
import type { Terms } from '../terms/framework.ts';
import type { NewEvent } from '../objects/actions.ts';
import { isTrue, type NewCondition } from '../status/conditions.ts';
import type { JobCondition } from '../terms/job-types.ts';

export interface SuspensionChange {
  conditions: NewCondition[];
  /** Emitted once, as the condition changes. */
  event?: NewEvent;
}

export function suspension({ framework: { kind }, name }: Terms, conditions: readonly JobCondition[] | undefined): SuspensionChange {
  const [reason, message] = [`${kind}Suspended`, `${kind} ${name} is suspended.`];
  const isNew = !isTrue(conditions, 'Suspended');
  return {
    conditions: [
      ...(isTrue(conditions, 'Running') ? [{ type: 'Running', status: 'False', reason, message } as const] : []),
      ...(isNew ? [{ type: 'Suspended', status: 'True', reason, message } as const] : []),
    ],
    ...(isNew && { event: { type: 'Normal', reason, message, evenUnanswered: true } }),
  };
}

/** Undefined for a job that was not suspended. */
export function resumption(
  { framework: { kind }, name }: Terms,
  conditions: readonly JobCondition[] | undefined,
): SuspensionChange | undefined {
  if (!isTrue(conditions, 'Suspended')) return undefined;
  const [reason, message] = [`${kind}Resumed`, `${kind} ${name} is resumed.`];
  return {
    conditions: [{ type: 'Suspended', status: 'False', reason, message }],
    event: { type: 'Normal', reason, message, evenUnanswered: true },
  };
}

/** A pod that went for the suspension of this time. @param suspendedAt Unix seconds */
export const wasSuspended = ({ deletedAt, createdAt }: { deletedAt?: number; createdAt: number }, suspendedAt: number): boolean =>
  deletedAt !== undefined && createdAt <= suspendedAt;

/**
 * A pod from before the job was resumed, on its way out: it only holds its slot. The conditions show a resumption once the status has said that
 * the job is suspended; `suspendedAt` shows the one that came before that.
 */
export const isFromBefore = (
  { deletedAt, createdAt }: { deletedAt?: number; createdAt: number },
  {
    conditions,
    startedAt,
    suspendedAt,
  }: { conditions: readonly JobCondition[] | undefined; startedAt: number | undefined; suspendedAt: number | undefined },
): boolean => {
  if (deletedAt === undefined) return false;
  if (suspendedAt !== undefined && wasSuspended({ deletedAt, createdAt }, suspendedAt)) return true;
  const wasResumed = conditions?.some(({ type, status }) => type === 'Suspended' && status === 'False') ?? false;
  return wasResumed && startedAt !== undefined && createdAt < startedAt;
};
