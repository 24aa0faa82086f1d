// Remembers what people asked for, by the token of the asker, so that the same asked again is neither done nor told a second time. Kept for about an
// hour, as answers are; beyond that the objects themselves keep the latest tokens.
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { jsonIn } from '../../objects/values/untyped-fields.ts';
import type { Store } from '../../ports/store.ts';
import { ActionAnswer } from '../../wire/words/action-words.ts';

/** On an owner: digests of the latest actions on it, the newest last. It changes with the very write that an action is. */
export const ACTIONS_ANNOTATION = 'farloop.dev/actions';
const MOST_KEPT = 8;

const BEGUN = 0;
const DONE = 1;

/** @param asked everything that makes it this action and no other */
export const digestOfAction = (token: string, asked: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify([token, ...asked]))
    .digest('base64url')
    .slice(0, 22);

export class ActionMemory {
  readonly #store: Pick<Store, 'putAnswer' | 'readAnswer'>;
  readonly #cluster: string;
  readonly #id: string;

  constructor(store: Pick<Store, 'putAnswer' | 'readAnswer'>, cluster: string, digest: string) {
    this.#store = store;
    this.#cluster = cluster;
    this.#id = `action-${digest}`;
  }

  /** @returns the answer that was given before; whether it was begun and nobody knows how it ended; or neither */
  async read(): Promise<{ answer?: ActionAnswer; isBegun: boolean }> {
    const bytes = await this.#store.readAnswer(this.#cluster, this.#id, DONE);
    const answer = v.safeParse(ActionAnswer, bytes && jsonIn(Buffer.from(bytes).toString()));
    if (answer.success) return { answer: answer.output, isBegun: true };
    return { isBegun: (await this.#store.readAnswer(this.#cluster, this.#id, BEGUN)) !== undefined };
  }

  async begin(): Promise<void> {
    await this.#store.putAnswer(this.#cluster, this.#id, BEGUN, Buffer.from('{}'));
  }

  async end(answer: ActionAnswer): Promise<void> {
    await this.#store.putAnswer(this.#cluster, this.#id, DONE, Buffer.from(JSON.stringify(answer)));
  }
}

const digestsOn = (annotations: Readonly<Record<string, string>> | undefined): string[] =>
  (annotations?.[ACTIONS_ANNOTATION] ?? '').split(' ').filter((digest) => digest !== '');

export const isNotedOn = (annotations: Readonly<Record<string, string>> | undefined, digest: string): boolean =>
  digestsOn(annotations).includes(digest);

/** The annotation with this digest, too. */
export const notedWith = (annotations: Readonly<Record<string, string>> | undefined, digest: string): Record<string, string> => ({
  [ACTIONS_ANNOTATION]: [...digestsOn(annotations), digest].slice(-MOST_KEPT).join(' '),
});
