// Which numbers the next children of a Job get, so that no name is ever taken twice (R5).
import type { Job } from '../../../objects/kubernetes.ts';
import { completionIndexOf, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { podSetOf, type Pods } from '../../rows/pod-set.ts';
import { headcountFold } from '../tally/headcount.ts';
import { podNameOf } from './names.ts';

export interface Child {
  slot: number;
  number: number;
}

/**
 * The next children, one for each entry.
 * @param start completion indexes to start, each once; of a Job without indexes the length alone counts
 * @param ordinal lowest number that no vanished child ever held
 */
export function nextChildren(job: Job, given: Pods, { start, ordinal }: { start: readonly number[]; ordinal: number }): Child[] {
  if (start.length === 0) return [];
  const indexed = job.spec.completionMode === 'Indexed';
  /** The lowest free ones, where they are above the ordinal. */
  const next = new Map<number, number>();
  // Names of pods from before a hand-over, numbered by the built-in controller.
  const foreign = new Set<string>();
  for (const pod of holdersOf(job, given, start)) {
    if (pod.number === undefined) {
      foreign.add(pod.name);
      continue;
    }
    const series = indexed ? (completionIndexOf(pod) ?? -1) : 0;
    if ((next.get(series) ?? ordinal) <= pod.number) next.set(series, pod.number + 1);
  }
  return start.map((index) => {
    const series = indexed ? index : 0;
    let number = next.get(series) ?? ordinal;
    while (foreign.size > 0 && foreign.has(podNameOf(job, indexed ? index : number, number))) number += 1;
    if (!indexed) next.set(series, number + 1);
    return { slot: indexed ? index : number, number };
  });
}

/** The pods that may hold a number or a name of these slots. All pods, if places do not show that. */
function holdersOf(job: Job, given: Pods, start: readonly number[]): Iterable<PodFacts> {
  const pods = podSetOf(given);
  if (!pods.isPlaced) return pods;
  const fold = headcountFold(job, pods);
  const { misplaced, unnumbered, highestNumber } = pods.counts(fold);
  if (job.spec.completionMode !== 'Indexed') {
    const withHighest = pods.select(
      fold,
      (counts) => Number(counts.highestNumber === highestNumber),
      ({ number }) => number === highestNumber,
    );
    return [...withHighest, ...unnumberedIn()];
  }
  if (misplaced > 0) return pods;
  const holders: PodFacts[] = unnumbered === 0 ? [] : unnumberedIn();
  for (const index of start)
    for (const pod of pods.near(index)) if (pod.number !== undefined && completionIndexOf(pod) === index) holders.push(pod);
  return holders;

  function unnumberedIn(): PodFacts[] {
    return pods.select(
      fold,
      (counts) => counts.unnumbered,
      ({ number }) => number === undefined,
    );
  }
}
