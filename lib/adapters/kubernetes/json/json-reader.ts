// JSON in bytes → the fields that are wanted of it. All else is never decoded nor built, only its end is looked for: of a pod
// as the API server sends it that is nine parts in ten, and an environment value that was never read cannot leak.
import type { Wanted, WantedByName, WantedName } from './prepared-fields.ts';
import { step } from './prepared-fields.ts';
import type { Window } from './window.ts';

/** The bytes end within a value. */
export class CutOffError extends SyntaxError {}

const TAB = 9,
  NEWLINE = 10,
  RETURN = 13,
  SPACE = 32,
  QUOTE = 34,
  COMMA = 44,
  MINUS = 45,
  DOT = 46,
  ZERO = 48,
  NINE = 57,
  COLON = 58;
const BACKSLASH = 0x5c,
  OPENING_BRACKET = 0x5b,
  CLOSING_BRACKET = 0x5d,
  OPENING_BRACE = 0x7b,
  CLOSING_BRACE = 0x7d;
/** Stands behind the bytes; none of JSON. */
const END = 0;
/** Digits of a number that is surely exact. */
const PLAIN_DIGITS = 15;
/** Texts that come again and again are kept once; uids and versions of pods, which do not, are not. */
const KEPT_TEXTS = 4_096;
const LONGEST_KEPT = 64;
/** Deeper values are left to the parser that everybody knows. */
const DEEPEST = 60;

/** The top bit of some byte is set where one of the four bytes is zero. */
const borrowsOf = (word: number): number => (word - 0x01010101) & ~word;
const FOUR_QUOTES = 0x22222222,
  FOUR_BACKSLASHES = 0x5c5c5c5c,
  TOP_BITS = 0x80808080;

/** Reads values, one after the other, from the bytes of a window. */
export class JsonReader {
  /** Where the next value, or what stands between two, begins. */
  at = 0;
  #bytes: Buffer = Buffer.alloc(0);
  #words: Int32Array = new Int32Array(0);
  #end = 0;
  #depth = 0;
  readonly #texts: string[] = Array.from({ length: KEPT_TEXTS }, () => '');
  /** Hashes seen last, for a text is kept only when it comes again. */
  readonly #seen = new Int32Array(KEPT_TEXTS);

  /** @param end where the bytes end, and a zero byte stands */
  begin({ bytes, words }: Pick<Window, 'bytes' | 'words'>, from: number, end: number): void {
    if (bytes[end] !== END) throw new Error('no zero byte behind the bytes');
    this.#bytes = bytes;
    this.#words = words;
    this.at = from;
    this.#end = end;
    this.#depth = 0;
  }

  /** Goes back to where a value began that could not be read. */
  goBack(at: number): void {
    this.at = at;
    this.#depth = 0;
  }

  /**
   * The value that begins here, of it the wanted fields.
   * @throws CutOffError the bytes end before the value does; SyntaxError it is not JSON, as far as it was read
   */
  value(wanted: Wanted): unknown {
    const byte = this.next();
    if (byte === QUOTE) return this.text();
    if (byte === OPENING_BRACE) {
      if (wanted === 'whole') return this.#whole(byte);
      if (wanted === 'nothing') return this.skip();
      return this.#fields(wanted);
    }
    if (byte === OPENING_BRACKET) {
      if (wanted === 'whole') return this.#whole(byte);
      return wanted === 'nothing' ? this.skip() : this.#list(wanted);
    }
    return this.#scalar(byte);
  }

  /** The first byte from here on that is no white space; zero at the end. */
  next(): number {
    const bytes = this.#bytes;
    let { at } = this;
    let byte = bytes[at] ?? END;
    while (byte <= SPACE && (byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB)) {
      at += 1;
      byte = bytes[at] ?? END;
    }
    this.at = at;
    return byte;
  }

  /** Goes past that byte. @throws SyntaxError another one stands there */
  pass(byte: number): void {
    if (this.next() !== byte) throw this.fault();
    this.at += 1;
  }

