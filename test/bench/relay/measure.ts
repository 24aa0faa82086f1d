// What a client of the benchmark's API server tells of itself: time, processor time and memory, as lines of JSON.
import { createInterface } from 'node:readline';

export interface Measured {
  /** Seconds from the first event to the last. */
  seconds: number;
  /** Processor seconds of this process meanwhile, all its threads. */
  processorSeconds: number;
  rssBytes: { afterList: number; peak: number; afterEvents: number };
}

const peakBytes = (): number => process.resourceUsage().maxRSS * 1024;

/**
 * Tells `listed`, then measures from the first event until `events` have been seen.
 * @returns what to call at every event
 */
export function measureEvents(events: number): { listed: () => void; seen: (count: number) => void } {
  let rssAfterList = 0;
  let startedAt = 0;
  let before = process.cpuUsage();
  let count = 0;
  return {
    listed: () => {
      rssAfterList = process.memoryUsage.rss();
      console.log('listed');
    },
    seen: (more) => {
      if (count === 0) {
        startedAt = performance.now();
        before = process.cpuUsage();
      }
      count += more;
      if (count < events) return;
      const { user, system } = process.cpuUsage(before);
      const measured: Measured = {
        seconds: (performance.now() - startedAt) / 1000,
        processorSeconds: (user + system) / 1e6,
        rssBytes: { afterList: rssAfterList, peak: peakBytes(), afterEvents: process.memoryUsage.rss() },
      };
      console.log(JSON.stringify(measured));
    },
  };
}

/** Lines of a child's standard output. */
export const linesOf = (stream: NodeJS.ReadableStream): AsyncIterator<string> => createInterface({ input: stream })[Symbol.asyncIterator]();
