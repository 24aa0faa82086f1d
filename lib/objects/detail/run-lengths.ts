// How long runs took, as counts by length: enough for a median, and small enough for a head, however many runs there were.
import * as v from 'valibot';

/** Lengths that are counted as one grow by this many steps each time they double: a median is right within a tenth. */
const STEPS_PER_DOUBLING = 4;
/** Longer runs count as this long: some two years. */
const MOST_DOUBLINGS = 26;
/** Characters. Beyond it neighbouring lengths are counted together, which halves the steps. */
const LONGEST_TEXT = 240;

export interface RunLengths {
  /** Per doubling: 4, 2 or 1. */
  steps: number;
  /** By step, from 1 s on; a step without runs may be absent. */
  counts: readonly number[];
}

export const NO_RUN_LENGTHS: RunLengths = { steps: STEPS_PER_DOUBLING, counts: [] };

const stepOf = (seconds: number, steps: number): number => Math.floor(Math.min(Math.log2(Math.max(seconds, 1)), MOST_DOUBLINGS) * steps);

/** @param lengths seconds each; below 1 they count as 1 */
export function withRuns({ steps, counts }: RunLengths, lengths: readonly number[]): RunLengths {
  const all = [...counts];
  for (const seconds of lengths) {
    const step = stepOf(seconds, steps);
    while (all.length <= step) all.push(0);
    all[step] = (all[step] ?? 0) + 1;
  }
  return { steps, counts: all };
}

export const countOfRuns = ({ counts }: RunLengths): number => counts.reduce((sum, count) => sum + count, 0);

/** The length that half of the runs stayed below, in seconds; undefined without any. */
export function medianSecondsOf(lengths: RunLengths): number | undefined {
  const { steps, counts } = lengths;
  const half = countOfRuns(lengths) / 2;
  if (half === 0) return undefined;
  let sum = 0;
  for (const [step, count] of counts.entries()) {
    sum += count;
    // The middle of the step, since nothing says where in it the runs lie.
    if (sum >= half) return 2 ** ((step + 0.5) / steps);
  }
  return undefined;
}

/** `steps/first:count,count,…`, with nothing in the place of 0. */
export function runLengthsText(lengths: RunLengths): string {
  const { steps, counts } = lengths;
  const first = Math.max(
    counts.findIndex((count) => count > 0),
    0,
  );
  const told = counts.slice(first).map((count) => (count === 0 ? '' : String(count)));
  const text = `${steps}/${first}:${told.join(',')}`;
  return text.length > LONGEST_TEXT && steps > 1 ? runLengthsText(coarser(lengths)) : text;
}

const coarser = ({ steps, counts }: RunLengths): RunLengths => ({
  steps: steps / 2,
  counts: Array.from({ length: Math.ceil(counts.length / 2) }, (_, at) => (counts[2 * at] ?? 0) + (counts[2 * at + 1] ?? 0)),
});

const Text = v.pipe(v.string(), v.maxLength(2_000), v.regex(/^[124]\/\d{1,3}:[\d,]*$/));

/** @returns undefined for a text that is none of ours */
export function readRunLengths(text: string): RunLengths | undefined {
  if (!v.is(Text, text)) return undefined;
  const [head = '', told = ''] = text.split(':');
  const [steps = 0, first = 0] = head.split('/').map(Number);
  const counts = [...Array.from({ length: first }, () => 0), ...told.split(',').map(Number)];
  return counts.length <= MOST_DOUBLINGS * steps + 1 && counts.every(Number.isSafeInteger) ? { steps, counts } : undefined;
}
