// The bytes of an answer that have come and not been read yet, in one buffer that is used again and again.

const FIRST_BYTES = 128 * 1024;

export class Window {
  /** What is not read yet lies from `from` to `end`, where a zero byte stands. */
  bytes: Buffer = Buffer.alloc(FIRST_BYTES);
  from = 0;
  end = 0;

  /** Puts a chunk behind what is left. */
  take(chunk: Buffer): void {
    const left = this.end - this.from;
    const { bytes } = this;
    if (left + chunk.length >= bytes.length) {
      this.bytes = Buffer.alloc(2 * (left + chunk.length));
      bytes.copy(this.bytes, 0, this.from, this.end);
    } else if (this.from > 0) bytes.copyWithin(0, this.from, this.end);
    chunk.copy(this.bytes, left);
    this.from = 0;
    this.end = left + chunk.length;
    this.bytes[this.end] = 0;
  }
}
