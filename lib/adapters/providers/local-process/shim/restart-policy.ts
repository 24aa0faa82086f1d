// Whether a container that ended is started again, and when.

const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
/** After so long without a restart the wait begins anew: a run that lasts is no crash loop. */
const FORGOTTEN_AFTER_MS = 600_000;

export interface Backoff {
  ms: number;
  /** When it was lengthened last. */
  atMs: number;
}

/** @param isSidecar an init container that stays: it is always started again */
export function isRestarted(policy: string | undefined, exitCode: number, isSidecar: boolean): boolean {
  if (isSidecar) return true;
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}

/** The first restart comes at once, the next one 10 s after the end, then 20 s, … 5 min. */
export function restartAfter(
  backoff: Backoff | undefined,
  finishedAtMs: number,
  firstMs = FIRST_MS,
): { startAtMs: number; backoff: Backoff } {
  if (!backoff || finishedAtMs - backoff.atMs > FORGOTTEN_AFTER_MS)
    return { startAtMs: finishedAtMs, backoff: { ms: firstMs, atMs: finishedAtMs } };
  const startAtMs = finishedAtMs + backoff.ms;
  return { startAtMs, backoff: { ms: Math.min(backoff.ms * 2, LONGEST_MS), atMs: startAtMs } };
}

/** As a person reads it: `10s`, `2m40s`. */
export function waitText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
