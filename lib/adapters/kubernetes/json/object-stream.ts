// The answer to a call on one object → the object: a short one is parsed whole; of a long one only the wanted fields are kept as it streams.
import { isFields } from '../../../objects/values/untyped-fields.ts';
import type { WantedFields } from '../../../objects/field-mask.ts';
import { JsonCondenser, withLeftOut } from './json-condenser.ts';
import { LONG_VALUE_BYTES } from './window.ts';
import { prepare } from './prepared-fields.ts';

const FIELD_DEPTH = 2;

export class ObjectStream {
  readonly #fields: WantedFields;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #condenser: JsonCondenser | undefined;
  #isBroken = false;

  constructor(fields: WantedFields) {
    this.#fields = fields;
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= LONG_VALUE_BYTES || this.#isBroken) return;
    if (!this.#condenser) {
      this.#condenser = new JsonCondenser(FIELD_DEPTH);
      this.#condenser.begin(prepare(this.#fields));
    }
    try {
      for (const each of this.#chunks) this.#condenser.take(each, 0, each.length);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#isBroken = true;
    }
    this.#chunks = [];
  }

  /** @returns undefined where what came is no JSON, or ended too early */
  end(): unknown {
    const condenser = this.#condenser;
    try {
      if (!condenser) return JSON.parse(Buffer.concat(this.#chunks).toString());
      if (this.#isBroken || !condenser.isDone) return undefined;
      const { bytes, length } = condenser.json;
      const object: unknown = JSON.parse(bytes.toString('utf8', 0, length));
      return isFields(object) ? withLeftOut(object, condenser) : object;
    } catch {
      return undefined;
    }
  }
}
