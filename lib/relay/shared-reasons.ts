// Why pods do not run, each text once: thousands of pods that find no node say the same.
import { wordsOf, type PodReason } from '../objects/pod-reasons.ts';

type Reasons = readonly PodReason[];

interface Shared {
  key: string;
  reasons: Reasons;
  users: number;
}

/** Texts that differ, of some 300 bytes. Of pods beyond, the words alone are kept, then nothing. */
const MOST_TEXTS = 5_000;
const MOST_WORDS = 1_000;

export class SharedReasons {
  readonly #shared = new Map<string, Shared>();
  readonly #byRow = new Map<number, Shared>();

  get size(): number {
    return this.#byRow.size;
  }

  /** That differ. */
  get texts(): number {
    return this.#shared.size;
  }

  of(row: number): Reasons | undefined {
    return this.#byRow.get(row)?.reasons;
  }

  /** @param row has none. @returns whether it has some now */
  put(row: number, reasons: Reasons): boolean {
    const shared = this.#find(reasons, MOST_TEXTS) ?? this.#find(wordsOf(reasons), MOST_TEXTS + MOST_WORDS);
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

  #find(reasons: Reasons, most: number): Shared | undefined {
    const key = JSON.stringify(reasons);
    const known = this.#shared.get(key);
    if (known || this.#shared.size >= most) return known;
    const shared: Shared = { key, reasons, users: 0 };
    this.#shared.set(key, shared);
    return shared;
  }
}
