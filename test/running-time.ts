// Time by a clock that stands still while the machine does: where a virtual machine is paused, or others have the processors, everybody is
// late, and whoever is measured is not to blame for that.
import { readFileSync } from 'node:fs';

const TICK_MS = 20;
/** A tick that comes later than this was held up; more of it does not count. */
const MOST_OF_A_TICK_MS = 50;

export interface RunningTime {
  /** Milliseconds since the start, without those in which this process stood still, or the one that is followed waited for a processor. */
  ms: () => number;
  /** From now on that process is followed. */
  follow: (pid: number | undefined) => void;
  stop: () => void;
}

export function startRunningTime(): RunningTime {
  let ranMs = 0;
  let tickedMs = performance.now();
  let followed: { pid: number | undefined; waitedMs: number } = { pid: undefined, waitedMs: 0 };
  const tick = (): void => {
    const nowMs = performance.now();
    const waitedMs = waitedForProcessorMs(followed.pid) ?? followed.waitedMs;
    const couldRunMs = nowMs - tickedMs - (waitedMs - followed.waitedMs);
    ranMs += Math.min(Math.max(0, couldRunMs), MOST_OF_A_TICK_MS);
    [tickedMs, followed] = [nowMs, { ...followed, waitedMs }];
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    ms: () => {
      tick();
      return ranMs;
    },
    follow: (pid) => {
      tick();
      followed = { pid, waitedMs: waitedForProcessorMs(pid) ?? 0 };
    },
    stop: () => clearInterval(timer),
  };
}

/** How long the process was ready to run and had no processor, where the system tells (Linux); undefined when it is gone. */
function waitedForProcessorMs(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const [, waitedNs = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waitedNs) / 1e6;
  } catch {
    return undefined;
  }
}