  /** Why what stands here cannot be read. */
  fault(): SyntaxError {
    if (this.at >= this.#end) return new CutOffError('JSON ends too early');
    return new SyntaxError(
      `no JSON at byte ${this.at}: ${JSON.stringify(this.#bytes.toString('latin1', this.at, Math.min(this.#end, this.at + 10)))}`,
    );
  }

  /** The text whose quote stands here. */
  text(): string {
    const bytes = this.#bytes;
    const from = this.at + 1;
    let at = from;
    let hash = 0;
    let all = 0;
    let byte = bytes[at] ?? END;
    for (;;) {
      if (byte <= BACKSLASH) {
        if (byte === QUOTE) break;
        if (byte === BACKSLASH) return this.#escaped(from - 1);
        if (byte < SPACE) throw this.#faultAt(at);
      }
      all |= byte;
      hash = step(hash, byte);
      at += 1;
      byte = bytes[at] ?? END;
    }
    this.at = at + 1;
    const length = at - from;
    if (all >= 0x80) return bytes.toString('utf8', from, at);
    if (length > LONGEST_KEPT) return bytes.toString('latin1', from, at);
    return this.#kept(from, length, hash);
  }

  #kept(from: number, length: number, hash: number): string {
    const bytes = this.#bytes;
    const slot = (hash ^ (hash >>> 15)) & (KEPT_TEXTS - 1);
    const known = this.#texts[slot] ?? '';
    if (known.length === length) {
      let at = 0;
      while (at < length && known.charCodeAt(at) === bytes[from + at]) at += 1;
      if (at === length) return known;
    }
    const text = bytes.toString('latin1', from, from + length);
    if (this.#seen[slot] === hash) this.#texts[slot] = text;
    this.#seen[slot] = hash;
    return text;
  }

  /** Texts with escapes, and what is no text, are the known parser's business. */
  #escaped(from: number): string {
    this.at = from;
    this.#skipText();
    const text: string = JSON.parse(this.#bytes.toString('utf8', from, this.at));
    return text;
  }

  /** Numbers, `true`, `false`, `null`. */
  #scalar(first: number): unknown {
    const bytes = this.#bytes;
    const from = this.at;
    let at = from;
    let number = 0;
    let byte = first;
    while (byte >= ZERO && byte <= NINE) {
      number = number * 10 + byte - ZERO;
      at += 1;
      byte = bytes[at] ?? END;
    }
    const isWhole = byte !== DOT && (byte | 0x20) !== 0x65 && at > from;
    if (isWhole && at - from <= PLAIN_DIGITS && (first !== ZERO || at === from + 1)) {
      this.at = at;
      return number;
    }
    if (first !== MINUS && (first < ZERO || first > NINE) && (first < 0x61 || first > 0x7a)) throw this.fault();
    this.#skipScalar();
    try {
      return JSON.parse(bytes.toString('latin1', from, this.at));
    } catch {
      throw this.#faultAt(this.at >= this.#end ? this.at : from);
    }
  }

  #list(wanted: Wanted): unknown[] {
    if (this.#depth > DEEPEST) throw new SyntaxError(`lists within lists, more than ${DEEPEST} deep, at byte ${this.at}`);
    this.#depth += 1;
    const list = this.#items(wanted);
    this.#depth -= 1;
    return list;
  }

