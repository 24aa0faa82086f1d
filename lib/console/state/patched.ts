// A new answer that keeps the parts of the one before that are equal: what stays the same need not be shown anew.

const isPlain = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names by which the items of a list are the same ones. */
const idOf = (item: unknown): unknown => (isPlain(item) ? (item['uid'] ?? item['passId'] ?? item['messageId'] ?? item['name']) : undefined);

/** @returns `after`, with equal parts replaced by those of `before`; `before` itself where all is equal */
export function patched<Data>(before: unknown, after: Data): Data;
export function patched(before: unknown, after: unknown): unknown {
  if (Object.is(before, after)) return before;
  if (Array.isArray(before) && Array.isArray(after)) return patchedList(before, after);
  if (!isPlain(before) || !isPlain(after)) return after;
  const names = Object.keys(after);
  let isSame = names.length === Object.keys(before).length;
  const merged: Record<string, unknown> = {};
  for (const name of names) {
    merged[name] = patched(before[name], after[name]);
    if (merged[name] !== before[name] || !Object.hasOwn(before, name)) isSame = false;
  }
  return isSame ? before : merged;
}

function patchedList(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  const known = new Map(before.flatMap((item) => (idOf(item) === undefined ? [] : [[idOf(item), item] as const])));
  const merged = after.map((item, at) => patched(known.get(idOf(item)) ?? before[at], item));
  return merged.length === before.length && merged.every((item, at) => item === before[at]) ? before : merged;
}
