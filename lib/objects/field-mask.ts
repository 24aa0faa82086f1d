// Which fields of objects somebody reads: what is not wanted need not be sent, parsed or kept.

/**
 * `true`: the value whole. `false`: not at all. Else the fields of an object by name, `*` for those that are not named (absent: `false`).
 * Of a list the fields of its items are meant; a value that has no fields, such as a text or `null`, is wanted all the same.
 * Of a long object such a text may come as an empty one where it takes more than 4 KB: see BRIEF.
 */
export type WantedFields = boolean | { readonly [field: string]: WantedFields };

/**
 * Of a text that people read: whoever reads objects need not hold it where it is as long as an object may be. A mask of no fields, which
 * relays of before take for the text as it stands.
 */
export const BRIEF: WantedFields = {};

/** What either of two readers wants. */
export function unionOf(one: WantedFields, other: WantedFields): WantedFields {
  if (one === true || other === true) return true;
  if (one === false || other === false) return one === false ? other : one;
  const wantedBy = (mask: Exclude<WantedFields, boolean>, field: string): WantedFields => mask[field] ?? mask['*'] ?? false;
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...fields].map((field) => [field, unionOf(wantedBy(one, field), wantedBy(other, field))]));
}
