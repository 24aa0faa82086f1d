// Problems of an expression, as the API server's compiler shows it: place, text, the line and a mark under it.
import { characterCount } from './values/values.ts';

export class SyntaxProblem extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

export interface ExpressionProblem {
  at: number;
  message: string;
}

/** @returns `ERROR: <input>:1:6: undefined field 'x'`, then the line and a mark under the place */
export function problemText(source: string, { at, message }: ExpressionProblem): string {
  const before = source.slice(0, at).split('\n');
  const column = characterCount(before.at(-1) ?? '');
  const line = source.split('\n')[before.length - 1] ?? '';
  return `ERROR: <input>:${before.length}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
