// The reports of a job that its events have made: each is made once, as long as the thing it reports is there.
import { packedSlots, slotSetIn, stretchesOf } from './slot-sets.ts';

/** Words for the report that somebody else has the name of a slot's pod, of its service, of the autoscaler. */
export const TAKEN = { pods: 'taken', services: 'takenService', scaler: 'takenScaler' } as const;

/** More kinds of reports are not kept of one job at a time. */
const MOST_NEWS = 8;
/** Of the sets of all of them together, but for one stretch of each type. */
const MOST_TOLD_CHARACTERS = 120;

/** Reports by slot. A thing that a slot no longer has is forgotten, and reported again if it comes back. */
export class Reports {
  readonly #before: ReadonlyMap<string, ReadonlySet<number>>;
  readonly #now = new Map<string, number[]>();

  constructor(before: Readonly<Record<string, string>> = {}) {
    this.#before = new Map(Object.entries(before).map(([about, slots]) => [about, slotSetIn(slots)]));
  }

  /** @returns whether to report it now @param about a short word or digest: 16 characters at most */
  isNews(about: string, slot: number): boolean {
    const slots = this.#now.get(about);
    if (!slots && this.#now.size >= MOST_NEWS) return false;
    this.#now.set(about, [...(slots ?? []), slot]);
    return !(this.#before.get(about)?.has(slot) ?? false);
  }

  /** It is not known in this plan whether it is still so: a report stays noted. */
  stays(about: string, slot: number): void {
    if (this.#before.get(about)?.has(slot)) this.isNews(about, slot);
  }

  /**
   * Where the slots are so many and so scattered that they take too much room, whole stretches count as reported, the longest text first: a thing that
   * comes up between two such slots is then not reported.
   */
  toKeep(): Record<string, string> {
    const kept = [...this.#now].map(([about, slots]) => ({ about, slots, text: packedSlots(slots) }));
    let length = kept.reduce((sum, { text }) => sum + text.length, 0);
    for (const each of kept.toSorted((a, b) => b.text.length - a.text.length)) {
      if (length <= MOST_TOLD_CHARACTERS) break;
      length -= each.text.length;
      each.text = stretchesOf(each.slots);
      length += each.text.length;
    }
    return Object.fromEntries(kept.map(({ about, text }) => [about, text]));
  }
}
