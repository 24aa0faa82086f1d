// Since when, and how many lines: as people spell it, on the command line and in a query.
import { spanMsOf } from '../../objects/values/span.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;
/** Clocks differ by so much. */
const AHEAD_MS_MAX = 60_000;

/** @returns Unix milliseconds; or what is wrong, as a sentence goes on after the word's name */
export function sinceMsOf(text: string, nowMs: number): number | string {
  const ms = spanMsOf(text);
  if (ms !== undefined) return ms > 0 ? Math.max(Math.floor(nowMs - ms), 0) : 'must be longer than nothing';
  const atMs = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs)) return 'must be a span such as 5m or 1h30m, or a time such as 2026-05-01T10:00:00Z';
  if (atMs > nowMs + AHEAD_MS_MAX) return `is in the future: it is ${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  return Math.max(atMs, 0);
}

/** @returns the number of lines; or what is wrong */
export function tailOf(text: string): number | 'all' | { problem: string } {
  if (text === '-1' || text === 'all') return 'all';
  return /^\d{1,9}$/.test(text) ? Number(text) : { problem: 'must be a number of lines, or -1 for all' };
}
