// Reason codes of Jobs alone, each with its state. The state counts if no reason before it has one.
import type { CommonReason } from '../../rows/reasons.ts';
import type { ReasonState } from '../../rows/state.ts';

export const JOB_REASONS = {
  // ended
  Completed: undefined,
  SuccessPolicyMet: undefined,
  BackoffLimitExceeded: undefined,
  DeadlineExceeded: undefined,
  PodFailurePolicyMatched: undefined,
  FailedIndexes: undefined,
  MaxFailedIndexesExceeded: undefined,
  // not managed
  UnknownCompletionMode: 'Waiting',
  UnreadableSelector: 'Waiting',
  // waiting
  NoParallelism: 'Waiting',
  IndexBackingOff: 'BackingOff',
} as const satisfies Record<string, ReasonState | undefined>;

export type JobReasonCode = CommonReason | keyof typeof JOB_REASONS;
