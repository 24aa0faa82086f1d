// The order of work: owners take turns, so that the pods of a large workload do not keep those of small ones waiting.

export class Turns {
  /** Items that are due, by owner; the owner whose turn was last stands last. */
  readonly #byOwner = new Map<string, Set<string>>();
  readonly #owners = new Map<string, string>();

  add(item: string, owner: string): void {
    if (this.#owners.has(item)) return;
    this.#owners.set(item, owner);
    const due = this.#byOwner.get(owner);
    if (due) due.add(item);
    else this.#byOwner.set(owner, new Set([item]));
  }

  delete(item: string): void {
    const owner = this.#owners.get(item) ?? '';
    const due = this.#byOwner.get(owner);
    this.#owners.delete(item);
    due?.delete(item);
    if (due?.size === 0) this.#byOwner.delete(owner);
  }

  clear(): void {
    this.#byOwner.clear();
    this.#owners.clear();
  }

  /** @returns the first item, of the owner who waits longest, that can be taken; it is due no more. Those that cannot stay due. */
  take(canBeTaken: (item: string) => boolean): string | undefined {
    for (const [owner, due] of this.#byOwner)
      for (const item of due) {
        if (!canBeTaken(item)) continue;
        this.delete(item);
        if (this.#byOwner.delete(owner) && due.size > 0) this.#byOwner.set(owner, due);
        return item;
      }
    return undefined;
  }
}
