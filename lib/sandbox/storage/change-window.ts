// The latest changes of one resource: what a watch may still resume from, and how a list looked a while ago.
import type { Change, Version } from './version.ts';

/** Characters of superseded states, of each resource: some thousand changes of large pods. */
const MOST_CHARACTERS = 24_000_000;

export class ChangeWindow {
  readonly #limit: number;
  #changes: Change[] = [];
  /** Of each change: the characters of the state that it superseded. */
  #sizes: number[] = [];
  #characters = 0;
  /** Index of the first change kept; dropped ones are cut off in bulk. */
  #start = 0;
  #oldest: number;

  /** @param limit changes kept @param oldest everything up to this revision is already forgotten */
  constructor(limit: number, oldest: number) {
    this.#limit = limit;
    this.#oldest = oldest;
  }

  /** Changes before this revision are forgotten. */
  get oldest(): number {
    return this.#oldest;
  }

  add(change: Change): void {
    const size = change.previous?.characters ?? 0;
    this.#changes.push(change);
    this.#sizes.push(size);
    this.#characters += size;
    while (this.#changes.length - this.#start > this.#limit || this.#characters > MOST_CHARACTERS) {
      this.#oldest = this.#changes[this.#start]?.revision ?? this.#oldest;
      this.#characters -= this.#sizes[this.#start] ?? 0;
      this.#start += 1;
    }
    if (2 * this.#start > this.#changes.length) this.#keepFrom(this.#start);
  }

  /** Forgets everything up to a revision, as a compaction does. */
  forget(revision: number): void {
    this.#keepFrom(this.#after(revision));
    this.#oldest = Math.max(this.#oldest, revision);
  }

  /** Changes after a revision, oldest first. */
  since(revision: number): Change[] {
    return this.#changes.slice(this.#after(revision));
  }

  /** Index of the first change after a revision. */
  #after(revision: number): number {
    let low = this.#start;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #keepFrom(index: number): void {
    this.#changes = this.#changes.slice(index);
    this.#sizes = this.#sizes.slice(index);
    this.#characters = this.#sizes.reduce((sum, size) => sum + size, 0);
    this.#start = 0;
  }

  /** Which objects were otherwise at a revision, and how: undefined where there was none. */
  differencesAt(revision: number): Map<string, Version | undefined> {
    const before = new Map<string, Version | undefined>();
    for (const { current, previous } of this.since(revision)) if (!before.has(current.key)) before.set(current.key, previous);
    return before;
  }
}
