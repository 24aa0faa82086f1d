// A patch of any type with the object's uid and version as its preconditions (R8).

export interface Preconditions {
  uid?: string;
  resourceVersion?: string | undefined;
}

/**
 * The patch, which the API server refuses unless the object still has this uid (422) and this version (409).
 * @param patch operations of a JSON patch, or an object of a merge patch or a strategic one
 */
export function preconditionedPatch(patch: object, { uid, resourceVersion }: Preconditions): object {
  const conditions = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) };
  if (Array.isArray(patch)) {
    const operations: readonly object[] = patch;
    return [...Object.entries(conditions).map(([field, value]) => ({ op: 'replace', path: `/metadata/${field}`, value })), ...operations];
  }
  if (Object.keys(conditions).length === 0) return patch;
  const { metadata, ...rest } = patch as { metadata?: object };
  return { ...rest, metadata: { ...metadata, ...conditions } };
}
