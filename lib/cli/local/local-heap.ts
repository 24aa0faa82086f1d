// The heap of a process that works for one cluster on somebody's own machine, beside that person's other programs.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Both halves of the young generation: from here on it is large enough. A burst may double it once more before that is seen. V8 would let
 * it grow to 128 MB where a machine has memory, and keep that; half of this would have a process with a thousand Jobs collect twice as
 * often, for a twentieth of its time.
 */
const YOUNG_BYTES = 32 * 2 ** 20;

/** To be called at the start of a process. The old generation is collected once it has grown by half. */
export function boundHeap(): void {
  setFlagsFromString('--heap-growing-percent=50');
  // V8 takes no bound once it runs, and a factor of 1 from the start would leave the young generation at a megabyte: it grows with
  // collections, until it is large enough.
  const collections = new PerformanceObserver(() => {
    if (boundYoung()) collections.disconnect();
  });
  collections.observe({ entryTypes: ['gc'] });
}

/**
 * Bounds the young generation if it is large enough. To be called before one long turn of the event loop, in which nobody hears of collections:
 * to load a large state folder doubles it twice. @returns whether it is bounded
 */
export function boundYoung(): boolean {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  const isEnough = young !== undefined && young.space_size >= YOUNG_BYTES;
  if (isEnough) setFlagsFromString('--semi-space-growth-factor=1');
  return isEnough;
}
