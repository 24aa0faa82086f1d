// The end of a Job, as its policies decide it.
export interface Verdict {
  succeeded: boolean;
  reason: string;
  message: string;
}
