// Lines of one or several logs, merged by time as they come, until nobody looks.
import { useEffect, useState } from 'preact/hooks';
import type { WorkloadLogs } from './answers.ts';
import { ApiProblem } from '../../api-client/problems.ts';
import { readOnce } from './call.ts';
import { pausedAtMs } from './freshness.ts';

export interface LogLine {
  id: number;
  /** Pod and container; empty where there is one log only. */
  of: string;
  time?: string;
  text: string;
  /** Not a line of the log: a gap, an end, a problem. */
  isNote?: true;
}

export interface LogState {
  lines: readonly LogLine[];
  /** Oldest lines that had to go. */
  dropped: number;
  leftOut: readonly string[];
  problem?: string;
  hasEnded: boolean;
  isLoaded: boolean;
}

const MOST_LINES = 20_000;
const AGAIN_MS = 1_500;
const FAILED_AGAIN_MS = 3_000;
/** Of refusals that are over when somebody has signed in, or the cluster has time again. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([401, 429]);
const NOTHING: LogState = { lines: [], dropped: 0, leftOut: [], hasEnded: false, isLoaded: false };

let lastId = 0;

/** Lines of an answer in the order of their times; lines without one stay behind the line before them. */
function linesIn({ items }: WorkloadLogs, known: Set<string>): LogLine[] {
  const isOne = items.length === 1 && known.size <= 1;
  const lines: (LogLine & { at: string })[] = [];
  for (const item of items) {
    const place = `${item.pod}/${item.container}`;
    known.add(place);
    const of = isOne ? '' : item.others === undefined ? item.pod : place;
    const note = (text: string, at: string): void => void lines.push({ id: ++lastId, of, text, at, isNote: true });
    let at = '';
    if (item.gap !== undefined) note(item.gap, item.lines[0]?.time ?? '');
    for (const { time, text } of item.lines) {
      at = time ?? at;
      lines.push({ id: ++lastId, of, text, at, ...(time !== undefined && { time }) });
    }
    const noted = `${place} ${item.problem ?? ''} ${item.hasEnded}`;
    if (item.problem !== undefined && !known.has(noted)) note(item.problem, '\uFFFF');
    else if (item.hasEnded && !known.has(noted)) note(endText(item), '\uFFFF');
    known.add(noted);
  }
  return lines
    .toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : one.id - other.id))
    .map(({ at: _at, ...line }) => line);
}

function endText({ end, pod }: WorkloadLogs['items'][number]): string {
  const code: unknown = end === undefined ? undefined : Reflect.get(end, 'exitCode');
  const reason: unknown = end === undefined ? undefined : Reflect.get(end, 'reason');
  const parts = [
    ...(typeof code === 'number' ? [`exit code ${code}`] : []),
    ...(typeof reason === 'string' && reason !== '' ? [reason] : []),
  ];
  return `the log of ${pod} ends here${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

/** @param path of the API with its query, without a cursor */
export function useLogs(path: string): LogState {
  const [state, setState] = useState<LogState>(NOTHING);
  useEffect(() => {
    const stopping = new AbortController();
    const known = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let cursor: string | undefined;
    setState(NOTHING);
    const round = async (): Promise<void> => {
      let pauseMs = AGAIN_MS;
      try {
        const asked = cursor === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(cursor)}`;
        const data = await readOnce<WorkloadLogs>(asked, stopping.signal);
        if (stopping.signal.aborted) return;
        cursor = data.cursor;
        const fresh = linesIn(data, known);
        setState((before) => {
          const lines = fresh.length === 0 ? before.lines : [...before.lines, ...fresh];
          const excess = Math.max(0, lines.length - MOST_LINES);
          return {
            lines: excess > 0 ? lines.slice(excess) : lines,
            dropped: before.dropped + excess,
            leftOut: data.leftOut.pods,
            hasEnded: data.hasEnded,
            isLoaded: true,
          };
        });
        if (data.hasEnded) return;
        if (data.hasMore) pauseMs = 0;
      } catch (error) {
        if (stopping.signal.aborted) return;
        const message = error instanceof Error ? error.message : String(error);
        setState((before) => ({ ...before, isLoaded: true, problem: message }));
        if (error instanceof ApiProblem && error.status !== undefined && error.status < 500 && !PASSING_STATUSES.has(error.status)) return;
        pauseMs = FAILED_AGAIN_MS;
      }
      timer = setTimeout(next, pauseMs);
    };
    // Nobody looks, or somebody wants to look at these.
    const next = (): void => {
      if (document.hidden || pausedAtMs.value !== undefined) timer = setTimeout(next, AGAIN_MS);
      else void round();
    };
    void round();
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [path]);
  return state;
}
