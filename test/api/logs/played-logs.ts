// A cluster that has logs, chosen as a kubelet chooses: by the second, then the last lines, then the first bytes.
import type { BoundedLogRequest, Cluster, ReadLog } from '../../../lib/ports/cluster.ts';
import { NotFoundError, TerminalError } from '../../../lib/ports/errors.ts';

export interface PlayedLog {
  lines: { atMs: number; text: string }[];
  previous?: { atMs: number; text: string }[];
  hasNoTimes?: boolean;
}

export class PlayedLogs {
  readonly pods = new Map<string, PlayedLog | Error>();
  readonly asked: BoundedLogRequest[] = [];

  write(pod: string, ...lines: (readonly [atMs: number, text: string])[]): void {
    const log = this.pods.get(pod);
    const played = log && !(log instanceof Error) ? log : { lines: [] };
    this.pods.set(pod, played);
    played.lines.push(...lines.map(([atMs, text]) => ({ atMs, text })));
  }

  /** The container was started again. */
  restart(pod: string): void {
    const log = this.pods.get(pod);
    if (log && !(log instanceof Error)) Object.assign(log, { previous: log.lines, lines: [] });
  }

  readonly log: Cluster['log'] = async ({ name }, wanted): Promise<ReadLog> => {
    this.asked.push(wanted);
    const log = this.pods.get(name);
    if (!log) throw new NotFoundError(`pods "${name}" not found`);
    if (log instanceof Error) throw log;
    const { sinceMs = 0, tailLines = Infinity, previous, limitBytes } = wanted;
    const lines = previous ? log.previous : log.lines;
    if (!lines) throw new TerminalError(`previous terminated container "main" in pod "${name}" not found`, { code: 400 });
    const recent = log.hasNoTimes ? lines : lines.filter(({ atMs }) => atMs >= sinceMs);
    const chosen = recent.slice(Math.max(0, recent.length - tailLines));
    const text = chosen.map((line) => `${log.hasNoTimes ? '' : `${new Date(line.atMs).toISOString()} `}${line.text}`).join('');
    const bytes = Buffer.from(text);
    return { text: bytes.subarray(0, limitBytes).toString(), isCut: bytes.length >= limitBytes };
  };

  /** Of owners there are none but those that are known. */
  readonly list: Cluster['list'] = async () => ({ items: [], resourceVersion: '1', dateMs: 0 });
}
