// UUIDs in small letters as 16 bytes. No packing makes a pod's uid smaller than that.
const UUID_LENGTH = 36;
const isHyphenAt = (at: number): boolean => at === 8 || at === 13 || at === 18 || at === 23;
/** The bytes of the uid that was read last. */
export const UUID_BYTES = new Uint8Array(16);

/** Reads a UUID in small letters into `UUID_BYTES`, digit by digit: an item of the view holds hundreds. @returns false for any other text */
export function readUuid(uid: string): boolean {
  if (uid.length !== UUID_LENGTH) return false;
  let digits = 0;
  for (let at = 0; at < UUID_LENGTH; at += 1) {
    const code = uid.charCodeAt(at);
    if (isHyphenAt(at)) {
      if (code !== 0x2d) return false;
      continue;
    }
    const digit = code >= 0x30 && code <= 0x39 ? code - 0x30 : code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
    if (digit < 0) return false;
    UUID_BYTES[digits >> 1] = (digits & 1) === 0 ? digit << 4 : (UUID_BYTES[digits >> 1] ?? 0) | digit;
    digits += 1;
  }
  return true;
}

/** @returns 16 bytes; undefined for a text that is not a UUID in small letters */
export const uuidBytesOf = (uid: string): Uint8Array | undefined => (readUuid(uid) ? UUID_BYTES.slice() : undefined);

/** @param bytes 16 */
export function uuidOf(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const HYPHEN = 0x2d;
/** The characters of the uid being made. */
const LETTERS = Buffer.alloc(UUID_LENGTH, HYPHEN);

/** The same from the middle of many, in one text that shares its memory with no other. @returns undefined for sixteen zeros */
export function uuidAt(bytes: Uint8Array, from: number): string | undefined {
  let place = 0;
  let any = 0;
  for (let at = 0; at < 16; at += 1) {
    if (at === 4 || at === 6 || at === 8 || at === 10) place += 1;
    const byte = bytes[from + at] ?? 0;
    any |= byte;
    LETTERS[place] = DIGITS[byte >> 4] ?? 0;
    LETTERS[place + 1] = DIGITS[byte & 15] ?? 0;
    place += 2;
  }
  return any === 0 ? undefined : LETTERS.toString('latin1');
}
