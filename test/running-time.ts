// Time by a clock that stands still while the machine does: where a virtual machine is paused, or others have the processors, everybody is
// late, and whoever is measured is not to blame for that.
import { readFileSync } from 'node:fs';

const TICK_MS = 20;
/** A tick that comes later than this was held up; more of it counts only where the one that is followed ran meanwhile. */
const MOST_OF_A_TICK_MS = 50;

export interface RunningTime {
  /** Milliseconds since the start, without those in which this process stood still, or the one that is followed waited for a processor. */
  ms: () => number;
  /** From now on that process is followed. */
  follow: (pid: number | undefined) => void;
  stop: () => void;
}

export function startRunningTime(): RunningTime {
  let passedMs = 0;
  let tickedMs = performance.now();
  let followed: { pid: number | undefined; time: ProcessorTime } = { pid: undefined, time: NONE };
  const tick = (): void => {
    const nowMs = performance.now();
    const time = processorTimeOf(followed.pid) ?? followed.time;
    const couldRunMs = nowMs - tickedMs - (time.waitedMs - followed.time.waitedMs);
    const ranMs = time.ranMs - followed.time.ranMs;
    // A wait is told of when it ends, with what of it lay before this tick: so what was run counts whatever is subtracted.
    passedMs += Math.min(Math.max(ranMs, couldRunMs), Math.max(MOST_OF_A_TICK_MS, ranMs));
    [tickedMs, followed] = [nowMs, { ...followed, time }];
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    ms: () => {
      tick();
      return passedMs;
    },
    follow: (pid) => {
      tick();
      followed = { pid, time: processorTimeOf(pid) ?? NONE };
    },
    stop: () => clearInterval(timer),
  };
}

/** @returns what comes of the function, and how long that took by such a clock, which follows that process */
export async function timedBy<Value>(pid: number | undefined, act: () => Promise<Value>): Promise<{ value: Value; tookMs: number }> {
  const time = startRunningTime();
  time.follow(pid);
  try {
    const value = await act();
    return { value, tookMs: time.ms() };
  } finally {
    time.stop();
  }
}

interface ProcessorTime {
  /** How long the process had a processor. */
  ranMs: number;
  /** How long it was ready to run and had none. */
  waitedMs: number;
}

const NONE: ProcessorTime = { ranMs: 0, waitedMs: 0 };

/** Of its first thread, where the system tells (Linux); undefined when it is gone. */
export function processorTimeOf(pid: number | undefined): ProcessorTime | undefined {
  if (pid === undefined) return undefined;
  try {
    const [ranNs = '0', waitedNs = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return { ranMs: Number(ranNs) / 1e6, waitedMs: Number(waitedNs) / 1e6 };
  } catch {
    return undefined;
  }
}
