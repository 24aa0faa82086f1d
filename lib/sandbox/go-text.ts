// Values as Go prints them: messages of a real server hold some.
import { isFields } from './api-object.ts';

/** JSON's values as `%v` shows them: `map[a:1 b:[x y]]`. */
export function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (isFields(value)) {
    const pairs = Object.keys(value)
      .toSorted()
      .map((key) => `${key}:${goText(value[key])}`);
    return `map[${pairs.join(' ')}]`;
  }
  if (value === null || value === undefined) return '<nil>';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
