// Which fields of objects somebody reads: what is not wanted need not be sent, parsed or kept.

/**
 * `true`: the value whole. `false`: not at all. Else the fields of an object by name, `*` for those that are not named (absent: `false`).
 * Of a list the fields of its items are meant; a value that has no fields, such as a text or `null`, is always wanted whole.
 */
export type WantedFields = boolean | { readonly [field: string]: WantedFields };
