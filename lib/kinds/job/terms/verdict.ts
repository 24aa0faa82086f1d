// The end of a Job, decided by its policies.
export interface Verdict {
  succeeded: boolean;
  reason: string;
  message: string;
}
