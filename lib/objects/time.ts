// Times as Kubernetes writes and takes them: RFC 3339, to the second at least, and with a zone.
import { LARGEST_INT64 } from './integers.ts';

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T(\d\d):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Without a zone the same text would be another time on every machine: that is none. */
export function isTime(text: string): boolean {
  const [, date, hour] = RFC_3339.exec(text) ?? [];
  return date !== undefined && hour !== '24' && !Number.isNaN(Date.parse(text)) && isDate(date);
}

/** February has no 30th day, whatever `Date` makes of it. */
const isDate = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);

/** What Go's `time.Duration` holds: nanoseconds of 64 bits, some 292 years. */
const LONGEST_DURATION_SECONDS = 9_223_372_036;

/** Whole seconds as the reference reckons with them: more than a `time.Duration` holds wrap around, many of them to below 0. */
export function durationSecondsOf(seconds: number): number {
  if (Math.abs(seconds) <= LONGEST_DURATION_SECONDS) return seconds;
  const whole = BigInt(seconds);
  // The largest of all is one that a number here cannot hold.
  return Number(BigInt.asIntN(64, (whole > LARGEST_INT64 ? LARGEST_INT64 : whole) * 1_000_000_000n)) / 1_000_000_000;
}

/** Whether a `time.Duration` holds so many seconds, from 0 on. */
export const isDurationSeconds = (seconds: number): boolean => seconds >= 0 && seconds <= LONGEST_DURATION_SECONDS;
