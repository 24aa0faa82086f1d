// Values that only some pods have, in a column after the fixed ones: each distinct value once, then each such pod's place in that list.
// Builds that do not know such a column read the columns before it and ignore the rest.
import type { DictionaryFact } from '../../objects/pods/fact-row.ts';
import type { PodFacts } from '../../objects/pods/fact-table.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { parseGuarded } from '../words/guarded-json.ts';
import { MessageTooLargeError, UndecodableMessageError } from '../words/undecodable.ts';

type Fact = DictionaryFact<PodFacts>;

/** Collects the values of pods. */
export class DictionaryColumn {
  readonly #fact: Fact;
  readonly #texts = new Map<string, number>();
  readonly #places: number[] = [];
  #bytes = 0;
  #last: { value: unknown; place: number } | undefined;

  constructor(fact: Fact) {
    this.#fact = fact;
  }

  /** @param value of the next pod that has a value */
  add(value: unknown): void {
    if (!this.#last || this.#last.value !== value) this.#last = { value, place: this.#placeOf(value) };
    this.#places.push(this.#last.place);
  }

  /** Writes nothing if no pod has a value. */
  writeTo(writer: ByteWriter): void {
    if (this.#places.length === 0) return;
    writer.unsigned(this.#texts.size);
    for (const each of this.#texts.keys()) writer.text(each);
    for (const place of this.#places) writer.unsigned(place);
  }

  /** Places start at 1; 0: the value is left out. @throws MessageTooLargeError a value may not be left out and is too large for readers */
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
 * One value per pod that has any, in the pods' order. Equal values are one object, so do not change them.
 * @param count of those pods
 * @throws UndecodableMessageError anything that DictionaryColumn would not have written
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
