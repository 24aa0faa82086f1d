// A page of a list → its items, read one by one as they come, so that neither the page's text nor that of a large item is ever held as a
// whole.
import { markUnreadable, metadataOf } from '../../../objects/unreadable.ts';
import { isFields, isObjectMetadata } from '../../../objects/values/untyped-fields.ts';
import type { WantedFields } from '../../../objects/field-mask.ts';
import { JsonCondenser, withLeftOut } from './json-condenser.ts';
import { CutOffError, JsonReader } from './json-reader.ts';
import type { Wanted } from './prepared-fields.ts';
import { prepare } from './prepared-fields.ts';
import { LONG_VALUE_BYTES, Window } from './window.ts';

const [QUOTE, COMMA, COLON, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x22, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d];

/** The part of the answer that the reader expects next. */
type Place = 'object' | 'first field' | 'field' | 'value' | 'after field' | 'first item' | 'item' | 'after item' | 'nothing';

/** Of an item the fields of `metadata` and the like: `metadata.labels`. */
const FIELD_DEPTH = 2;

/** The fields of the answer that are looked at, as the server sent them. */
export interface Told {
  metadata?: unknown;
  items?: unknown;
}

/** For one stream at a time. */
export class ListTools {
  readonly reader = new JsonReader();
  readonly window = new Window();
  readonly condenser = new JsonCondenser(FIELD_DEPTH);

  /** Bytes that they hold on to. */
  get heldBytes(): number {
    return this.window.bytes.length + this.condenser.heldBytes;
  }
}

export class ListStream<Item> {
  readonly #reader: JsonReader;
  readonly #window: Window;
  readonly #condenser: JsonCondenser;
  readonly #wanted: Wanted;
  readonly #wantedOfUnreadable: Wanted;
  readonly #each: ((item: Item) => void) | undefined;
  #place: Place = 'object';
  /** No look at the window before so much is there: an item longer than a chunk is not begun anew with each of them. */
  #worthALook = 0;
  readonly #told: Told = {};
  #items: unknown[] = [];
  /** The field whose value comes next. */
  #key = '';
  /** The value under way is read as it comes. */
  #isLong = false;
  #isBroken = false;

  /**
   * @param fields wanted of each item
   * @param each takes the items; without it they are returned at the end
   * @param tools of a stream that has ended: new ones for each page would be most of a relay's garbage
   */
  constructor(fields: WantedFields, each?: (item: Item) => void, tools = new ListTools()) {
    this.#reader = tools.reader;
    this.#window = tools.window;
    this.#window.clear();
    this.#condenser = tools.condenser;
    this.#wanted = prepare(fields);
    this.#wantedOfUnreadable = prepare(metadataOf(fields));
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
    try {
      do {
        if (this.#isLong && !this.#readLong()) return;
        this.#readShort();
      } while (this.#isLong);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error; // The taker of the items failed.
      this.#isBroken = true;
      window.clear();
    }
  }

  /** Reads on until there is no more, or a value begins that is too long to wait for. */
  #readShort(): void {
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
      if (!(error instanceof CutOffError)) throw error;
      const waiting = window.end - window.from;
      this.#worthALook = 2 * waiting;
      if (this.#worthALook > LONG_VALUE_BYTES) this.#beginLong();
    }
  }

  #beginLong(): void {
    const place = this.#place;
    if (place !== 'item' && place !== 'first item' && place !== 'value') throw new SyntaxError('a name of a field without end');
    this.#condenser.begin(place === 'value' ? wantedOf(this.#key) : this.#wanted);
    this.#isLong = true;
    this.#worthALook = 0;
  }

  /** @returns false while more of it is to come */
  #readLong(): boolean {
    const window = this.#window;
    const condenser = this.#condenser;
    window.from = condenser.take(window.bytes, window.from, window.end);
    if (!condenser.isDone) return false;
    this.#isLong = false;
    this.#reader.begin(condenser.json, 0, condenser.json.length);
    const isValue = this.#place === 'value';
    const value = condenser.json.length === 0 ? undefined : this.#reader.value(isValue ? wantedOf(this.#key) : this.#wanted);
    if (isValue) this.#keep(value);
    else this.#tell(isFields(value) ? withLeftOut(value, condenser) : value);
    this.#place = isValue ? 'after field' : 'after item';
    return true;
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
      case 'value':
        return this.#keep(this.#value(wantedOf(this.#key)));
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
    this.#tell(this.#readable());
    return 'after item';
  }

  /** The item that begins here; what cannot be read of it is left out, as long as its metadata can. */
  #readable(): unknown {
    const { at } = this.#reader;
    try {
      return this.#value(this.#wanted);
    } catch (error) {
      if (!(error instanceof SyntaxError) || error instanceof CutOffError) throw error;
      this.#reader.goBack(at);
      const item = this.#value(this.#wantedOfUnreadable);
      if (!isFields(item)) throw error;
      return markUnreadable(item, 'its JSON cannot be read');
    }
  }

  #tell(item: unknown): void {
    const read = { item };
    if (!this.#each) this.#items.push(item);
    else if (isRead<Item>(read)) this.#each(read.item);
    else throw new SyntaxError('an item without metadata');
  }

  #field(): Place {
    const reader = this.#reader;
    if (reader.next() !== QUOTE) throw reader.fault();
    this.#key = reader.text();
    reader.pass(COLON);
    if (reader.next() === 0) throw reader.fault();
    if (this.#key !== 'items' || reader.next() !== OPENING_BRACKET) return 'value';
    reader.pass(OPENING_BRACKET);
    this.#items = [];
    this.#told.items = this.#items;
    return 'first item';
  }

  #keep(value: unknown): Place {
    if (this.#key === 'metadata' || this.#key === 'items') this.#told[this.#key] = value;
    return 'after field';
  }

  /** Something must follow it: else it may be a number of which more is to come. */
  #value(wanted: Wanted): unknown {
    const value = this.#reader.value(wanted);
    if (this.#reader.next() === 0) throw this.#reader.fault();
    return value;
  }
}

/** Of the page's own fields. */
const wantedOf = (key: string): Wanted => (key === 'metadata' || key === 'items' ? 'whole' : 'nothing');

interface Read<Item> {
  item: Item;
}

const isRead = <Item>(read: Read<unknown>): read is Read<Item> => isFields(read.item) && isObjectMetadata(read.item['metadata']);
