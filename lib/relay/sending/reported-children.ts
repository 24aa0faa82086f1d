// Children of one resource in a report while it is encoded, and the division of what does not fit into one message.
import type { Observation, OutgoingChildren, WholeList } from '../../wire/words/observations.ts';
import { END_OF_SLOTS, slotOf } from '../../wire/words/view-layout.ts';
import type { CachedChildren, ChildKey, GoneChild } from '../cache/cached-children.ts';
import type { Workload } from '../cache/cached-workload.ts';

interface Reported {
  workload: Workload;
  table: CachedChildren;
  /** The version of the last list. */
  floor: string;
  whole: WholeList | undefined;
}

/** Builds each object only while it is read: thousands at once would survive a garbage collection. */
export class ReportedChildren implements OutgoingChildren {
  readonly #about: Reported;
  readonly #each: readonly (ChildKey | GoneChild)[];

  constructor(about: Reported, each: readonly (ChildKey | GoneChild)[]) {
    this.#about = about;
    this.#each = each;
  }

  get resource(): string {
    return this.#about.table.resource;
  }

  get whole(): WholeList | undefined {
    return this.#about.whole;
  }

  get children(): Iterable<Observation> {
    return { [Symbol.iterator]: () => this.#observations() };
  }

  get count(): number {
    return this.#each.length;
  }

  get isEmpty(): boolean {
    return this.count === 0 && !this.whole;
  }

  /** Estimated, in a message. */
  get bytes(): number {
    return this.count * this.#about.table.bytesEach;
  }

  /** Others of the same resource. Without a list they are not whole. */
  of(each: readonly (ChildKey | GoneChild)[], whole?: WholeList): ReportedChildren {
    return new ReportedChildren({ ...this.#about, whole }, each);
  }

  /** @param most of one message. Only a list of counted children may come in ranges */
  inRanges(most: number): ReportedChildren[] {
    const { table, whole } = this.#about;
    if (!whole || !table.isCounted) return [this];
    return inRanges(this.#each, most, (each) => this.#slotOf(each)).map(({ slots, children }) => this.of(children, { ...whole, slots }));
  }

  /**
   * Two parts of the same. A list of other than counted children fits into one message or proves nothing (R19): a pass lists those of so
   * large a workload live.
   * @returns undefined if it cannot be divided
   */
  halves(): [ReportedChildren, ReportedChildren] | undefined {
    if (this.count < 2 || (this.whole && this.#about.table.isCounted)) return undefined;
    const half = Math.ceil(this.count / 2);
    return [this.of(this.#each.slice(0, half)), this.of(this.#each.slice(half))];
  }

  *#observations(): Generator<Observation> {
    for (const each of this.#each) {
      const observation = this.#observe(each);
      if (observation) yield observation;
    }
  }

  #observe(each: ChildKey | GoneChild): Observation | undefined {
    const { workload, table, floor } = this.#about;
    return typeof each === 'object' ? each.observation(floor) : table.observe(workload, each, floor);
  }

  #slotOf(each: ChildKey | GoneChild): number {
    const observation = this.#observe(each);
    return observation ? slotOf(observation.child) : 0;
  }
}

/** Divides children into ranges of neighbouring slots, about `most` each. One slot stays together, and the ranges cover every slot. */
export function inRanges<Each>(
  children: readonly Each[],
  most: number,
  slotOfEach: (child: Each) => number,
): { slots: WholeList['slots']; children: readonly Each[] }[] {
  if (children.length <= most) return [{ slots: 'all', children }];
  const sorted = children.map((child) => ({ child, slot: slotOfEach(child) })).toSorted((a, b) => a.slot - b.slot);
  const ranges: { slots: { from: number; to: number }; children: Each[] }[] = [];
  let from = 0;
  let within: Each[] = [];
  for (const [at, { child, slot }] of sorted.entries()) {
    if (within.length >= most && slot !== sorted[at - 1]?.slot) {
      ranges.push({ slots: { from, to: slot }, children: within });
      from = slot;
      within = [];
    }
    within.push(child);
  }
  ranges.push({ slots: { from, to: END_OF_SLOTS }, children: within });
  return ranges;
}
