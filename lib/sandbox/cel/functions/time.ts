// Moments and lengths of time: how they are read, written and taken apart.
import { Duration, EvaluationError, Timestamp } from '../values/values.ts';
import type { Line } from './line.ts';

const second = 1_000_000_000n;

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
};

/** `1h30m`, `-1.5s`, `0`. @throws EvaluationError */
export function durationOf(text: string): Duration {
  const problem = `type conversion error from 'string' to 'google.protobuf.Duration'`;
  // More digits than any duration has.
  if (text.length > 200) throw new EvaluationError(problem);
  const [, sign, amounts = ''] = /^([-+]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text) ?? [];
  if (sign === undefined) throw new EvaluationError(problem);
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of amounts.matchAll(/(?<!\d)(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const size = unitNanos[unit] ?? 1n;
    nanos += BigInt(whole || '0') * size + (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
  }
  return new Duration(sign === '-' ? -nanos : nanos);
}

/** In seconds, as CEL's string() gives it: `90.5s` */
export const durationText = ({ nanos }: Duration): string => `${decimal(nanos, 9)}s`;

/** A number of the smallest part as a decimal number of the whole. */
function decimal(amount: bigint, places: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/(?<!0)0+$/, '');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -places)}${fraction && `.${fraction}`}`;
}

/** RFC 3339. @throws EvaluationError */
export function timestampOf(text: string): Timestamp {
  const problem = `type conversion error from 'string' to 'google.protobuf.Timestamp'`;
  const [, date = '', time = '', fraction = '', zone = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[-+]\d\d:\d\d)$/.exec(text) ?? [];
  const milliseconds = Date.parse(`${date}T${time}${zone}`);
  if (date === '' || Number.isNaN(milliseconds) || !isDay(date)) throw new EvaluationError(problem);
  const [, sign, hours = '0', minutes = '0'] = /^([-+])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return new Timestamp(BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0') || '0'), offsetMinutes);
}

/** The calendar has it: 30 February would be taken for 1 March. */
const isDay = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);

/** `2024-02-29`, midnight UTC. @throws EvaluationError */
export const dateOf = (text: string): Timestamp => timestampOf(`${text}T00:00:00Z`);

/** RFC 3339 in the zone that it came in, as many digits after the second as there are. */
export function timestampText({ nanos, offsetMinutes }: Timestamp): string {
  const fraction = ((nanos % second) + second) % second;
  const whole = new Date(Number((nanos - fraction) / 1_000_000n) + offsetMinutes * 60_000).toISOString().slice(0, 19);
  const digits = decimal(fraction, 9).slice(1);
  if (offsetMinutes === 0) return `${whole}${digits}Z`;
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${whole}${digits}${offsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`;
}

/** The moment as a clock of a time zone shows it, in a Date whose UTC fields hold that. @throws EvaluationError */
function shownIn({ nanos }: Timestamp, zone: string): Date {
  const moment = new Date(Number((nanos - (((nanos % second) + second) % second)) / 1_000_000n));
  const [, sign, hours, minutes] = /^([-+]?)(\d\d):(\d\d)$/.exec(zone) ?? [];
  if (hours !== undefined && minutes !== undefined)
    return new Date(moment.getTime() + (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000);
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(moment);
    const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value ?? 0);
    return new Date(Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')));
  } catch (cause) {
    throw new EvaluationError(`unknown time zone ${zone}`, { cause });
  }
}

const dayOfYear = (date: Date): number =>
  Math.round((Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);

const parts: readonly (readonly [name: string, read: (date: Date) => number])[] = [
  ['getFullYear', (date) => date.getUTCFullYear()],
  ['getMonth', (date) => date.getUTCMonth()],
  ['getDayOfYear', dayOfYear],
  ['getDate', (date) => date.getUTCDate()],
  ['getDayOfMonth', (date) => date.getUTCDate() - 1],
  ['getDayOfWeek', (date) => date.getUTCDay()],
  ['getHours', (date) => date.getUTCHours()],
  ['getMinutes', (date) => date.getUTCMinutes()],
  ['getSeconds', (date) => date.getUTCSeconds()],
];

const milliseconds = ({ nanos }: Timestamp): bigint => (((nanos % second) + second) % second) / 1_000_000n;

export const timeParts: readonly Line[] = [
  ...parts.flatMap(([name, read]): Line[] => [
    [`Timestamp.${name}(): int`, (moment: Timestamp) => BigInt(read(shownIn(moment, 'UTC')))],
    [`Timestamp.${name}(string): int`, (moment: Timestamp, zone: string) => BigInt(read(shownIn(moment, zone)))],
  ]),
  ['Timestamp.getMilliseconds(): int', milliseconds],
  ['Timestamp.getMilliseconds(string): int', milliseconds],
  ['Duration.getHours(): int', ({ nanos }: Duration) => nanos / (3600n * second)],
  ['Duration.getMinutes(): int', ({ nanos }: Duration) => nanos / (60n * second)],
  ['Duration.getSeconds(): int', ({ nanos }: Duration) => nanos / second],
  ['Duration.getMilliseconds(): int', ({ nanos }: Duration) => nanos / 1_000_000n],
];
