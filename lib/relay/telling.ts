// The pods of a report on their way into a message, and how a report of more pods than one message holds is divided.
import type { PodObservation, WholeList } from '../wire/observations.ts';
import { END_OF_SLOTS, slotOf } from '../wire/view-layout.ts';
import type { GonePod } from './workload.ts';
import type { PodRow } from './pod-table.ts';

/** A pod to be told of: where it stands, or what it was when it went. */
export type Told = PodRow | GonePod;

/** Pods of one report. They are objects only while they are read, one after the other: thousands at once would outlive a collection. */
export class Telling {
  readonly told: readonly Told[];
  readonly #observe: (told: Told) => PodObservation | undefined;

  constructor(told: readonly Told[], observe: (told: Told) => PodObservation | undefined) {
    this.told = told;
    this.#observe = observe;
  }

  *[Symbol.iterator](): Generator<PodObservation> {
    for (const each of this.told) {
      const observation = this.#observe(each);
      if (observation) yield observation;
    }
  }

  /** Those of the same workload instead. */
  of(told: readonly Told[]): Telling {
    return new Telling(told, this.#observe);
  }

  slotOf(told: Told): number {
    const observation = this.#observe(told);
    return observation ? slotOf(observation.pod) : 0;
  }
}

/** Neighbouring slots, so many pods at a time; those of one slot stay together, and together the ranges cover every slot. */
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
