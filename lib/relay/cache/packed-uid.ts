// Packs the uids that API servers make into four words instead of a text of 36 characters.

export const UID_WORDS = 4;
const UID_LETTERS = 36;
const DASH = 0x2d;
const DIGITS_BELOW_A = 0x61 - 10;

const isDashAt = (at: number): boolean => at === 8 || at === 13 || at === 18 || at === 23;

/**
 * Packs a lower-case UUID into words, first digits first.
 * @returns false for any other text; do not use the words then
 */
export function packUid(uid: string, words: Int32Array): boolean {
  if (uid.length !== UID_LETTERS) return false;
  let word = 0;
  let digits = 0;
  for (let at = 0; at < UID_LETTERS; at += 1) {
    const letter = uid.charCodeAt(at);
    if (isDashAt(at)) {
      if (letter !== DASH) return false;
      continue;
    }
    const digit = letter >= 0x30 && letter <= 0x39 ? letter - 0x30 : letter >= 0x61 && letter <= 0x66 ? letter - DIGITS_BELOW_A : -1;
    if (digit < 0) return false;
    word = (word << 4) | digit;
    digits += 1;
    if ((digits & 7) === 0) words[(digits >> 3) - 1] = word;
  }
  return true;
}

const letters = Buffer.alloc(UID_LETTERS);

/** Unpacks a packed uid into its text. */
export function unpackUid(words: Int32Array): string {
  let digits = 0;
  for (let at = 0; at < UID_LETTERS; at += 1) {
    if (isDashAt(at)) {
      letters[at] = DASH;
      continue;
    }
    const digit = ((words[digits >> 3] ?? 0) >>> (28 - 4 * (digits & 7))) & 15;
    letters[at] = digit < 10 ? 0x30 + digit : DIGITS_BELOW_A + digit;
    digits += 1;
  }
  return letters.toString('latin1');
}

/** A hash of 32 bits. Any subset of the bits is usable. */
export function hashOfUid(words: Int32Array): number {
  let hash = 0;
  for (let at = 0; at < UID_WORDS; at += 1) {
    hash = Math.imul(hash ^ (words[at] ?? 0), 0x7feb352d);
    hash ^= hash >>> 15;
  }
  return Math.imul(hash, 0x846ca68b) >>> 0;
}
