// The bytes of an answer that have come and not been read yet, in one buffer that is used again and again.

const FIRST_BYTES = 128 * 1024;
/** A value of which so much has come, and not its end, is read on as it comes and not kept until it is whole. */
export const LONG_VALUE_BYTES = 256 * 1024;
/** Behind all that comes there is always room for so much, and it stays zero: who looks too far stops there. */
const MARGIN_BYTES = 8;

export class Window {
  /** The unread bytes lie from `from` to `end`, where a zero byte stands. */
  bytes: Buffer;
  /** The same bytes, four at a time. */
  words: Int32Array;
  from = 0;
  end = 0;

  constructor() {
    const buffer = new ArrayBuffer(FIRST_BYTES);
    this.bytes = Buffer.from(buffer);
    this.words = new Int32Array(buffer);
  }

  clear(): void {
    this.from = 0;
    this.end = 0;
    this.bytes[0] = 0;
  }

  /** Puts a chunk behind what is left. */
  take(chunk: Buffer): void {
    const left = this.end - this.from;
    const { bytes } = this;
    if (left + chunk.length + MARGIN_BYTES > bytes.length) {
      const length = Math.ceil((left + chunk.length + MARGIN_BYTES) / 2) * 4;
      const buffer = new ArrayBuffer(length);
      this.bytes = Buffer.from(buffer);
      this.words = new Int32Array(buffer);
      bytes.copy(this.bytes, 0, this.from, this.end);
    } else if (this.from > 0) bytes.copyWithin(0, this.from, this.end);
    chunk.copy(this.bytes, left);
    this.from = 0;
    this.end = left + chunk.length;
    this.bytes[this.end] = 0;
  }
}
