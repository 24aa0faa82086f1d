// Copies of what came from JSON: a tree of plain objects, lists, texts, numbers. Several times as fast as structuredClone, which must be
// ready for anything.

/** A copy that shares nothing with the original. Only for trees as JSON has them. */
export function treeCopy<Tree>(tree: Tree): Tree;
export function treeCopy(tree: unknown): unknown {
  if (typeof tree !== 'object' || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map((item: unknown) => treeCopy(item));
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(tree)) {
    // Assigned, it would change what the copy inherits from.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: treeCopy(value), enumerable: true, configurable: true, writable: true });
    else copy[key] = treeCopy(value);
  }
  return copy;
}
