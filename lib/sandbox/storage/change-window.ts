// The latest changes of one resource: what a watch may still resume from, and how a list looked a while ago.
import type { Change, Version } from './version.ts';

export class ChangeWindow {
  readonly #limit: number;
  #changes: Change[] = [];
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
    this.#changes.push(change);
    while (this.#changes.length - this.#start > this.#limit) {
      this.#oldest = this.#changes[this.#start]?.revision ?? this.#oldest;
      this.#start += 1;
    }
    if (this.#start > this.#limit) {
      this.#changes = this.#changes.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Forgets everything up to a revision, as a compaction does. */
  forget(revision: number): void {
    this.#changes = this.since(revision);
    this.#start = 0;
    this.#oldest = Math.max(this.#oldest, revision);
  }

  /** Changes after a revision, oldest first. */
  since(revision: number): Change[] {
    let low = this.#start;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.#changes.slice(low);
  }

  /** Which objects were otherwise at a revision, and how: undefined where there was none. */
  differencesAt(revision: number): Map<string, Version | undefined> {
    const before = new Map<string, Version | undefined>();
    for (const { current, previous } of this.since(revision)) if (!before.has(current.key)) before.set(current.key, previous);
    return before;
  }
}
