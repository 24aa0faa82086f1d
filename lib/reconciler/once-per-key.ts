// One question to the outside for all who ask it at the same time.

export class OncePerKey<Answer> {
  readonly #asking = new Map<string, Promise<Answer>>();

  /** Joins the asking that is under way, else begins one. Throws what `ask` throws, to all who joined. */
  async of(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asking = this.#asking.get(key) ?? ask().finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return await asking;
  }
}
