// Times in Kubernetes' format: RFC 3339, at least to the second, with a zone.
import { LARGEST_INT64 } from './integers.ts';

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(\d\d):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Rejects a time without a zone: the same text would be another time on each machine. */
export function isTime(text: string): boolean {
  const [, date, hour] = RFC_3339.exec(text) ?? [];
  return date !== undefined && hour !== '24' && !Number.isNaN(Date.parse(text)) && isDate(date);
}

/** Rejects 30 February, which `Date` would move to March. */
const isDate = (date: string): boolean => Number(date.slice(-2)) <= 28 || new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);

/** The limit of Go's `time.Duration`: nanoseconds in 64 bits, about 292 years. */
const LONGEST_DURATION_SECONDS = 9_223_372_036;

/** Whole seconds as upstream computes with them: values beyond a `time.Duration` wrap around, many of them to below 0. */
export function durationSecondsOf(seconds: number): number {
  if (Math.abs(seconds) <= LONGEST_DURATION_SECONDS) return seconds;
  const whole = BigInt(seconds);
  // 2^63 stands for the largest integer, which a number cannot hold exactly.
  return Number(BigInt.asIntN(64, (whole > LARGEST_INT64 ? LARGEST_INT64 : whole) * 1_000_000_000n)) / 1_000_000_000;
}

/** Whether a `time.Duration` can hold so many seconds, from 0 on. */
export const isDurationSeconds = (seconds: number): boolean => seconds >= 0 && seconds <= LONGEST_DURATION_SECONDS;
