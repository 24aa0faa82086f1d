// Times and bytes as Go reads them from JSON: what it takes, what it gives back, and its words for what it does not take.
import { isTime } from '../../objects/values/time.ts';

const SECONDS = '2006-01-02T15:04:05Z07:00';
const MICROSECONDS = '2006-01-02T15:04:05.000000Z07:00';

export type GoValue = { text: string } | { problem: string };

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** One after the other: what stands there, and how Go's layout calls it. */
const ELEMENTS: readonly { name: string; pattern: RegExp; range?: [number, number, string] }[] = [
  { name: '2006', pattern: /^\d{4}/ },
  { name: '-', pattern: /^-/ },
  { name: '01', pattern: /^\d\d/, range: [1, 12, 'month'] },
  { name: '-', pattern: /^-/ },
  { name: '02', pattern: /^\d\d/ },
  { name: 'T', pattern: /^T/ },
  { name: '15', pattern: /^\d\d?/, range: [0, 23, 'hour'] },
  { name: ':', pattern: /^:/ },
  { name: '04', pattern: /^\d\d/, range: [0, 59, 'minute'] },
  { name: ':', pattern: /^:/ },
  { name: '05', pattern: /^\d\d/, range: [0, 59, 'second'] },
];

/** A time as the server gives it back: in UTC, to the second or microsecond. @param isMicro exactly six digits of a second are asked for */
export function readTime(text: string, isMicro: boolean): GoValue {
  if (!isMicro && CANONICAL.test(text) && isTime(text)) return { text };
  const layout = isMicro ? MICROSECONDS : SECONDS;
  const about = `parsing time ${JSON.stringify(text)}`;
  const unread = (rest: string, name: string): GoValue => ({
    problem: `${about} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`,
  });
  const read: number[] = [];
  let rest = text;
  for (const { name, pattern, range } of ELEMENTS) {
    const [found] = pattern.exec(rest) ?? [];
    if (found === undefined) return unread(rest, name);
    if (range && (Number(found) < range[0] || Number(found) > range[1])) return { problem: `${about}: ${range[2]} out of range` };
    if (/\d/.test(found)) read.push(Number(found));
    rest = rest.slice(found.length);
  }
  const [fraction = ''] = (isMicro ? /^[.,]\d{6}/ : /^[.,]\d+/).exec(rest) ?? [];
  if (isMicro && fraction === '') return unread(rest, '.000000');
  rest = rest.slice(fraction.length);
  const [zone, , sign, hours, minutes] = /^(Z|([+-])(\d\d):(\d\d))/.exec(rest) ?? [];
  if (zone === undefined) return unread(rest, 'Z07:00');
  if (Number(hours ?? 0) > 24) return { problem: `${about}: time zone offset hour out of range` };
  if (Number(minutes ?? 0) > 60) return { problem: `${about}: time zone offset minute out of range` };
  rest = rest.slice(zone.length);
  if (rest !== '') return { problem: `${about}: extra text: ${JSON.stringify(rest)}` };
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = read;
  if (day < 1 || day > daysOf(year, month)) return { problem: `${about}: day out of range` };
  const offsetMinutes = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour, minute - offsetMinutes, second);
  const micros = isMicro ? `.${fraction.slice(1)}` : '';
  return { text: at.toISOString().replace(/\.\d+Z$/, `${micros}Z`) };
}

/** Years are those of the calendar, not of the century. */
function daysOf(year: number, month: number): number {
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

const ALPHABET = /[A-Za-z0-9+/]/;

/** Bytes in base64 as the server gives them back: without line breaks. Padding is asked for. */
export function readBytes(text: string): GoValue {
  const wrongAt = firstWrongByte(text);
  return wrongAt === undefined ? { text: text.replaceAll(/[\r\n]/g, '') } : { problem: `illegal base64 data at input byte ${wrongAt}` };
}

/** Where Go says that it is wrong: in groups of four, an unfinished one by its beginning. */
function firstWrongByte(text: string): number | undefined {
  let at = 0;
  let within = 0;
  let padding = 0;
  for (; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === '\n' || letter === '\r') continue;
    if (padding > 0 && within === 0) return at;
    if (letter === '=') {
      if (within < 2) return at;
      padding += 1;
    } else if (padding > 0 || !ALPHABET.test(letter)) return at;
    within = (within + 1) % 4;
  }
  if (within === 0) return undefined;
  return padding > 0 ? text.length : text.length - within;
}
