// The terms of a Job: its spec with defaults for missing fields, read once per plan.
import { LARGEST_INT32 } from '../../../objects/values/integers.ts';
import type { Job, JobSpec } from '../../../objects/kubernetes.ts';
import { replacesOnlyFailed } from './pod-replacement.ts';

export interface Terms {
  indexed: boolean;
  /** Unset for a work queue: the first success ends it. */
  completions: number | undefined;
  parallelism: number;
  backoffLimit: number;
  /** Set only for Indexed Jobs that count failures per index. */
  perIndexLimit: number | undefined;
  suspended: boolean;
  /** The Job itself is being deleted. */
  deleting: boolean;
  /** A terminating pod is neither failed nor replaced before its phase is Failed. */
  replacesOnlyFailed: boolean;
}

/** Missing fields get the API server's defaults. */
export function termsOf({ metadata, spec }: Job): Terms {
  const indexed = spec.completionMode === 'Indexed';
  const perIndexLimit = indexed ? spec.backoffLimitPerIndex : undefined;
  return {
    indexed,
    completions: spec.completions,
    parallelism: spec.parallelism ?? 1,
    backoffLimit: spec.backoffLimit ?? (perIndexLimit === undefined ? 6 : LARGEST_INT32),
    perIndexLimit,
    suspended: spec.suspend === true,
    deleting: metadata.deletionTimestamp !== undefined,
    replacesOnlyFailed: replacesOnlyFailed(spec),
  };
}

/** Whether the completion mode is one that this planner knows; absent means NonIndexed. */
export const isKnownMode = ({ completionMode }: JobSpec): boolean =>
  completionMode === undefined || completionMode === 'Indexed' || completionMode === 'NonIndexed';
