// Concurrent callers with the same question share one request.

export class OncePerKey<Answer> {
  readonly #asking = new Map<string, Promise<Answer>>();

  /** Joins a request that is under way, else begins one. If `ask` throws, all callers that joined get the error. */
  async of(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const asking = this.#asking.get(key) ?? ask().finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return await asking;
  }
}
