// Whether a process grows: its memory after it has warmed up, beside its memory at the end of a long time without a kill.

export interface Sample {
  ageMs: number;
  mebibytes: number;
}

/** The ages between which a process counts as warm and is looked at. */
const WARM_FROM_MS = 15_000;
export const WARM_AT_MS = 20_000;
/** The last samples of a life, of so long a time, tell its end. */
const END_MS = 5_000;
/** Between the two looks; in less time only a flood would be seen. */
const SHORTEST_MS = 10_000;
const MOST_GROWTH = 1.3;

/** Mebibytes at the age at which a process is warm; undefined for one that did not live so long. */
export function warmOf(samples: readonly Sample[]): number | undefined {
  const late = samples.filter(({ ageMs }) => ageMs >= WARM_FROM_MS);
  const inTime = late.filter(({ ageMs }) => ageMs <= WARM_AT_MS);
  // A machine that stood still may have left none in time: the first one behind it then.
  return medianOf(inTime.length > 0 ? inTime : late.slice(0, 1));
}

/** Mebibytes during its last seconds. */
export function endOf(samples: readonly Sample[]): number | undefined {
  const endMs = samples.at(-1)?.ageMs ?? 0;
  return medianOf(samples.filter(({ ageMs }) => ageMs > endMs - END_MS));
}

/**
 * @param first the first life of a process
 * @param last its last one, which was spared so long that a leak must show
 * @returns what is wrong with them, in words; empty when memory is flat, within a life and from one to the next
 */
export function memoryFaults(first: readonly Sample[], last: readonly Sample[]): string[] {
  const [warm, warmOfLast, end] = [warmOf(first), warmOf(last), endOf(last)];
  if (warm === undefined || warmOfLast === undefined || end === undefined) return ['too few measurements of its memory'];
  const lived = last.at(-1)?.ageMs ?? 0;
  if (lived < WARM_AT_MS + END_MS + SHORTEST_MS) return [`its last life was ${Math.round(lived / 1000)} s long, too short to see a leak`];
  return [
    ...grown('while it lived', warmOfLast, end),
    // What it has kept on disk must not make it fatter.
    ...grown('from its first life to its last', warm, warmOfLast),
  ];
}

const grown = (when: string, from: number, to: number): string[] =>
  to <= from * MOST_GROWTH
    ? []
    : [`its memory grew ${when} from ${from.toFixed(0)} to ${to.toFixed(0)} MB, by more than ${Math.round((MOST_GROWTH - 1) * 100)} %`];

const medianOf = (samples: readonly Sample[]): number | undefined => {
  const sorted = samples.map(({ mebibytes }) => mebibytes).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};
