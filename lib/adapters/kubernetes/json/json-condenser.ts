// A JSON value of any length, as it streams → the JSON of what is wanted of it. It is for values that no buffer should hold: what is not
// wanted is passed over byte by byte, whatever its length, and what is wanted is bounded. Shorter values are read by json-reader.ts in
// place, which is faster; that one reads what is left here, too.
import { markUnreadable, tooLargeText } from '../../../objects/unreadable.ts';
import type { BoundedJsonLimits } from './bounded-json.ts';
import { BoundedJson } from './bounded-json.ts';
import type { Wanted, WantedByName } from './prepared-fields.ts';
import { StreamedText } from './streamed-text.ts';

/** etcd keeps objects of 1.5 MiB; escapes of printable characters are undone before anything is counted. */
export const CONDENSER_LIMITS: BoundedJsonLimits = { fieldBytes: 2 * 1024 * 1024, bytes: 4 * 1024 * 1024 };

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, COMMA, COLON] = [9, 10, 13, 32, 34, 44, 58];
const [BACKSLASH, OPENING_BRACKET, CLOSING_BRACKET, OPENING_BRACE, CLOSING_BRACE] = [0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
/** Names of fields, labels and annotations are shorter. */
const KEY_BYTES_MAX = 1_024;
/** Of a text that is wanted brief (field-mask.ts): a longer one is an empty one. */
const BRIEF_BYTES = 4_096;
/** As deep as json-reader.ts goes into what is wanted by name. */
const DEEPEST = 60;
/** The object that was read, with a mark where fields were left out. @param prefix of their paths that is not part of the object */
export const withLeftOut = <Item extends object>(object: Item, { leftOut }: JsonCondenser, prefix = ''): Item =>
  leftOut.length === 0
    ? object
    : markUnreadable(
        object,
        tooLargeText(
          leftOut.map((path) => path.slice(prefix.length)),
          CONDENSER_LIMITS.fieldBytes / 1024 / 1024,
        ),
      );

/** The token that the reader expects next. */
const VALUE = 0,
  FIRST_KEY = 1,
  KEY = 2,
  KEY_TEXT = 3,
  BEFORE_COLON = 4,
  AFTER_MEMBER = 5,
  FIRST_ITEM = 6,
  TEXT = 7,
  SCALAR = 8,
  /** Within lists and objects that are wanted whole, or not at all. */
  BELOW = 9,
  DONE = 10;

/** An object or list of which parts are wanted. */
interface Frame {
  /** Of an object by name, of a list each item. */
  wanted: WantedByName;
  isList: boolean;
  /** Something has been written into it. */
  isBegun: boolean;
  /** The member that was begun last: its name, where its output began, and whether others stand before it. */
  name: string;
  memberAt: number;
  wasBegun: boolean;
}

export class JsonCondenser {
  /** The kept part of the value, whole once that is done. */
  readonly json: BoundedJson;
  /** Paths of the fields that were left out, for they were larger than the limits, or nested too deep. */
  leftOut: string[] = [];
  /** A field is left out at this depth: of an object 2, as `metadata.labels`. */
  readonly #fieldDepth: number;
  #mode = DONE;
  #frames: Frame[] = [];
  /** Of the value that comes next. */
  #wanted: Wanted = 'nothing';
  /** Whether the text, scalar, list or object under way is kept. */
  #keeps = false;
  /** Lists and objects open within what is wanted whole or not at all. */
  #depth = 0;
  /** In which frame the field is that would be left out. */
  #field = -1;
  readonly #text = new StreamedText();
  /** Where the text began that is being shortened; −1: no such text is open. */
  #briefAt = -1;
  readonly #key = Buffer.alloc(KEY_BYTES_MAX);
  #keyLength = 0;
  #isKeyEscaped = false;
  /** The next character of the key stands behind a backslash. */
  #isEscaped = false;

  constructor(fieldDepth: number, limits: BoundedJsonLimits = CONDENSER_LIMITS) {
    this.#fieldDepth = fieldDepth;
    this.json = new BoundedJson(limits);
  }

  /** Bytes that it holds on to. */
  get heldBytes(): number {
    return this.json.bytes.length;
  }

  /** @param wanted of the value that follows */
  begin(wanted: Wanted): void {
    this.json.begin();
    this.leftOut = [];
    this.#mode = VALUE;
    this.#frames = [];
    // As the reader does: a value that has no fields is kept, whatever is wanted of it.
    this.#wanted = wanted;
    this.#depth = 0;
    this.#isKeyEscaped = false;
    this.#field = -1;
    this.#briefAt = -1;
  }

  get isDone(): boolean {
    return this.#mode === DONE;
  }

  /**
   * Reads on.
   * @returns where it stopped: at `end`, or behind the value's last byte
   * @throws SyntaxError no JSON, as far as it was looked at
   */
  take(bytes: Buffer, from: number, end: number): number {
    let at = from;
    while (at < end && this.#mode !== DONE) {
      at = this.#step(bytes, at, end);
      if (this.#briefAt >= 0) this.#keepBrief();
      if (this.json.isFull) this.#leaveOut();
    }
    if (this.isDone) this.json.close();
    return at;
  }

  #step(bytes: Buffer, from: number, end: number): number {
    switch (this.#mode) {
      case TEXT:
        return this.#takeText(bytes, from, end);
      case KEY_TEXT:
        return this.#takeKey(bytes, from, end);
      case SCALAR:
        return this.#takeScalar(bytes, from, end);
      case BELOW:
        return this.#takeBelow(bytes, from, end);
      default:
    }
    const byte = bytes[from] ?? 0;
    if (isSpace(byte)) return from + 1;
    switch (this.#mode) {
      case VALUE:
        return this.#beginValue(byte, from);
      case FIRST_ITEM:
        if (byte === CLOSING_BRACKET) return this.#endFrame(byte, from);
        return this.#beginItem(byte, from);
      case FIRST_KEY:
        if (byte === CLOSING_BRACE) return this.#endFrame(byte, from);
        return this.#beginKey(byte, from);
      case KEY:
        return this.#beginKey(byte, from);
      case BEFORE_COLON:
        if (byte !== COLON) throw faultAt(bytes, from);
        this.#beginMember();
        return from + 1;
      case AFTER_MEMBER:
      default:
        return this.#afterMember(byte, from);
    }
  }

  #beginValue(byte: number, from: number): number {
    const wanted = this.#wanted;
    const isContainer = byte === OPENING_BRACE || byte === OPENING_BRACKET;
    if (isContainer && typeof wanted === 'object') {
      if (this.#frames.length > DEEPEST) {
        this.json.isFull = true;
        this.#depth = 1;
        this.#mode = BELOW;
        return from + 1;
      }
      const isList = byte === OPENING_BRACKET;
      this.#frames.push({ wanted, isList, isBegun: false, name: '', memberAt: this.json.length + 1, wasBegun: false });
      this.json.put(byte);
      this.#mode = isList ? FIRST_ITEM : FIRST_KEY;
      return from + 1;
    }
    this.#keeps = wanted !== 'nothing' || (this.#frames.length === 0 && !isContainer);
    if (isContainer) {
      this.#depth = 1;
      this.#mode = BELOW;
    } else if (byte === QUOTE) {
      this.#beginText();
      if (isBrief(wanted)) this.#briefAt = this.json.length;
    } else if (isOfScalar(byte)) {
      this.#mode = SCALAR;
      return from;
    } else throw new SyntaxError(`no JSON value begins with ${JSON.stringify(String.fromCharCode(byte))}`);
    if (this.#keeps) this.json.put(byte);
    return from + 1;
  }

  #endValue(): void {
    this.#mode = this.#frames.length === 0 ? DONE : AFTER_MEMBER;
  }

  #afterMember(byte: number, from: number): number {
    const frame = this.#frame();
    if (byte === COMMA) {
      this.#mode = KEY;
      if (frame.isList) this.#beginMemberOf(frame, '', frame.wanted);
      return from + 1;
    }
    return this.#endFrame(byte, from);
  }

  #endFrame(byte: number, from: number): number {
    const { isList } = this.#frame();
    if (byte !== (isList ? CLOSING_BRACKET : CLOSING_BRACE)) throw new SyntaxError('neither a comma nor the end of a list or object');
    this.json.putAnyway(byte);
    this.#frames.pop();
    this.#endValue();
    return from + 1;
  }

  #beginItem(byte: number, from: number): number {
    const frame = this.#frame();
    this.#beginMemberOf(frame, '', frame.wanted);
    return this.#beginValue(byte, from);
  }

  #beginKey(byte: number, from: number): number {
    if (byte !== QUOTE) throw new SyntaxError('no name of a field where one must stand');
    this.#mode = KEY_TEXT;
    this.#keyLength = 0;
    this.#isKeyEscaped = false;
    this.#isEscaped = false;
    return from + 1;
  }

  #takeKey(bytes: Buffer, from: number, end: number): number {
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (!this.#isEscaped && byte === QUOTE) {
        this.#mode = BEFORE_COLON;
        return at + 1;
      }
      this.#isEscaped = !this.#isEscaped && byte === BACKSLASH;
      this.#isKeyEscaped ||= this.#isEscaped;
      if (this.#keyLength < KEY_BYTES_MAX) this.#key[this.#keyLength] = byte;
      this.#keyLength += 1;
    }
    return end;
  }

  /** Its name has been read, and the colon behind it. */
  #beginMember(): void {
    const frame = this.#frame();
    const { slots, rest } = frame.wanted;
    const isNamed = this.#keyLength <= KEY_BYTES_MAX;
    const name = isNamed ? this.#keyName() : `${this.#key.toString('utf8', 0, 32)}…`;
    const known = isNamed ? slots.find((slot) => slot?.name === name) : undefined;
    this.#mode = VALUE;
    this.#wanted = known ? known.wanted : rest;
    if (this.#wanted === 'nothing') return;
    this.#beginMemberOf(frame, name, this.#wanted);
    this.json.put(QUOTE);
    this.json.append(this.#key, 0, Math.min(this.#keyLength, KEY_BYTES_MAX));
    this.json.put(QUOTE);
    this.json.put(COLON);
    if (!isNamed) this.json.isFull = true;
  }

  #keyName(): string {
    const text = this.#key.toString('utf8', 0, this.#keyLength);
    if (!this.#isKeyEscaped) return text;
    const name: string = JSON.parse(`"${text}"`);
    return name;
  }

  #beginMemberOf(frame: Frame, name: string, wanted: Wanted): void {
    frame.name = name;
    frame.memberAt = this.json.length;
    frame.wasBegun = frame.isBegun;
    this.#noteField();
    if (frame.isBegun) this.json.put(COMMA);
    frame.isBegun = true;
    this.#wanted = wanted;
    this.#mode = VALUE;
  }

  /** Which member of which object is left out where what is read now proves too large. */
  #noteField(): void {
    const depth = this.#frames.length;
    if (depth > this.#fieldDepth || this.#frames.some(({ isList }) => isList)) return;
    this.#field = depth - 1;
    this.json.beginField();
  }

  /** Ends a text, a scalar, or a part that is wanted whole or not at all. */
  #endPart(): void {
    if (this.#depth > 0) this.#mode = BELOW;
    else this.#endValue();
  }

  #takeScalar(bytes: Buffer, from: number, end: number): number {
    let at = from;
    while (at < end && isOfScalar(bytes[at] ?? 0)) at += 1;
    if (this.#keeps) this.json.append(bytes, from, at);
    if (at < end) this.#endPart();
    return at;
  }

  #takeBelow(bytes: Buffer, from: number, end: number): number {
    const keeps = this.#keeps;
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (keeps) this.json.put(byte);
      if (byte === QUOTE) {
        this.#beginText();
        return at + 1;
      }
      // Brackets and braces differ in one bit, and in the same one from each other.
      if (byte >= OPENING_BRACKET) {
        if ((byte | 0x20) === OPENING_BRACE) this.#depth += 1;
        else if ((byte | 0x20) === CLOSING_BRACE) {
          this.#depth -= 1;
          if (this.#depth === 0) {
            this.#endValue();
            return at + 1;
          }
        }
      } else if (byte === 0) throw faultAt(bytes, at);
      if (this.json.isFull) return at + 1;
    }
    return end;
  }

  #beginText(): void {
    this.#mode = TEXT;
    this.#text.begin(this.#keeps);
  }

  #takeText(bytes: Buffer, from: number, end: number): number {
    const at = this.#text.take(bytes, from, end, this.json);
    if (this.#text.isDone) this.#endPart();
    return at;
  }

  #keepBrief(): void {
    const isLong = this.json.isFull || this.json.length - this.#briefAt > BRIEF_BYTES;
    if (isLong) {
      this.json.goBack(this.#briefAt);
      this.json.put(QUOTE);
      this.json.put(QUOTE);
      this.#keeps = false;
      this.#text.forget();
    }
    if (isLong || this.#mode !== TEXT) this.#briefAt = -1;
  }

  /** Takes back the field under way, and passes over what is still to come of it. */
  #leaveOut(): void {
    const frames = this.#frames;
    const kept = this.#field + 1;
    const frame = frames[this.#field];
    if (!frame) throw new SyntaxError('a value that is larger than may be kept');
    const path = frames
      .slice(0, kept)
      .map(({ name }) => name)
      .join('.');
    if (!this.leftOut.includes(path)) this.leftOut.push(path);
    const open = frames.length - kept;
    const isWithin = this.#mode === TEXT || this.#mode === SCALAR || this.#mode === BELOW;
    this.#depth = open + (isWithin ? this.#depth : 0);
    this.#frames = frames.slice(0, kept);
    this.json.goBack(frame.memberAt);
    frame.isBegun = frame.wasBegun;
    this.#keeps = false;
    this.#text.forget();
    if (isWithin) return;
    if (open > 0) this.#mode = BELOW;
    else if (this.#mode === VALUE) this.#wanted = 'nothing';
  }

  #frame(): Frame {
    const frame = this.#frames.at(-1);
    if (!frame) throw new SyntaxError('JSON goes on behind its end');
    return frame;
  }
}

/** A mask of no fields. */
const isBrief = (wanted: Wanted): boolean =>
  typeof wanted === 'object' && wanted.rest === 'nothing' && wanted.slots.every((slot) => slot === undefined);

const isSpace = (byte: number): boolean => byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB;

/** Letters, digits, and what else numbers have. */
const isOfScalar = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x45 || byte === 0x2d || byte === 0x2e || byte === 0x2b;

const faultAt = (bytes: Buffer, at: number): SyntaxError =>
  new SyntaxError(`no JSON: ${JSON.stringify(bytes.toString('latin1', at, at + 10))}`);
