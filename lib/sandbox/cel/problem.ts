// Problems of an expression: the place and what is wrong there.

export class SyntaxProblem extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** @returns `ERROR: <input>:1:6: undefined field 'x'` */
export function problemText(source: string, { at, message }: { at: number; message: string }): string {
  const lines = source.slice(0, at).split('\n');
  return `ERROR: <input>:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}: ${message}`;
}
