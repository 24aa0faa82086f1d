// The kept part of a condensed JSON value: bytes that grow up to a limit, from which the field written last can be taken back.

export interface BoundedJsonLimits {
  /** Bytes kept of one field; a larger field is left out. */
  fieldBytes: number;
  /** Bytes kept of the whole value. */
  bytes: number;
}

const FIRST_BYTES = 64 * 1024;
/** A larger buffer is not kept for the next value. */
const KEPT_BYTES = 256 * 1024;
/** Zero bytes behind the end, for a reader that looks ahead. */
const MARGIN_BYTES = 8;

export class BoundedJson {
  /** From 0 to `length`; once it is closed, zero bytes stand behind it. */
  bytes = Buffer.alloc(0);
  /** The same bytes, four at a time. */
  words = new Int32Array(0);
  length = 0;
  /** Something had no room; nothing is written until the field under way is taken back. */
  isFull = false;
  readonly #limits: BoundedJsonLimits;
  #fieldAt = 0;

  constructor(limits: BoundedJsonLimits) {
    this.#limits = limits;
  }

  begin(): void {
    if (this.bytes.length > KEPT_BYTES) this.#grow(FIRST_BYTES);
    this.length = 0;
    this.#fieldAt = 0;
    this.isFull = false;
  }

  /** Begins one field: the limits apply to it as a whole. */
  beginField(): void {
    this.#fieldAt = this.length;
  }

  /** Takes back what was written since. */
  goBack(length: number): void {
    this.length = length;
    this.isFull = false;
  }

  put(byte: number): void {
    if (this.#hasRoom(1)) this.putAnyway(byte);
  }

  /** Beyond the limits too: what is left of a value is always closed. */
  putAnyway(byte: number): void {
    this.#makeRoom(1);
    this.bytes[this.length] = byte;
    this.length += 1;
  }

  append(bytes: Buffer, from: number, end: number): void {
    if (end <= from || !this.#hasRoom(end - from)) return;
    this.#makeRoom(end - from);
    bytes.copy(this.bytes, this.length, from, end);
    this.length += end - from;
  }

  close(): void {
    this.#makeRoom(0);
    this.bytes.fill(0, this.length, this.length + MARGIN_BYTES);
  }

  #hasRoom(more: number): boolean {
    if (this.isFull) return false;
    const length = this.length + more;
    this.isFull = length - this.#fieldAt > this.#limits.fieldBytes || length > this.#limits.bytes;
    return !this.isFull;
  }

  #makeRoom(more: number): void {
    const length = this.length + more + MARGIN_BYTES;
    if (length > this.bytes.length) this.#grow(Math.max(FIRST_BYTES, 2 * length));
  }

  #grow(bytes: number): void {
    const buffer = new ArrayBuffer(Math.ceil(bytes / 4) * 4);
    const grown = Buffer.from(buffer);
    this.bytes.copy(grown, 0, 0, Math.min(this.length, grown.length));
    this.bytes = grown;
    this.words = new Int32Array(buffer);
  }
}
