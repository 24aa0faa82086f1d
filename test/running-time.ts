// Time by a clock that stands still while the machine does: where others have the processors, or a virtual machine is paused, whoever
// measures is late as well, and nobody measured is to blame for that.

const TICK_MS = 20;
/** A tick that comes later than this was held up; more of it does not count. */
const MOST_OF_A_TICK_MS = 50;

export interface RunningTime {
  /** Milliseconds since the start, without those in which this process stood still. */
  ms: () => number;
  stop: () => void;
}

export function startRunningTime(): RunningTime {
  let ranMs = 0;
  let tickedMs = performance.now();
  const tick = (): void => {
    const nowMs = performance.now();
    ranMs += Math.min(nowMs - tickedMs, MOST_OF_A_TICK_MS);
    tickedMs = nowMs;
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    ms: () => {
      tick();
      return ranMs;
    },
    stop: () => clearInterval(timer),
  };
}
