// A text of JSON as it streams, from behind its first quote on: kept, or passed over.
import type { BoundedJson } from './bounded-json.ts';

const [QUOTE, BACKSLASH, SMALL_U] = [34, 0x5c, 0x75];
const [FIRST_PRINTABLE, LAST_PRINTABLE] = [0x20, 0x7e];
/** Longer texts are searched for their end by a faster means, which takes a while to begin. */
const SHORT_TEXT = 48;

/** Within a text, besides 0: what stands behind a backslash is next, or so many digits of a code. */
const ESCAPED = -1;

export class StreamedText {
  isDone = false;
  #keeps = false;
  #escape = 0;
  #code = 0;

  begin(keeps: boolean): void {
    this.isDone = false;
    this.#keeps = keeps;
    this.#escape = 0;
  }

  /** The rest is passed over. */
  forget(): void {
    this.#keeps = false;
    // The digits of a code are letters like others.
    if (this.#escape > 0) this.#escape = 0;
  }

  /** @returns where it stopped: at `end`, behind the last quote, or where `out` had no more room. @throws SyntaxError */
  take(bytes: Buffer, from: number, end: number, out: BoundedJson): number {
    return this.#keeps ? this.#keep(bytes, from, end, out) : this.#pass(bytes, from, end);
  }

  #pass(bytes: Buffer, from: number, end: number): number {
    let at = from;
    const near = Math.min(end, from + SHORT_TEXT);
    for (; at < near; at += 1) {
      if (this.#escape !== 0) {
        this.#escape = 0;
        continue;
      }
      const byte = bytes[at] ?? 0;
      if (byte === BACKSLASH) this.#escape = ESCAPED;
      else if (byte === QUOTE) {
        this.isDone = true;
        return at + 1;
      }
    }
    if (at >= end) return end;
    if (this.#escape !== 0) {
      this.#escape = 0;
      at += 1;
    }
    // The quote that no odd count of backslashes stands before.
    for (;;) {
      const quote = bytes.indexOf(QUOTE, at);
      const until = quote < 0 || quote >= end ? end : quote;
      let first = until;
      while (first > at && bytes[first - 1] === BACKSLASH) first -= 1;
      const isEscaped = ((until - first) & 1) === 1;
      if (until === end) {
        this.#escape = isEscaped ? ESCAPED : 0;
        return end;
      }
      at = until + 1;
      if (isEscaped) continue;
      this.isDone = true;
      return at;
    }
  }

  /** Escapes of printable characters are undone: `<` alone may take six times what is stored. */
  #keep(bytes: Buffer, from: number, end: number, out: BoundedJson): number {
    let at = from;
    while (at < end && !out.isFull) {
      if (this.#escape !== 0) {
        this.#takeEscaped(bytes[at] ?? 0, out);
        at += 1;
        continue;
      }
      const begun = at;
      let byte = bytes[at] ?? 0;
      while (at < end && byte !== QUOTE && byte !== BACKSLASH) {
        at += 1;
        byte = bytes[at] ?? 0;
      }
      out.append(bytes, begun, at);
      if (at >= end) return end;
      at += 1;
      if (byte === BACKSLASH) this.#escape = ESCAPED;
      else {
        out.put(QUOTE);
        this.isDone = true;
        return at;
      }
    }
    return at;
  }

  #takeEscaped(byte: number, out: BoundedJson): void {
    if (this.#escape === ESCAPED) {
      this.#code = 0;
      this.#escape = byte === SMALL_U ? 4 : 0;
      if (byte === SMALL_U) return;
      out.put(BACKSLASH);
      out.put(byte);
      return;
    }
    const digit = hexDigitOf(byte);
    if (digit < 0) throw new SyntaxError('an escape in a text is none');
    this.#code = this.#code * 16 + digit;
    this.#escape -= 1;
    if (this.#escape > 0) return;
    const code = this.#code;
    if (code >= FIRST_PRINTABLE && code <= LAST_PRINTABLE && code !== QUOTE && code !== BACKSLASH) out.put(code);
    else {
      const text = Buffer.from(`\\u${code.toString(16).padStart(4, '0')}`, 'latin1');
      out.append(text, 0, text.length);
    }
  }
}

function hexDigitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}
