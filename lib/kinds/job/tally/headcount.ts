// The numbers that a Job's plan needs of a group of its pods. They are kept with the group, so that a group in which nothing changed is not
// walked again. So no number here may depend on the clock or on the Job's status.
import type { Job, LabelSelector } from '../../../objects/kubernetes.ts';
import type { IndexSet } from '../../../objects/values/index-text.ts';
import { LabelSelectorError, matcherOf, type LabelMatcher } from '../../../objects/label-selector.ts';
import { completionIndexOf, isAtWork, isReady, labelsFor, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { MOST_PLACES, PLACES_PER_GROUP, type Fold, type PodSet } from '../../rows/pod-set.ts';
import { judgeFailure } from '../terms/failure-policy.ts';
import { isFailed } from '../terms/pod-replacement.ts';
import { termsOf, type Terms } from '../terms/terms.ts';

export interface Headcount {
  /** Not controlled by the Job, or with labels that do not match its selector. */
  others: number;
  active: number;
  /** Active and at work, see `isAtWork`. */
  running: number;
  /** Active and of phase Running, but each of its containers waits for a restart. */
  restarting: number;
  ready: number;
  /** With the finalizer. */
  tracked: number;
  /** Being deleted, and not ended. */
  terminating: number;
  /** With the finalizer, and ended or being deleted: of a running Job, only these can change anything. */
  leaving: number;
  /** With a name that Farloop did not compute. */
  unnumbered: number;
  /** −1: no pod has a number. */
  highestNumber: number;
  /** Of all containers in pods that are Pending or Running. */
  restarts: number;
  /** Without an index, or not in the group of their index. */
  misplaced: number;
  /** Active pods beyond the first of their index. */
  doubled: number;
  /** Lowest index of an active pod; `MOST_PLACES`: no pod is active. */
  lowestActive: number;
  /** Highest index of an active pod; −1: no pod is active. */
  highestActive: number;
  /** The failure message of the first failed pod that matches a FailJob rule. */
  failJob: string | undefined;
  /** Indexes of a group's active pods, one bit each from its first index on. 0 in the sum of several groups. */
  activeBits: number;
  firstIndex: number;
}

/** Keep the literal: it is made for every changed group, and copying an object takes longer. */
const nobody = (): Headcount => ({
  others: 0,
  active: 0,
  running: 0,
  restarting: 0,
  ready: 0,
  tracked: 0,
  terminating: 0,
  leaving: 0,
  unnumbered: 0,
  highestNumber: -1,
  restarts: 0,
  misplaced: 0,
  doubled: 0,
  lowestActive: MOST_PLACES,
  highestActive: -1,
  failJob: undefined,
  activeBits: 0,
  firstIndex: 0,
});

/** A Job with an invalid selector keeps no pod; ownership.ts reports that. */
export function headcountFold(job: Job, pods: PodSet): Fold<Headcount> {
  const key = keyOf(job);
  return pods.foldOf(key, () => makeFold(job, termsOf(job)));
}

let last: { of: readonly unknown[]; key: string } = { of: [], key: '' };

/** All values that the counts depend on. One plan asks several times, so the answer for the very same values is cached. */
function keyOf({ metadata: { uid }, spec: { selector, podFailurePolicy, podReplacementPolicy } }: Job): string {
  const of = [uid, selector, podFailurePolicy, podReplacementPolicy];
  if (last.of.length !== of.length || of.some((value, at) => value !== last.of[at])) last = { of, key: JSON.stringify(of) };
  return last.key;
}

function makeFold(job: Job, terms: Terms): Fold<Headcount> {
  const isKept = keeperOrNone(job);
  const rules = job.spec.podFailurePolicy?.rules;
  return {
    ofPods(pods, group) {
      const counts = nobody();
      if (group !== undefined) counts.firstIndex = group * PLACES_PER_GROUP;
      for (const pod of pods) {
        if (!isKept(pod)) counts.others += 1;
        if (pod.number === undefined) counts.unnumbered += 1;
        else if (pod.number > counts.highestNumber) counts.highestNumber = pod.number;
        const { phase, deletedAt, tracked } = pod;
        const ended = phase === 'Succeeded' || phase === 'Failed';
        const active = !ended && deletedAt === undefined;
        if (tracked) counts.tracked += 1;
        if (tracked && !active) counts.leaving += 1;
        if (active) {
          counts.active += 1;
          if (isAtWork(pod)) counts.running += 1;
          else if (phase === 'Running') counts.restarting += 1;
          if (isReady(pod)) counts.ready += 1;
        } else if (!ended) counts.terminating += 1;
        if (phase === 'Running' || phase === 'Pending') counts.restarts += restartsOf(pod);
        if (rules && counts.failJob === undefined && isFailed(pod, terms)) counts.failJob = judgeFailure(rules, pod).message;
        if (group === undefined) continue;
        const index = completionIndexOf(pod);
        const at = index === undefined ? -1 : index - counts.firstIndex;
        if (index === undefined || at < 0 || at >= PLACES_PER_GROUP) counts.misplaced += 1;
        else if (active) {
          if ((counts.activeBits & (1 << at)) === 0) counts.activeBits |= 1 << at;
          else counts.doubled += 1;
          if (index < counts.lowestActive) counts.lowestActive = index;
          if (index > counts.highestActive) counts.highestActive = index;
        }
      }
      return counts;
    },
    none: nobody,
    add(sum, part) {
      sum.others += part.others;
      sum.active += part.active;
      sum.running += part.running;
      sum.restarting += part.restarting;
      sum.ready += part.ready;
      sum.tracked += part.tracked;
      sum.terminating += part.terminating;
      sum.leaving += part.leaving;
      sum.unnumbered += part.unnumbered;
      sum.restarts += part.restarts;
      sum.misplaced += part.misplaced;
      sum.doubled += part.doubled;
      if (part.highestNumber > sum.highestNumber) sum.highestNumber = part.highestNumber;
      if (part.lowestActive < sum.lowestActive) sum.lowestActive = part.lowestActive;
      if (part.highestActive > sum.highestActive) sum.highestActive = part.highestActive;
      sum.failJob ??= part.failJob;
    },
  };
}

/** Restarts of all its containers. */
export function restartsOf({ containers }: PodFacts): number {
  let restarts = 0;
  for (let at = 0; at < containers.length; at += 1) restarts += containers[at]?.restarts ?? 0;
  return restarts;
}

function keeperOrNone(job: Job): (pod: PodFacts) => boolean {
  try {
    return keeperOf(job);
  } catch (error) {
    if (error instanceof LabelSelectorError) return () => false;
    throw error;
  }
}

/**
 * Whether a pod is the Job's already. Pods of a view share what they have in common: then the last answer holds.
 * @throws LabelSelectorError the selector cannot be read
 */
export function keeperOf({ metadata: { uid }, spec: { selector } }: Job): (pod: PodFacts) => boolean {
  const matches = quickMatcherOf(selector);
  const labelsIn = labelsFor(selector);
  let [controller, labels, kept]: [PodFacts['controller'], PodFacts['labels'] | undefined, boolean] = [undefined, undefined, false];
  return (pod) => {
    const found = labelsIn(pod);
    if (found !== labels || pod.controller !== controller) {
      ({ controller } = pod);
      labels = found;
      kept = controller?.uid === uid && matches(labels);
    }
    return kept;
  };
}

/** The indexes of the active pods. Only for a set ordered by place without misplaced pods. */
export function activeIndexesIn(pods: PodSet, fold: Fold<Headcount>): IndexSet {
  const intervals: { first: number; last: number }[] = [];
  // Intervals come in ascending order. Most touch the one before and extend it.
  const append = (from: number, to: number): void => {
    const end = intervals.at(-1);
    if (end && end.last + 1 === from) end.last = to;
    else intervals.push({ first: from, last: to });
  };
  pods.walk(fold, ({ active, doubled, lowestActive, highestActive, activeBits, firstIndex }) => {
    if (active === 0) return false;
    // If no index between the lowest and the highest is missing, do not walk further.
    if (highestActive - lowestActive + 1 === active - doubled) {
      append(lowestActive, highestActive);
      return false;
    }
    for (let at = 0; activeBits >>> at !== 0; at += 1) {
      if ((activeBits & (1 << at)) === 0) continue;
      const from = at;
      while ((activeBits & (1 << (at + 1))) !== 0) at += 1;
      append(firstIndex + from, firstIndex + at);
    }
    return true;
  });
  return intervals;
}

/** Nearly every Job's selector only tests equality, which needs no parsing. */
export function quickMatcherOf(selector: LabelSelector | undefined): LabelMatcher {
  if (selector === undefined || selector.matchExpressions?.length) return matcherOf(selector);
  const [first, ...others] = Object.entries(selector.matchLabels ?? {});
  if (!first) return () => true;
  const [key, value] = first;
  if (others.length === 0) return (labels) => labels?.[key] === value;
  return (labels) => labels?.[key] === value && others.every(([name, wanted]) => labels[name] === wanted);
}
