// One version of one object: its fields while they are asked for, its text for the file, the wire and the window of changes.
import { jsonText } from '../../objects/values/json-text.ts';
import type { ApiObject } from '../objects/api-object.ts';

/** Where an object lies within its resource: `namespace/name`, or `/name` where there is no namespace. */
export const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

export class Version {
  readonly key: string;
  /** The resourceVersion as a number: this server issues them itself and stays below 2^53. */
  readonly revision: number;
  #object: ApiObject | undefined;
  #text: string | undefined;

  constructor(key: string, revision: number, content: { object?: ApiObject; text?: string }) {
    this.key = key;
    this.revision = revision;
    this.#object = content.object;
    this.#text = content.text;
  }

  /** Never changed once stored: another state is another version. */
  get object(): ApiObject {
    this.#object ??= parsed(this.#text);
    return this.#object;
  }

  /** The same for one look: where only the text is there, its fields are let go at once. */
  glance(): ApiObject {
    return this.#object ?? parsed(this.#text);
  }

  /** JSON without `kind` and `apiVersion`. */
  get text(): string {
    this.#text ??= jsonText(this.object);
    return this.#text;
  }

  /** Superseded: only its text is kept, a third of the size. */
  retire(): void {
    if (this.#text !== undefined) this.#object = undefined;
  }
}

function parsed(text = '{"metadata":{}}'): ApiObject {
  const object: ApiObject = JSON.parse(text);
  return object;
}

/** One write, as watches see it. */
export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  resource: string;
  revision: number;
  /** The state written; of a deletion the last state, at the deletion's revision. */
  current: Version;
  previous?: Version;
}
