// Texts of objects without what nobody on the relay's side reads: what is not parsed costs neither time nor memory, and an environment
// value that was never read cannot leak.

/** Lists of a pod, or of a Job's template, in the order in which the API server writes them. */
const LEFT_OUT = ['managedFields', 'volumes', 'containers', 'tolerations'].map((name) => `"${name}":[`);
const [QUOTE, BACKSLASH, OPENING, CLOSING] = [0x22, 0x5c, 0x5b, 0x5d];

/**
 * Empties every list of those names in the JSON that these bytes hold, in place.
 * Within a text the key's quotes would have backslashes before them, so what is found is a key.
 * @returns where the JSON ends afterwards
 */
export function leaveOut(bytes: Buffer): number {
  const found = LEFT_OUT.map((key) => bytes.indexOf(key, 0, 'latin1'));
  let readAt = 0;
  let writeAt = 0;
  for (;;) {
    let first = -1;
    for (let which = 0; which < LEFT_OUT.length; which += 1) {
      const key = LEFT_OUT[which] ?? '';
      let at = found[which] ?? -1;
      // It lay in a list that was left out.
      if (at >= 0 && at < readAt) at = found[which] = bytes.indexOf(key, readAt, 'latin1');
      if (at >= 0 && (first < 0 || at < (found[first] ?? -1))) first = which;
    }
    const content = first < 0 ? bytes.length : (found[first] ?? 0) + (LEFT_OUT[first] ?? '').length;
    if (writeAt !== readAt) bytes.copyWithin(writeAt, readAt, content);
    writeAt += content - readAt;
    if (first < 0) return writeAt;
    readAt = endOfArray(bytes, content);
  }
}

/** The same for a single object, where each of them is looked for once, from where the one before ended. */
export function leaveOutOfOne(bytes: Buffer): number {
  let readAt = 0;
  let writeAt = 0;
  for (const key of LEFT_OUT) {
    const found = bytes.indexOf(key, readAt, 'latin1');
    if (found < 0) continue;
    const content = found + key.length;
    if (writeAt !== readAt) bytes.copyWithin(writeAt, readAt, content);
    writeAt += content - readAt;
    readAt = endOfArray(bytes, content);
  }
  if (writeAt !== readAt) bytes.copyWithin(writeAt, readAt, bytes.length);
  return writeAt + bytes.length - readAt;
}

/** @returns where the bracket stands that closes the array whose content begins there; the end of the bytes where it is cut off */
function endOfArray(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let depth = 1;
  for (let at = from; at < length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      // Texts are most of it: a loop of their own has two things to look for, not four.
      for (at += 1; at < length; at += 1) {
        const inside = bytes[at];
        if (inside === QUOTE) break;
        if (inside === BACKSLASH) at += 1;
      }
    } else if (byte === CLOSING) {
      depth -= 1;
      if (depth === 0) return at;
    } else if (byte === OPENING) depth += 1;
  }
  return length;
}
