// The value that stood in a value's place before an update: what did not change is not refused for what was wrong with it already.
import { isFields, isSame } from '../objects/api-object.ts';
import { fieldSchemaOf, itemsOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

export class Previous {
  readonly #schema: JsonSchema;
  readonly #now: unknown;
  readonly #before: unknown;
  #byKeys: ReadonlyMap<string, unknown> | undefined;

  /** @param schema the structural one of the value, not one under `allOf` and the like */
  constructor(schema: JsonSchema, now: unknown, before: unknown) {
    this.#schema = schema;
    this.#now = now;
    this.#before = before;
  }

  /** Of a field; undefined where it is new or nothing is said of it. */
  field(name: string): Previous | undefined {
    const [now, before] = [this.#now, this.#before];
    if (!isFields(now) || !isFields(before) || !Object.hasOwn(now, name) || !Object.hasOwn(before, name)) return undefined;
    const schema = fieldSchemaOf(this.#schema, name);
    return schema && new Previous(schema, now[name], before[name]);
  }

  /** Of an element; undefined where it is new, or the list has no keys to find it by. */
  element(index: number): Previous | undefined {
    const [now, before] = [this.#now, this.#before];
    if (!Array.isArray(now) || !Array.isArray(before) || this.#schema['x-kubernetes-list-type'] !== 'map') return undefined;
    const items = itemsOf(this.#schema);
    if (!items) return undefined;
    this.#byKeys ??= new Map(before.map((item: unknown) => [this.#keyOf(item), item]));
    const item: unknown = this.#byKeys.get(this.#keyOf(now[index]));
    return item === undefined || item === null ? undefined : new Previous(items, now[index], item);
  }

  #keyOf(item: unknown): string {
    return JSON.stringify((this.#schema['x-kubernetes-list-map-keys'] ?? []).map((key) => (isFields(item) ? item[key] : undefined)));
  }

  /** Elements of a list with keys may have changed their places. */
  get isUnchanged(): boolean {
    const [now, before] = [this.#now, this.#before];
    if (Array.isArray(now) && Array.isArray(before)) {
      if (this.#schema['x-kubernetes-list-type'] !== 'map') return isSame(now, before);
      return now.length === before.length && now.every((_, index) => this.element(index)?.isUnchanged === true);
    }
    if (!isFields(now) || !isFields(before)) return isSame(now, before);
    const names = Object.keys(now);
    // The server compares no field of which the schema says nothing.
    return names.length === Object.keys(before).length && names.every((name) => this.field(name)?.isUnchanged === true);
  }
}
