// One version of one object. At rest it is a text, for the file, the wire and the window of changes; fields take three times the memory, and
// those that somebody asks for again and again are kept beside it.
import { jsonText } from '../../objects/values/json-text.ts';
import type { ApiObject } from '../objects/api-object.ts';

/** Where an object lies within its resource: `namespace/name`, or `/name` where there is no namespace. */
export const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

const NO_LABELS = {};

export class Version {
  readonly key: string;
  /** The resourceVersion as a number: this server issues them itself and stays below 2^53. */
  readonly revision: number;
  #object: ApiObject | undefined;
  #text: string | undefined;
  #labels: Readonly<Record<string, string>> | undefined;
  #isRetired = false;

  constructor(key: string, revision: number, content: { object?: ApiObject; text?: string }) {
    this.key = key;
    this.revision = revision;
    this.#object = content.object;
    this.#text = content.text;
  }

  /** Never changed once stored: another state is another version. */
  get object(): ApiObject {
    if (this.#object !== undefined) return this.#object;
    const object = parsed(this.#text);
    if (!this.#isRetired) this.#object = object;
    return object;
  }

  /** The same for one look: where only the text is there, its fields are let go at once. */
  glance(): ApiObject {
    return this.#object ?? parsed(this.#text);
  }

  /** Once they were asked for they are known without the other fields: most lists and watches select by them. */
  get labels(): Readonly<Record<string, string>> {
    this.#labels ??= this.glance().metadata.labels ?? NO_LABELS;
    return this.#labels;
  }

  /** JSON without `kind` and `apiVersion`. */
  get text(): string {
    this.#text ??= jsonText(this.object);
    return this.#text;
  }

  /** Of its text, where there is one. */
  get characters(): number {
    return this.#text?.length ?? 0;
  }

  /** Written, and told to all who watch. */
  rest(): void {
    if (this.#text === undefined || this.#object === undefined) return;
    this.#labels ??= this.#object.metadata.labels ?? NO_LABELS;
    this.#object = undefined;
  }

  /** Superseded: it keeps no fields, even if somebody asks for them. */
  retire(): void {
    this.rest();
    this.#isRetired = this.#object === undefined;
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
