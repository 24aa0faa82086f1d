// One container's log in one answer: what is to be read of it, which of the lines read are new, and where it goes on.
import { createHash } from 'node:crypto';
import { linesIn, type LoggedLine } from '../../objects/logs/log-lines.ts';
import { BEGINNING, BEGINS_ANEW, freshFrom, positionAfter, type LogPosition } from '../../objects/logs/log-position.ts';
import { LOG_BYTES_MAX } from '../../wire/words/log-words.ts';
import type { LogOutcome } from './log-access.ts';
import type { Followed, LogCursor } from './log-cursor.ts';
import { problemOf, type LogProblem } from './log-problems.ts';
import type { LogSelection, LogTarget } from './log-targets.ts';

export interface LogQuery extends LogSelection {
  previous?: boolean | undefined;
  /** Unix milliseconds. */
  sinceMs?: number | undefined;
  /** Lines of each container from its end; undefined: all of one container, some of several. */
  tail?: number | 'all' | undefined;
  after?: LogCursor | undefined;
}

export interface ContainerLog extends Pick<LogTarget, 'pod' | 'uid' | 'container' | 'others' | 'index' | 'replica' | 'restarts' | 'end'> {
  lines: { time?: string; text: string }[];
  /** Lines that are missing before these, in words. */
  gap?: string;
  /** Why there is no log. */
  problem?: string;
  /** The pod, or its log, is not there any more. */
  isGone: boolean;
  /** Nothing will follow. */
  hasEnded: boolean;
}

/** A read of one container's log, and from where. */
export interface Reading {
  target: LogTarget;
  position: LogPosition;
  run: number;
  /** The first time. */
  isNew: boolean;
  isOfPrevious: boolean;
  /** Another log begins here, of which the position says only how late its lines are. */
  isNewRun: boolean;
  tail: number | undefined;
  limitBytes: number;
}

/** The lines that a read gave, and which of them are new. */
export interface Given {
  reading: Reading;
  lines: readonly LoggedLine[];
  from: number;
  upTo: number;
  isCut: boolean;
  gap?: string;
  failure?: Extract<LogOutcome, { failure: unknown }>['failure'];
}

/** API servers choose lines by the second. */
const GRAIN_MS = 1_000;

export const shortUid = ({ uid }: Pick<LogTarget, 'uid'>): string => createHash('sha256').update(uid).digest('base64url').slice(0, 8);

export function readingOf(
  target: LogTarget,
  { query, share, tail }: { query: LogQuery; share: number; tail: number | undefined },
): Reading {
  const { after, previous = false } = query;
  const before = after?.followed.find(
    (each) => each.pod === shortUid(target) && (each.container === target.container || each.container === ''),
  );
  const { sinceMs } = query;
  const position =
    before?.position ?? (sinceMs === undefined ? BEGINNING : { sinceMs: Math.floor(sinceMs / GRAIN_MS) * GRAIN_MS, given: 0, bytes: 0 });
  // It was started again since: the rest of the run before comes first.
  const wasStartedAgain = !previous && before !== undefined && before.run < target.restarts;
  return {
    target,
    position,
    run: before?.run ?? target.restarts,
    isNew: before === undefined,
    isOfPrevious: previous || wasStartedAgain,
    isNewRun: before?.isNewRun === true,
    tail: before === undefined ? tail : before.tail,
    limitBytes: Math.min(position.bytes + share, LOG_BYTES_MAX),
  };
}

export function givenOf(reading: Reading, outcome: LogOutcome | undefined, { sinceMs, previous }: LogQuery): Given {
  const { position, target, isNew, isOfPrevious, tail } = reading;
  const nothing = { reading, lines: [], from: 0, upTo: 0, isCut: false };
  if (!outcome) return nothing;
  if ('failure' in outcome)
    return {
      ...nothing,
      failure: outcome.failure,
      ...(isOfPrevious && previous !== true && { gap: 'what the run before wrote last is not there any more' }),
    };
  const { isCut } = outcome;
  const lines = linesIn(outcome.text, { isWhole: !isCut && (target.isOver || isOfPrevious) });
  const { from: fresh, isLost } = freshFrom(position, lines, reading);
  // API servers hand whole seconds on.
  const early = isNew && sinceMs !== undefined ? lines.findIndex(({ time }) => time === undefined || Date.parse(time) >= sinceMs) : 0;
  const from = tail === 0 || early < 0 ? lines.length : Math.max(fresh, early);
  const wasRotated = isLost && !isOfPrevious;
  return {
    reading,
    lines,
    from,
    upTo: lines.length,
    isCut,
    ...(wasRotated && { gap: BEGINS_ANEW }),
  };
}

