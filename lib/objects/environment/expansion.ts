// References to variables, `$(NAME)`, in the values, commands and arguments of containers.

/** Names to values. */
export type Variables = ReadonlyMap<string, string>;

/**
 * A reference to a known variable becomes its value, one to an unknown variable stays as it is. `$$` is one `$`. What a value says is not expanded
 * again.
 *
 * @param sources asked in this order
 * @see Kubernetes: dependent environment variables
 */
export function expanded(text: string, ...sources: readonly Variables[]): string {
  const lastClose = text.lastIndexOf(')');
  let written = '';
  for (let at = 0; ;) {
    const from = text.indexOf('$', at);
    if (from < 0) return written + text.slice(at);
    written += text.slice(at, from);
    const next = text[from + 1];
    if (next === '(' && from < lastClose) {
      at = text.indexOf(')', from) + 1;
      const name = text.slice(from + 2, at - 1);
      written += sources.find((source) => source.has(name))?.get(name) ?? text.slice(from, at);
    } else {
      written += '$';
      at = from + (next === '$' ? 2 : 1);
    }
  }
}
