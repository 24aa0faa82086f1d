// A patch of any type with the object's version as its precondition (R8).

/**
 * The patch, which the API server refuses (409) unless the object still has this version.
 * @param patch operations of a JSON patch, or an object of a merge patch or a strategic one
 */
export function versionedPatch(patch: object, resourceVersion: string | undefined): object {
  if (resourceVersion === undefined) return patch;
  if (Array.isArray(patch)) return [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }, ...(patch as object[])];
  const { metadata, ...rest } = patch as { metadata?: object };
  return { ...rest, metadata: { ...metadata, resourceVersion } };
}
