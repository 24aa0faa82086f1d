// Copies trees from JSON: plain objects, lists, texts, numbers. Several times as fast as structuredClone, which supports any value.

/** A copy that shares nothing with the original. Only for trees from JSON. */
export function treeCopy<Tree>(tree: Tree): Tree;
export function treeCopy(tree: unknown): unknown {
  if (typeof tree !== 'object' || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((item: unknown) => treeCopy(item));
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(tree)) {
    // An assignment would set the copy's prototype.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: treeCopy(value), enumerable: true, configurable: true, writable: true });
    else copy[key] = treeCopy(value);
  }
  return copy;
}
