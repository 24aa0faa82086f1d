// Masks of the fields that a reader needs. Other fields need not be sent, parsed or kept.

/**
 * `true`: the whole value. `false`: nothing. Otherwise the fields of an object by name; `*`: all fields without a name of their own
 * (absent: `false`). For a list, the fields of its items. A value without fields, such as a text or `null`, is always included.
 */
export type WantedFields = boolean | { readonly [field: string]: WantedFields };

/**
 * For a text that is only shown to people: a reader may replace a long one by an empty text instead of holding it. Keep it a mask without
 * fields: relays of the build before treat that as the whole text.
 */
export const BRIEF: WantedFields = {};

/** The mask of one field of an object. */
export const wantedBy = (mask: Exclude<WantedFields, boolean>, field: string): WantedFields => mask[field] ?? mask['*'] ?? false;

/** The fields that either of two readers needs. */
export function unionOf(one: WantedFields, other: WantedFields): WantedFields {
  if (one === true || other === true) return true;
  if (one === false || other === false) return one === false ? other : one;
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...fields].map((field) => [field, unionOf(wantedBy(one, field), wantedBy(other, field))]));
}
