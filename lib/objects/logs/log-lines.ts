// Lines of a log as API servers write them with `timestamps=true`: a time, a blank, the text. A provider of a virtual node may know no times.
import { createHash } from 'node:crypto';

export interface LoggedLine {
  /** RFC 3339, UTC, with nine digits: as texts they are in the order of time. */
  time?: string;
  text: string;
  /** As it stands in the log, with time and line break; the last one of a log may have none. */
  whole: string;
}

const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2}) ?/;

/**
 * @param isWhole the text ends where the log ends for good. Else a last line without its line break is left for later: more of it may come
 */
export function linesIn(text: string, { isWhole }: { isWhole: boolean }): LoggedLine[] {
  const parts = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (!isWhole && parts.at(-1)?.endsWith('\n') === false) parts.pop();
  return parts.map(lineOf);
}

function lineOf(whole: string): LoggedLine {
  const line = whole.endsWith('\n') ? whole.slice(0, -1) : whole;
  const [prefix = '', local = '', fraction = '', zone = 'Z'] = TIME.exec(line) ?? [];
  const ms = prefix === '' ? Number.NaN : Date.parse(`${local}${zone}`);
  if (Number.isNaN(ms)) return { text: line, whole };
  return { time: `${new Date(ms).toISOString().slice(0, 19)}.${fraction.padEnd(9, '0')}Z`, text: line.slice(prefix.length), whole };
}

/** Enough to find a line again among those of a few seconds. */
export const markOf = ({ time = '', text }: LoggedLine): string =>
  createHash('sha256').update(`${time} ${text}`).digest('base64url').slice(0, 8);
