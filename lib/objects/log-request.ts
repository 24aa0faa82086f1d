// Which part of a container's log is asked for, as kubelets and API servers take it.

/** All but the container may be absent. Lines are chosen by time first, then the last ones of these; bytes are cut last. */
export interface LogRequest {
  container: string;
  /** Of the run before this one. */
  previous?: true;
  /** Lines from the end; 0: none. */
  tailLines?: number;
  /** At least 1. */
  limitBytes?: number;
  /** Unix milliseconds: earlier lines are left out. */
  sinceMs?: number;
  /** Each line begins with its time, RFC 3339, and a blank. */
  timestamps?: true;
  /** Goes on until the container has ended. */
  follow?: true;
}

/** One line, with its line break; the last one of a log may have none. */
export interface LogLine {
  /** RFC 3339, UTC. */
  time: string;
  text: string;
}

/**
 * The wanted part of a log's lines, which are given piece by piece as they come. The first piece holds all that was there at the request: of
 * it alone the last lines are chosen.
 */
export function logShaper({ tailLines, limitBytes, sinceMs, timestamps }: LogRequest): (lines: readonly LogLine[]) => Uint8Array {
  let isFirst = true;
  let leftBytes = limitBytes ?? Number.POSITIVE_INFINITY;
  return (lines) => {
    const recent = sinceMs === undefined ? lines : lines.filter(({ time }) => !(Date.parse(time) < sinceMs));
    const chosen = isFirst && tailLines !== undefined ? recent.slice(Math.max(0, recent.length - tailLines)) : recent;
    isFirst = false;
    const bytes = Buffer.from(chosen.map(({ time, text }) => (timestamps ? `${time} ${text}` : text)).join('')).subarray(0, leftBytes);
    leftBytes -= bytes.length;
    return bytes;
  };
}
