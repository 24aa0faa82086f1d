// How far a container's log was given, and where it goes on. A log is read anew from a moment, so a position is a moment and how many lines since then
// were given; the last one of them shows whether the log is still the one that it was.
import * as v from 'valibot';
import { markOf, type LoggedLine } from './log-lines.ts';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const LogPosition = v.strictObject({
  /** Unix milliseconds. Absent: from the log's beginning. */
  sinceMs: v.optional(count),
  /** Lines since then. Absent: not known, because the log was first read from near its end. */
  given: v.optional(count),
  /** Bytes that are read over again to come to what is new. */
  bytes: count,
  /** Of the line given last. */
  mark: v.optional(v.string()),
  time: v.optional(v.string()),
});
export type LogPosition = v.InferOutput<typeof LogPosition>;

export const BEGINNING: LogPosition = { given: 0, bytes: 0 };

export const BEGINS_ANEW = 'the log begins anew here: lines before may be missing';

/**
 * @param lines all since the position's moment
 * @param isNewRun the lines are of a log that began after the one of the position
 * @returns at which of them it goes on. `isLost`: the log does not hold what was given before, so lines in between may be lost
 */
export function freshFrom(
  { sinceMs, given, mark, time }: LogPosition,
  lines: readonly LoggedLine[],
  { isNewRun = false }: { isNewRun?: boolean } = {},
): { from: number; isLost: boolean } {
  // It may have begun in the moment in which the one before ended.
  if (isNewRun) {
    const first = lines.findIndex((line) => time === undefined || line.time === undefined || line.time >= time);
    return { from: first < 0 ? lines.length : first, isLost: false };
  }
  if (mark === undefined) {
    const first = lines.findIndex((line) => !isBefore(line, sinceMs));
    return { from: first < 0 ? lines.length : first, isLost: false };
  }
  const last = given === undefined ? undefined : lines[given - 1];
  if (given !== undefined && last && markOf(last) === mark) return { from: given, isLost: false };
  const found = lines.findLastIndex((line) => markOf(line) === mark);
  if (found >= 0) return { from: found + 1, isLost: false };
  // A kubelet reads the newest file of a log alone, and a container that was started again has another log.
  const later = lines.findIndex((line) => time === undefined || line.time === undefined || line.time > time);
  return { from: later < 0 ? lines.length : later, isLost: later >= 0 };
}

/** A read from a position. */
export interface Piece {
  position: LogPosition;
  lines: readonly LoggedLine[];
  /** Lines before were given earlier. */
  from: number;
  /** Lines from here on are given later. */
  upTo: number;
  /** It ends where it was cut, maybe within a line. */
  isCut: boolean;
  /** The log was read from near its end: lines of the same moment may stand before. */
  isFromEnd: boolean;
}

export interface PieceBounds {
  /** The piece had so many bytes at most. */
  limitBytes: number;
  /** As many as any piece may have. */
  mostBytes: number;
  /** The moments from which the log can be read are whole multiples of it: API servers choose lines by the second. */
  grainMs: number;
}

/**
 * Where the log goes on. Where a piece brought nothing new, the next one is larger, and then a moment that is too full is passed over.
 * @returns gap: what is left out, in words. isStuck: it cannot go on, for the log cannot be read from a moment on
 */
export function positionAfter(piece: Piece, bounds: PieceBounds): { position: LogPosition; gap?: string; isStuck?: true } {
  const { position, lines, from, upTo, isCut } = piece;
  if (upTo > from || !isCut || upTo < lines.length) return { position: positionAt(piece, bounds) };
  if (bounds.limitBytes < bounds.mostBytes) return { position: { ...position, bytes: bounds.limitBytes } };
  const behind = positionBehind(position, lines, bounds);
  if (!behind) return { position, isStuck: true };
  const moment = bounds.grainMs === 1 ? 'at one time' : 'within one second';
  return { position: behind, gap: `more than can be read was written ${moment}: the rest of it is left out here` };
}

function positionAt({ position: before, lines, upTo, isFromEnd }: Piece, { grainMs }: PieceBounds): LogPosition {
  const given = lines.slice(0, upTo);
  // Where times go back, the latest one counts: a read from then on must show the last line again.
  const times = given.flatMap(({ time }) => (time === undefined ? [] : [momentOf(time, grainMs)]));
  const sinceMs = times.reduce<number | undefined>((latest, ms) => Math.max(latest ?? 0, ms), before.sinceMs);
  const ofMoment = given.filter(({ time }) => sinceMs === undefined || time === undefined || momentOf(time, grainMs) >= sinceMs);
  const last = ofMoment.at(-1);
  if (!last) return before;
  return {
    ...(sinceMs !== undefined && { sinceMs }),
    ...(!isFromEnd && { given: ofMoment.length }),
    bytes: ofMoment.reduce((sum, { whole }) => sum + Buffer.byteLength(whole), 0),
    mark: markOf(last),
    ...(last.time !== undefined && { time: last.time }),
  };
}

/** @returns undefined for a log without times, and for one that is given from its beginning all the same */
function positionBehind({ sinceMs, time }: LogPosition, lines: readonly LoggedLine[], { grainMs }: PieceBounds): LogPosition | undefined {
  if (lines.length > 0 && lines.every((line) => isBefore(line, sinceMs))) return undefined;
  const first = lines.find((line) => line.time !== undefined)?.time;
  const fromMs = sinceMs ?? (first === undefined ? undefined : momentOf(first, grainMs));
  if (fromMs === undefined) return undefined;
  return { sinceMs: fromMs + grainMs, given: 0, bytes: 0, ...(time !== undefined && { time }) };
}

/** A provider may pass over the moment that it was asked for. */
const isBefore = ({ time }: LoggedLine, sinceMs: number | undefined): boolean =>
  time !== undefined && sinceMs !== undefined && Date.parse(time) < sinceMs;

const momentOf = (time: string, grainMs: number): number => Math.floor(Date.parse(time) / grainMs) * grainMs;
