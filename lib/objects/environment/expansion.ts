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
  return text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (written: string, name: string | undefined) => {
    if (name === undefined) return '$';
    return sources.find((source) => source.has(name))?.get(name) ?? written;
  });
}
