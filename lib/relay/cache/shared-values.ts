// Values that some pods have, each distinct value stored once: thousands of unschedulable pods have the same reason.
import type { DictionaryFact } from '../../objects/pods/fact-row.ts';
import type { PodFacts } from '../../objects/pods/fact-table.ts';

interface Shared {
  key: string;
  value: unknown;
  users: number;
}

export class SharedValues {
  readonly #spare: DictionaryFact<PodFacts>['spare'];
  readonly #shared = new Map<string, Shared>();
  readonly #byRow = new Map<number, Shared>();

  /** @param spare most distinct values kept. Beyond them a pod gets a short value, then none. Absent: all values are kept */
  constructor({ spare }: Pick<DictionaryFact<PodFacts>, 'spare'>) {
    this.#spare = spare;
  }

  get size(): number {
    return this.#byRow.size;
  }

  /** Number of distinct values. */
  get texts(): number {
    return this.#shared.size;
  }

  of(row: number): unknown {
    return this.#byRow.get(row)?.value;
  }

  /** @param row must have no value yet. @returns whether it has one now */
  put(row: number, value: unknown): boolean {
    const spare = this.#spare;
    const shared =
      this.#find(value, spare?.keptMax ?? Infinity) ?? (spare && this.#find(spare.shorten(value), spare.keptMax + spare.shortKeptMax));
    if (!shared) return false;
    shared.users += 1;
    this.#byRow.set(row, shared);
    return true;
  }

  delete(row: number): void {
    const shared = this.#byRow.get(row);
    if (!shared) return;
    this.#byRow.delete(row);
    shared.users -= 1;
    if (shared.users === 0) this.#shared.delete(shared.key);
  }

  #find(value: unknown, most: number): Shared | undefined {
    const key = JSON.stringify(value);
    const known = this.#shared.get(key);
    if (known || this.#shared.size >= most) return known;
    const shared: Shared = { key, value, users: 0 };
    this.#shared.set(key, shared);
    return shared;
  }
}
