// The state of each index of an Indexed Job, and which of them lag. One walk over its pods, and arrays of a byte an index: there may be a
// hundred thousand.
import type { Job } from '../../../objects/kubernetes.ts';
import { codeOfLetter, type IndexLetter } from '../../../objects/detail/packed-states.ts';
import { podStandingOf, secondsRun, type PodState } from '../../../objects/detail/pod-standing.ts';
import { countOfRuns, medianSecondsOf, readRunLengths } from '../../../objects/detail/run-lengths.ts';
import type { IndexStates, NotableIndex } from '../../../objects/detail/workload-map.ts';
import { fallOf } from '../../../objects/detail/falls.ts';
import { completionIndexOf, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { parseIndexes } from '../../../objects/values/index-text.ts';
import { isJobFinished } from '../terms/owner-facts.ts';

/** An index lags that runs longer than so many times the median of those that succeeded. */
const LAGS_TIMES = 3;
/** And longer than this: among short ones a median says little. */
const LAGS_SECONDS = 120;
/** With fewer successes none lags. */
const FEWEST_SUCCESSES = 3;
/** More of them are left out of an answer anyway. */
const MOST_NOTABLE = 2_000;

const LETTER_OF: Record<PodState, IndexLetter> = {
  Failed: 'B',
  BackingOff: 'B',
  Waiting: 'W',
  Terminating: 'T',
  Pending: 'P',
  Running: 'R',
  Succeeded: 'S',
  Unknown: 'W',
};

/** @returns undefined for a Job that is not Indexed. @param lengths how long its indexes ran that succeeded, as a head keeps it */
export function indexStatesOf(
  job: Job,
  pods: Iterable<PodFacts>,
  { nowMs, lengths }: { nowMs: number; lengths?: string | undefined },
): IndexStates | undefined {
  const { spec, status } = job;
  const { completions } = spec;
  if (spec.completionMode !== 'Indexed' || completions === undefined) return undefined;
  const codes = new Uint8Array(completions).fill(codeOfLetter('-'));
  const isFinished = isJobFinished(job);
  const notable: NotableIndex[] = [];
  /** Pods that failed, by index: told unless another pod of the index does better. */
  const failed = new Map<number, PodFacts>();
  const running: { index: number; pod: PodFacts; seconds: number }[] = [];
  for (const pod of pods) {
    const index = completionIndexOf(pod);
    if (index === undefined || index >= completions) continue;
    const { state, reason } = podStandingOf(pod);
    if (state === 'Failed') {
      const other = failed.get(index);
      if (!other || other.createdAt < pod.createdAt) failed.set(index, pod);
      continue;
    }
    const letter = LETTER_OF[state];
    codes[index] = codeOfLetter(letter);
    const seconds = secondsRun(pod, nowMs);
    if (letter === 'R') running.push({ index, pod, seconds: seconds ?? 0 });
    if ((letter === 'B' || letter === 'W') && notable.length < MOST_NOTABLE)
      notable.push(notableOf({ index, letter, pod, seconds, reason }));
  }
  for (const { first, last } of parseIndexes(status?.completedIndexes ?? '', completions)) codes.fill(codeOfLetter('S'), first, last + 1);
  for (const { first, last } of parseIndexes(status?.failedIndexes ?? '', completions)) codes.fill(codeOfLetter('F'), first, last + 1);
  for (const [index, pod] of failed) {
    const isOpen = codes[index] === codeOfLetter('-');
    if (isOpen) codes[index] = codeOfLetter(isFinished ? 'F' : 'B');
    if (!isOpen && codes[index] !== codeOfLetter('F')) continue;
    const letter = codes[index] === codeOfLetter('F') ? 'F' : 'B';
    if (notable.length < MOST_NOTABLE) notable.push(notableOf({ index, letter, pod, seconds: secondsRun(pod, nowMs), reason: undefined }));
  }
  const known = lengths === undefined ? undefined : readRunLengths(lengths);
  const measured = known ? countOfRuns(known) : 0;
  const medianSeconds = known && medianSecondsOf(known);
  const isLagging = ({ seconds }: { seconds: number }): boolean =>
    medianSeconds !== undefined && measured >= FEWEST_SUCCESSES && seconds > LAGS_TIMES * medianSeconds && seconds > LAGS_SECONDS;
  const lagging = isFinished ? [] : running.filter(isLagging).toSorted((a, b) => b.seconds - a.seconds || a.index - b.index);
  return {
    codes,
    measured,
    ...(medianSeconds !== undefined && { medianSeconds: Math.round(medianSeconds) }),
    lagging: lagging.map(({ index, pod, seconds }) => ({ index, state: 'R', lags: true, seconds, pod: pod.name })),
    notable: notable.toSorted((a, b) => RANK.indexOf(a.state) - RANK.indexOf(b.state) || a.index - b.index),
  };
}

const RANK: readonly IndexLetter[] = ['F', 'B', 'W'];

function notableOf({
  index,
  letter,
  pod,
  seconds,
  reason,
}: {
  index: number;
  letter: IndexLetter;
  pod: PodFacts;
  seconds: number | undefined;
  reason: string | undefined;
}): NotableIndex {
  const fall = fallOf(pod);
  const word = reason ?? fall?.reason;
  return {
    index,
    state: letter,
    ...(seconds !== undefined && { seconds }),
    ...(fall && { exitCode: fall.exitCode }),
    ...(word !== undefined && { reason: word }),
    pod: pod.name,
  };
}
