// Facts of pods that training jobs decide by beside `node`, `podReason`, `containerWords` and `unmetCondition`.
import type { PodFacts } from '../../objects/pod-facts.ts';

/** Annotation: failures of the slot that were handled before this pod was made. */
export const SLOT_FAILURES = 'farloop.dev/slot-failures';
/** Annotation: failures of the whole job that were handled before this pod was made. */
export const JOB_FAILURES = 'farloop.dev/job-failures';
/** Annotation of a job: completed slots whose pod is gone, as index ranges of slot numbers. */
export const COMPLETED_SLOTS = 'farloop.dev/completed-slots';

export interface TrainingPodFacts extends PodFacts {
  /** From `farloop.dev/slot-failures`: whole, 0 or more. */
  slotFailures?: number;
  /** From `farloop.dev/job-failures`: the same. */
  jobFailures?: number;
}
