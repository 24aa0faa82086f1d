// The heap of a process that works for one cluster on somebody's own machine, beside that person's other programs.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Both halves of the young generation: from here on it is large enough. A burst may double it once more before that is seen. V8 would let
 * it grow to 128 MB where a machine has memory, and keep that; half of this would have a process with a thousand Jobs collect twice as
 * often, for a twentieth of its time.
 */
const YOUNG_BYTES = 32 * 2 ** 20;
/** V8's own. */
const USUAL_FACTOR = 2;

/** Only a process that is to be bounded. */
let isToBeBounded = false;
let isBounded = false;

/** To be called at the start of a process. The old generation is collected once it has grown by half. */
export function boundHeap(): void {
  isToBeBounded = true;
  setFlagsFromString('--heap-growing-percent=50');
  // V8 takes no bound once it runs, and a factor of 1 from the start would leave the young generation at a megabyte: it grows with
  // collections, until it is large enough.
  const collections = new PerformanceObserver(() => {
    if (boundYoung()) collections.disconnect();
  });
  collections.observe({ entryTypes: ['gc'] });
}

function boundYoung(): boolean {
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  isBounded ||= isToBeBounded && young !== undefined && young.space_size >= YOUNG_BYTES;
  if (isBounded) setFlagsFromString('--semi-space-growth-factor=1');
  return isBounded;
}

/**
 * The young generation stays as it is meanwhile. For work that takes long turns of the event loop, in which nobody hears of collections: to load a
 * large state folder would double it several times.
 */
export async function withoutGrowth<Result>(work: () => Promise<Result>): Promise<Result> {
  setFlagsFromString('--semi-space-growth-factor=1');
  try {
    return await work();
  } finally {
    if (!boundYoung()) setFlagsFromString(`--semi-space-growth-factor=${USUAL_FACTOR}`);
  }
}
