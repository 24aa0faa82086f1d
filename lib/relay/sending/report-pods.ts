// The pods of a report while it is encoded, and the division of a report that does not fit into one message.
import type { PodObservation, WholeList } from '../../wire/words/observations.ts';
import { END_OF_SLOTS, slotOf } from '../../wire/words/view-layout.ts';
import type { GonePod } from '../cache/cached-workload.ts';
import type { PodRow } from '../cache/pod-table.ts';

/** A pod to report: the row of a present pod, or the last state of a removed one. */
export type ReportedPod = PodRow | GonePod;

/** Pods of one report. Builds each object only while it is read: thousands at once would survive a garbage collection. */
export class ReportPods {
  readonly pods: readonly ReportedPod[];
  readonly #observe: (pod: ReportedPod) => PodObservation | undefined;

  constructor(pods: readonly ReportedPod[], observe: (pod: ReportedPod) => PodObservation | undefined) {
    this.pods = pods;
    this.#observe = observe;
  }

  *[Symbol.iterator](): Generator<PodObservation> {
    for (const each of this.pods) {
      const observation = this.#observe(each);
      if (observation) yield observation;
    }
  }

  /** The same report with other pods of the same workload. */
  of(pods: readonly ReportedPod[]): ReportPods {
    return new ReportPods(pods, this.#observe);
  }

  slotOf(pod: ReportedPod): number {
    const observation = this.#observe(pod);
    return observation ? slotOf(observation.pod) : 0;
  }
}

/** Divides pods into ranges of neighbouring slots, about `most` pods each. One slot stays together, and the ranges cover every slot. */
export function inRanges<Each>(
  pods: readonly Each[],
  most: number,
  slotOfEach: (pod: Each) => number,
): { slots: WholeList['slots']; pods: readonly Each[] }[] {
  if (pods.length <= most) return [{ slots: 'all', pods }];
  const sorted = pods.map((pod) => ({ pod, slot: slotOfEach(pod) })).toSorted((a, b) => a.slot - b.slot);
  const ranges: { slots: { from: number; to: number }; pods: Each[] }[] = [];
  let from = 0;
  let within: Each[] = [];
  for (const [at, { pod, slot }] of sorted.entries()) {
    if (within.length >= most && slot !== sorted[at - 1]?.slot) {
      ranges.push({ slots: { from, to: slot }, pods: within });
      from = slot;
      within = [];
    }
    within.push(pod);
  }
  ranges.push({ slots: { from, to: END_OF_SLOTS }, pods: within });
  return ranges;
}
