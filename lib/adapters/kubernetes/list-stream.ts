// A page of a list → its items, read one by one as they come, so that the page's text is never held as a whole.
import { isFields, isObjectMetadata } from '../../objects/untyped-fields.ts';
import type { WantedFields } from '../../objects/wanted-fields.ts';
import { CutOffError, JsonReader } from './json-reader.ts';
import type { Wanted } from './prepared-fields.ts';
import { prepare } from './prepared-fields.ts';
import { Window } from './window.ts';

const [QUOTE, COMMA, COLON, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x22, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d];

/** What is to come next. */
type Place = 'object' | 'first field' | 'field' | 'after field' | 'first item' | 'item' | 'after item' | 'nothing';

/** The fields of the answer that are looked at, as they were told. */
export interface Told {
  metadata?: unknown;
  items?: unknown;
}

/** For one stream at a time. */
export class ListTools {
  readonly reader = new JsonReader();
  readonly window = new Window();
}

export class ListStream<Item> {
  readonly #reader: JsonReader;
  readonly #window: Window;
  readonly #wanted: Wanted;
  readonly #each: ((item: Item) => void) | undefined;
  #place: Place = 'object';
  /** No look at the window before so much is there: an item longer than a chunk is not begun anew with each of them. */
  #worthALook = 0;
  readonly #told: Told = {};
  #items: unknown[] = [];
  #isBroken = false;

  /**
   * @param fields wanted of each item
   * @param each takes the items; without it they are told at the end
   * @param tools of a stream that has ended: new ones for each page would be most of a relay's garbage
   */
  constructor(fields: WantedFields, each?: (item: Item) => void, tools = new ListTools()) {
    this.#reader = tools.reader;
    this.#window = tools.window;
    this.#window.clear();
    this.#wanted = prepare(fields);
    this.#each = each;
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
      else if (error instanceof SyntaxError) this.#isBroken = true;
      // Whoever takes the items failed.
      else throw error;
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
    const read = { item: this.#value(this.#wanted) };
    if (!this.#each) this.#items.push(read.item);
    else if (isRead<Item>(read)) this.#each(read.item);
    else throw new SyntaxError('an item without metadata');
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

interface Read<Item> {
  item: Item;
}

const isRead = <Item>(read: Read<unknown>): read is Read<Item> => isFields(read.item) && isObjectMetadata(read.item['metadata']);