/** Merged by time, no line may come before one of a log of which the rest is yet to be read. */
export function holdBack(given: readonly Given[]): void {
  const ends = given.flatMap(({ isCut, lines, from, upTo }) => {
    const time = isCut && upTo > from ? lines[upTo - 1]?.time : undefined;
    return time === undefined ? [] : [time];
  });
  const [first] = ends.toSorted();
  if (first === undefined || given.length === 1) return;
  for (const each of given) {
    // Nothing else remembers which lines were chosen from the end.
    if (each.reading.tail !== undefined) continue;
    const later = each.lines.findIndex(({ time }, at) => at >= each.from && time !== undefined && time > first);
    if (later >= 0) each.upTo = later;
  }
}

export function toldOf(given: Given, query: LogQuery): { item: ContainerLog; next: Followed; hasMore: boolean } {
  const { reading, lines, from, upTo, isCut, failure } = given;
  const { target, isOfPrevious, tail } = reading;
  const { pod, uid, container, others, index, replica, restarts, end, createdAt } = target;
  const isEndOfRun = isOfPrevious && query.previous !== true && !target.isGone;
  const { position, gap = given.gap, isStuck = false } = positionOf(given);
  const hasRest = !isStuck && (upTo < lines.length || isCut);
  const problem = problemIn(given, { isStuck, isNarrow: query.sinceMs !== undefined });
  // The end of a run before is not what anybody asked for.
  const shown = isEndOfRun ? undefined : problem;
  const isReadToItsEnd = !failure && !hasRest && (target.isOver || query.previous === true);
  const hasEnded = !isEndOfRun && (shown?.isFinal === true || isReadToItsEnd);
  return {
    item: {
      pod,
      uid,
      container,
      others,
      ...(index !== undefined && { index }),
      ...(replica !== undefined && { replica }),
      restarts,
      lines: lines.slice(from, upTo).map(({ time, text }) => ({ ...(time !== undefined && { time }), text: text.replace(/\r$/, '') })),
      ...(gap !== undefined && { gap }),
      ...(shown && { problem: shown.text }),
      isGone: shown?.isGone === true,
      ...(end && { end }),
      hasEnded,
    },
    next: {
      pod: shortUid(target),
      container,
      createdAt,
      run: isEndOfRun && !hasRest ? restarts : reading.run,
      position,
      ...(((isEndOfRun && !hasRest) || (reading.isNewRun && upTo === from)) && { isNewRun: true as const }),
      ...(failure && tail !== undefined && { tail }),
      ...(hasEnded && { isOver: true as const }),
    },
    hasMore: hasRest || isEndOfRun,
  };
}

function problemIn(
  { reading, lines, failure }: Given,
  { isStuck, isNarrow }: { isStuck: boolean; isNarrow: boolean },
): LogProblem | undefined {
  const { target, isNew } = reading;
  if (target.isGone || failure) return problemOf(target, failure);
  if (isStuck)
    return {
      text: `the log of pod ${target.pod} has no times and is too long: ask for the lines at its end`,
      isFinal: true,
      isGone: false,
    };
  // A pod that runs nothing yet has an empty log, and no API server says why.
  if (!isNew || lines.length > 0 || target.isOver || target.phase !== 'Pending' || isNarrow) return undefined;
  const why = target.waits === undefined ? '' : `: ${target.waits}`;
  return { text: `pod ${target.pod} has not started${why}`, isFinal: false, isGone: false };
}

function positionOf({ reading, lines, from, upTo, isCut, failure }: Given): ReturnType<typeof positionAfter> {
  const { position, tail, limitBytes } = reading;
  if (failure) return { position };
  const isFromEnd = tail !== undefined && lines.length >= Math.max(tail, 1);
  return positionAfter({ position, lines, from, upTo, isCut, isFromEnd }, { limitBytes, mostBytes: LOG_BYTES_MAX, grainMs: GRAIN_MS });
}
