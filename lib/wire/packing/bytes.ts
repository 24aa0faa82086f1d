// Numbers and texts as bytes: LEB128 for whole numbers of any length, length-prefixed UTF-8.
import { UndecodableMessageError } from '../words/undecodable.ts';

/** Up to here seven bits more are still exact in a number. */
const WIDEST_FACTOR = 2 ** 49;

export class ByteWriter {
  #bytes = new Uint8Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = value;
  }

  /** 0 to 2^53 − 1. */
  unsigned(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.byte(rest);
  }

  signed(value: number): void {
    this.unsigned(value < 0 ? -value * 2 - 1 : value * 2);
  }

  bigSigned(value: bigint): void {
    let rest = value < 0n ? -value * 2n - 1n : value * 2n;
    while (rest >= 0x80n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  bytes(given: Uint8Array): void {
    this.#grow(given.length);
    this.#bytes.set(given, this.#length);
    this.#length += given.length;
  }

  text(value: string): void {
    const encoded = Buffer.from(value);
    this.unsigned(encoded.length);
    this.bytes(encoded);
  }

  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(by: number): void {
    if (this.#length + by <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + by));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Reads what ByteWriter wrote. @throws UndecodableMessageError at the end of the bytes, or for a number that is too long */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new UndecodableMessageError('the bytes end before the message does');
    return value;
  }

  unsigned(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (value > Number.MAX_SAFE_INTEGER) throw new UndecodableMessageError('a number is longer than allowed');
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  /** Of any length; a bigint only where a number would not hold it exactly. */
  wideSigned(): number | bigint {
    let value = 0;
    const from = this.#at;
    for (let factor = 1; factor < WIDEST_FACTOR; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
    }
    this.#at = from;
    return this.#bigSigned();
  }

  #bigSigned(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (shift > 140n) throw new UndecodableMessageError('a number is longer than allowed');
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return (value & 1n) === 1n ? -((value + 1n) >> 1n) : value >> 1n;
  }

  bytes(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new UndecodableMessageError('the bytes end before the message does');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  text(mostBytes: number): string {
    const length = this.unsigned();
    if (length > mostBytes) throw new UndecodableMessageError(`a text of ${length} bytes; at most ${mostBytes} are allowed`);
    return Buffer.from(this.bytes(length)).toString('utf8');
  }

  /** Bytes not yet read. */
  get remaining(): number {
    return this.#bytes.length - this.#at;
  }

  get isAtEnd(): boolean {
    return this.remaining === 0;
  }
}
