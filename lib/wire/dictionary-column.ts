// Values that some pods have, behind the last of the pods' columns: each different value once, and for each such pod which. Builds that do
// not know of one read the columns as far as they reach, and do without.
import type { DictionaryFact } from '../objects/pods/fact-row.ts';
import type { PodFacts } from '../objects/pods/fact-table.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { parseGuarded } from './guarded-json.ts';
import { MessageTooLargeError, UndecodableMessageError } from './undecodable.ts';

type Fact = DictionaryFact<PodFacts>;

/** Collects what pods have. */
export class DictionaryColumn {
  readonly #fact: Fact;
  readonly #texts = new Map<string, number>();
  readonly #places: number[] = [];
  #bytes = 0;
  #last: { value: unknown; place: number } | undefined;

  constructor(fact: Fact) {
    this.#fact = fact;
  }

  /** @param value of the next pod that has one */
  add(value: unknown): void {
    if (!this.#last || this.#last.value !== value) this.#last = { value, place: this.#placeOf(value) };
    this.#places.push(this.#last.place);
  }

  /** Nothing where no pod has one. */
  writeTo(writer: ByteWriter): void {
    if (this.#places.length === 0) return;
    writer.unsigned(this.#texts.size);
    for (const each of this.#texts.keys()) writer.text(each);
    for (const place of this.#places) writer.unsigned(place);
  }

  /** From 1; 0: left out. @throws MessageTooLargeError a value that must not be left out, and that no reader takes */
  #placeOf(value: unknown): number {
    const { encode, spare } = this.#fact;
    const text = JSON.stringify(encode(value));
    const whole = this.#place(text, spare?.bytesMax ?? Infinity);
    if (whole !== undefined) return whole;
    if (!spare) throw new MessageTooLargeError(`a value of a pod of ${text.length} characters`);
    return this.#place(JSON.stringify(encode(spare.shorten(value))), spare.bytesMax + spare.shortBytesMax) ?? 0;
  }

  #place(text: string, bytesMax: number): number | undefined {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const bytes = Buffer.byteLength(text);
    if (this.#bytes + bytes > bytesMax || bytes > this.#fact.bytesMax) return undefined;
    this.#bytes += bytes;
    this.#texts.set(text, this.#texts.size + 1);
    return this.#texts.size;
  }
}

/**
 * One for each pod that has any, in their order; alike ones are one object, to be read only.
 * @param count of those pods
 * @throws UndecodableMessageError anything that a column would not have written
 */
export function readDictionary({ bytesMax, schema, decode, spare }: Fact, reader: ByteReader, count: number): unknown[] {
  if (count === 0) return [];
  const size = reader.unsigned();
  if (size > count) throw new UndecodableMessageError(`${size} values of ${count} pods`);
  let bytesLeft = spare ? spare.bytesMax + spare.shortBytesMax : Infinity;
  const all: unknown[] = [];
  for (let at = 0; at < size; at += 1) {
    const text = reader.text(Math.min(bytesMax, bytesLeft));
    bytesLeft -= Buffer.byteLength(text);
    all.push(decode(parseGuarded(text, schema, 'value of a pod')));
  }
  return Array.from({ length: count }, () => {
    const place = reader.unsigned();
    if (place > all.length) throw new UndecodableMessageError('a value of a pod that the message does not hold');
    return all[place - 1];
  });
}