  #items(wanted: Wanted): unknown[] {
    const list: unknown[] = [];
    this.at += 1;
    if (this.next() === CLOSING_BRACKET) {
      this.at += 1;
      return list;
    }
    for (;;) {
      list.push(this.value(wanted));
      const byte = this.next();
      if (byte !== COMMA && byte !== CLOSING_BRACKET) throw this.fault();
      this.at += 1;
      if (byte === CLOSING_BRACKET) return list;
    }
  }

  #fields(wanted: WantedByName): object {
    const object: Record<string, unknown> = {};
    const bytes = this.#bytes;
    this.at += 1;
    if (this.next() === CLOSING_BRACE) {
      this.at += 1;
      return object;
    }
    for (;;) {
      if (this.next() !== QUOTE) throw this.fault();
      const from = this.at + 1;
      let at = from;
      let hash = 0;
      let byte = bytes[at] ?? END;
      while (byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE) {
        hash = step(hash, byte);
        at += 1;
        byte = bytes[at] ?? END;
      }
      let named: WantedName | undefined;
      let key: string | undefined;
      if (byte === QUOTE) {
        this.at = at + 1;
        named = wanted.slots[hash & wanted.mask];
        if (named && (named.hash !== hash || !this.#isAt(named.name, from, at))) named = undefined;
        if (!named && wanted.rest !== 'nothing') key = bytes.toString('utf8', from, at);
      } else {
        key = this.text();
        named = wanted.slots.find((candidate) => candidate?.name === key);
      }
      this.pass(COLON);
      const below = named ? named.wanted : wanted.rest;
      if (below === 'nothing') this.skip();
      else set(object, named ? named.name : (key ?? ''), this.value(below));
      byte = this.next();
      if (byte !== COMMA && byte !== CLOSING_BRACE) throw this.fault();
      this.at += 1;
      if (byte === CLOSING_BRACE) return object;
    }
  }

  #isAt(name: string, from: number, end: number): boolean {
    if (name.length !== end - from) return false;
    for (let at = 0; at < name.length; at += 1) if (name.charCodeAt(at) !== this.#bytes[from + at]) return false;
    return true;
  }

  #whole(opening: number): unknown {
    if (this.#depth > DEEPEST) {
      const from = this.at;
      this.skip();
      return JSON.parse(this.#bytes.toString('utf8', from, this.at));
    }
    this.#depth += 1;
    const value = opening === OPENING_BRACKET ? this.#items('whole') : this.#wholeObject();
    this.#depth -= 1;
    return value;
  }

  #wholeObject(): object {
    const object: Record<string, unknown> = {};
    this.at += 1;
    if (this.next() === CLOSING_BRACE) {
      this.at += 1;
      return object;
    }
    for (;;) {
      if (this.next() !== QUOTE) throw this.fault();
      const key = this.text();
      this.pass(COLON);
      set(object, key, this.value('whole'));
      const byte = this.next();
      if (byte !== COMMA && byte !== CLOSING_BRACE) throw this.fault();
      this.at += 1;
      if (byte === CLOSING_BRACE) return object;
    }
  }

  /**
   * Goes past the value that begins here, looking for nothing but its end.
   * @throws CutOffError the bytes end before the value does
   */
  skip(): undefined {
    const first = this.next();
    if (first === QUOTE) return this.#skipText();
    if (first !== OPENING_BRACE && first !== OPENING_BRACKET) {
      this.#skipScalar();
      return undefined;
    }
    const bytes = this.#bytes;
    let at = this.at + 1;
    let depth = 1;
    do {
      const byte = bytes[at] ?? END;
      if (byte === QUOTE) {
        at = this.#endOfText(at + 1);
        if (bytes[at] !== QUOTE) throw this.#faultAt(at);
      }
      // Brackets and braces differ in one bit, and in the same one from each other.
      else if (byte >= OPENING_BRACKET) {
        if ((byte | 0x20) === CLOSING_BRACE) depth -= 1;
        else if ((byte | 0x20) === OPENING_BRACE) depth += 1;
      } else if (byte === END) throw this.#faultAt(at);
      at += 1;
    } while (depth > 0);
    this.at = at;
    if (at > this.#end) throw this.fault();
    return undefined;
  }

  #skipText(): undefined {
    const end = this.#endOfText(this.at + 1);
    if (this.#bytes[end] !== QUOTE || end >= this.#end) throw this.#faultAt(end);
    this.at = end + 1;
    return undefined;
  }

  /** @returns where the quote stands that ends the text begun before, or the zero byte that cuts it off; perhaps that far behind the end */
  #endOfText(from: number): number {
    const bytes = this.#bytes;
    const words = this.#words;
    let at = from;
    for (;;) {
      if ((at & 3) === 0)
        for (;;) {
          const word = words[at >> 2] ?? 0;
          const quotes = word ^ FOUR_QUOTES;
          const backslashes = word ^ FOUR_BACKSLASHES;
          if ((borrowsOf(word) | borrowsOf(quotes) | borrowsOf(backslashes)) & TOP_BITS) break;
          at += 4;
        }
      const byte = bytes[at] ?? END;
      if (byte <= BACKSLASH) {
        if (byte === QUOTE || byte === END) return at;
        if (byte === BACKSLASH) at += 1;
      }
      at += 1;
    }
  }

  #skipScalar(): void {
    const bytes = this.#bytes;
    const from = this.at;
    let { at } = this;
    for (let byte = bytes[at] ?? END; isOfScalar(byte); byte = bytes[at] ?? END) at += 1;
    this.at = at;
    if (at === from) throw this.fault();
  }

  #faultAt(at: number): SyntaxError {
    this.at = at;
    return this.fault();
  }
}

/** Letters, digits, and what else numbers have. */
const isOfScalar = (byte: number): boolean =>
  (byte >= ZERO && byte <= NINE) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x45 || byte === MINUS || byte === DOT || byte === 0x2b;

/** As the known parser does: a key of that name is a key like any other. */
function set(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
