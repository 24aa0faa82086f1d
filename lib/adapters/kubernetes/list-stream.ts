// A page of a list → its items, read one by one as they come, so that the page's text is never held as a whole.
import type { WantedFields } from '../../objects/wanted-fields.ts';
import type { Wanted } from './json-reader.ts';
import { CutOffError, JsonReader, prepare } from './json-reader.ts';
import { Window } from './window.ts';

const [QUOTE, COMMA, COLON, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x22, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d];

/** What is to come next. */
type Place = 'object' | 'first field' | 'field' | 'after field' | 'first item' | 'item' | 'after item' | 'nothing';

/** The fields of the answer that are looked at, as they were told. */
export interface Told {
  metadata?: unknown;
  items?: unknown;
}

export class ListStream {
  readonly #reader = new JsonReader();
  readonly #window = new Window();
  readonly #wanted: Wanted;
  #place: Place = 'object';
  /** No look at the window before so much is there: an item longer than a chunk is not begun anew with each of them. */
  #worthALook = 0;
  readonly #told: Told = {};
  #items: unknown[] = [];
  #isBroken = false;

  /** @param fields wanted of each item */
  constructor(fields: WantedFields) {
    this.#wanted = prepare(fields);
  }

  /** Reads what can be read by now. */
  take(chunk: Buffer): void {
    if (this.#isBroken) return;
    this.#window.take(chunk);
    if (this.#window.end - this.#window.from >= this.#worthALook) this.#read();
  }

  /** @returns undefined where what came is no JSON object, or ended too early */
  end(): Told | undefined {
    if (!this.#isBroken) this.#read();
    return this.#place === 'nothing' && !this.#isBroken ? this.#told : undefined;
  }

  #read(): void {
    const window = this.#window;
    const reader = this.#reader;
    reader.begin(window, window.from, window.end);
    this.#worthALook = 0;
    try {
      while (reader.next() !== 0 || reader.at < window.end) {
        this.#place = this.#step();
        window.from = reader.at;
      }
    } catch (error) {
      if (error instanceof CutOffError) this.#worthALook = 2 * (window.end - window.from);
      else this.#isBroken = true;
    }
  }

  #step(): Place {
    const reader = this.#reader;
    switch (this.#place) {
      case 'object':
        reader.pass(OPENING_BRACE);
        return 'first field';
      case 'first field':
        return reader.next() === CLOSING_BRACE ? this.#pass(CLOSING_BRACE, 'nothing') : this.#field();
      case 'field':
        return this.#field();
      case 'after field':
        return reader.next() === COMMA ? this.#pass(COMMA, 'field') : this.#pass(CLOSING_BRACE, 'nothing');
      case 'first item':
        return reader.next() === CLOSING_BRACKET ? this.#pass(CLOSING_BRACKET, 'after field') : this.#item();
      case 'item':
        return this.#item();
      case 'after item':
        return reader.next() === COMMA ? this.#pass(COMMA, 'item') : this.#pass(CLOSING_BRACKET, 'after field');
      case 'nothing':
      default:
        throw reader.fault();
    }
  }

  #pass(byte: number, next: Place): Place {
    this.#reader.pass(byte);
    return next;
  }

  #item(): Place {
    const item = this.#value(this.#wanted);
    this.#items.push(item);
    return 'after item';
  }

  #field(): Place {
    const reader = this.#reader;
    if (reader.next() !== QUOTE) throw reader.fault();
    const key = reader.text();
    reader.pass(COLON);
    const opening = reader.next();
    if (key === 'items' && opening === OPENING_BRACKET) {
      reader.pass(OPENING_BRACKET);
      this.#items = [];
      this.#told.items = this.#items;
      return 'first item';
    }
    const value = this.#value(key === 'metadata' || key === 'items' ? 'whole' : 'nothing');
    if (key === 'metadata' || key === 'items') this.#told[key] = value;
    return 'after field';
  }

  /** Something must follow it: else it may be a number of which more is to come. */
  #value(wanted: Wanted): unknown {
    const value = this.#reader.value(wanted);
    if (this.#reader.next() === 0) throw this.#reader.fault();
    return value;
  }
}
