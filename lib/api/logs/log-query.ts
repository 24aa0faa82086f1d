// A request for logs: which part of which logs is meant at this moment.
import { sinceMsOf } from './log-choice.ts';
import type { LogQuery } from './log-reading.ts';

/** @param asked a time may be a span, as in 5m. @returns the query; or a sentence that says what is wrong */
export function logQueryOf({ since, ...asked }: Omit<LogQuery, 'sinceMs'> & { since?: string }, nowMs: number): LogQuery | string {
  const sinceMs = since === undefined ? undefined : sinceMsOf(since, nowMs);
  return typeof sinceMs === 'string' ? `"since" ${sinceMs}` : { ...asked, sinceMs };
}
