// Logs of a workload's pods, piece by piece: each answer has what is new since the cursor of the one before, each line once.
import type { Ports } from '../../ports/ports.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { LOG_BYTES_MAX } from '../../wire/words/log-words.ts';
import { readLogs } from './log-access.ts';
import { cursorText, type Followed, type LogCursor } from './log-cursor.ts';
import { givenOf, holdBack, readingOf, shortUid, toldOf, type ContainerLog, type LogQuery, type Reading } from './log-reading.ts';
import { isAtItsEnd, targetsOf, type KnownWorkload, type LogTarget } from './log-targets.ts';

export interface WorkloadLogs {
  items: ContainerLog[];
  /** Pods whose logs are not shown, because that is too many at a time. */
  leftOut: { count: number; pods: string[] };
  /** The lines from the end of each log that were chosen, where nobody said how many. */
  tail?: number;
  cursor: string;
  /** More is there already. */
  hasMore: boolean;
  /** Nothing will follow: all logs that were asked for have ended, and no pod will come. */
  hasEnded: boolean;
}

const MOST_PODS = 20;
const MOST_LEFT_OUT_NAMED = 100;
/** Of each of several logs, as kubectl does. */
const TAIL_OF_SEVERAL = 10;
/** Of all logs in an answer, as they are read: as JSON they are some times as long, and a function's answer has 6 MB at most. */
const ANSWER_BYTES = 768 * 1024;
/** Pods that were created this long before the youngest known one may still show in the view. */
const LATE_SECONDS = 60;
/** More ended logs are not remembered. */
const MOST_ENDED = 100;

type LogPorts = Pick<Ports, 'lookUp' | 'queue' | 'store' | 'clock'>;

export interface LoggedWorkload extends KnownWorkload {
  record: ClusterRecord;
  namespace: string;
}

/** @returns undefined: nobody has answered for its cluster in time */
export async function workloadLogs(ports: LogPorts, workload: LoggedWorkload, query: LogQuery): Promise<WorkloadLogs | undefined> {
  const { record, namespace } = workload;
  const followedPods = new Set((query.after?.followed ?? []).filter(({ isOver }) => !isOver).map(({ pod }) => pod));
  const targets = targetsOf(workload, query, (uid) => followedPods.has(shortUid({ uid })));
  const { chosen, leftOut, since } = chosenOf(targets, query.after);
  const ended = (query.after?.followed ?? []).filter(({ isOver, createdAt }) => isOver && createdAt >= since);
  // Last lines that are cut lose their end, which is what was asked for.
  const bytes = query.after === undefined && typeof query.tail === 'number' ? LOG_BYTES_MAX : ANSWER_BYTES;
  const share = Math.floor(bytes / Math.max(chosen.length, 1));
  const tail = query.after ? undefined : tailOf(query, chosen.length);
  const readings = chosen.map((target) => readingOf(target, { query, share, tail }));
  const outcomes = await readLogs(
    ports,
    record,
    readings.filter(isRead).map((reading) => ({
      namespace,
      pod: reading.target.pod,
      wanted: {
        container: reading.target.container,
        timestamps: true,
        limitBytes: reading.limitBytes,
        ...(reading.isOfPrevious && { previous: true as const }),
        ...(reading.tail !== undefined && { tailLines: Math.max(reading.tail, 1) }),
        ...(reading.position.sinceMs !== undefined && { sinceMs: reading.position.sinceMs }),
      },
    })),
  );
  if (!outcomes) return undefined;
  const queue = [...outcomes];
  const given = readings.map((reading) => givenOf(reading, isRead(reading) ? queue.shift() : undefined, query));
  holdBack(given);
  const told = given.map((each) => toldOf(each, query));
  const followed = [...ended, ...unseenOf(targets, query.after), ...told.map(({ next }) => next)];
  const items = told.map(({ item }) => item);
  const hasMore = told.some((each) => each.hasMore);
  return {
    items,
    leftOut: { count: leftOut.length, pods: leftOut.slice(0, MOST_LEFT_OUT_NAMED).map(({ pod }) => pod) },
    ...(tail !== undefined && query.tail === undefined && { tail }),
    cursor: cursorText(withoutOldest({ since, followed })),
    hasMore,
    hasEnded: !hasMore && items.every(({ hasEnded }) => hasEnded) && (query.pod !== undefined || isAtItsEnd(workload)),
  };
}

/** A pod that is gone has no log. */
const isRead = ({ target }: Reading): boolean => !target.isGone;

/** Those that are followed already, then others, as long as there is room. */
function chosenOf(
  targets: readonly LogTarget[],
  after: LogCursor | undefined,
): { chosen: LogTarget[]; leftOut: LogTarget[]; since: number } {
  const youngest = targets.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0);
  const since = Math.max(after?.since ?? 0, youngest - LATE_SECONDS, 0);
  const known = new Map((after?.followed ?? []).map((each) => [`${each.pod}/${each.container}`, each]));
  const knownOf = (target: LogTarget): Followed | undefined => known.get(keyOf(target)) ?? known.get(`${shortUid(target)}/`);
  const open = targets.filter((target) => knownOf(target)?.isOver !== true);
  const going = open.filter((target) => knownOf(target));
  const joining = open.filter((target) => !knownOf(target) && (!after || target.createdAt >= after.since));
  const all = [...going, ...joining];
  return { chosen: all.slice(0, MOST_PODS), leftOut: all.slice(MOST_PODS), since };
}

/** Followed pods that the view does not hold at the moment: they may be back in it. */
function unseenOf(targets: readonly LogTarget[], after: LogCursor | undefined): Followed[] {
  const seen = new Set(targets.map(shortUid));
  return (after?.followed ?? []).filter(({ pod, isOver }) => !isOver && !seen.has(pod)).slice(-MOST_PODS);
}

const keyOf = (target: LogTarget): string => `${shortUid(target)}/${target.container}`;

function tailOf({ tail, sinceMs }: LogQuery, count: number): number | undefined {
  if (tail === 'all') return undefined;
  return tail ?? (count > 1 && sinceMs === undefined ? TAIL_OF_SEVERAL : undefined);
}

/** Of ended logs only the youngest are remembered; older pods do not join any more. */
function withoutOldest({ since, followed }: LogCursor): LogCursor {
  const ended = followed.filter(({ isOver }) => isOver).toSorted((a, b) => b.createdAt - a.createdAt);
  const forgotten = ended[MOST_ENDED];
  if (!forgotten) return { since, followed };
  const from = forgotten.createdAt + 1;
  return { since: Math.max(since, from), followed: followed.filter(({ isOver, createdAt }) => !isOver || createdAt >= from) };
}
