// The paths by which definitions point into objects, as kubectl and the API server read them: printer columns may hold `.a.b`, `['a.b']`,
// `.a\.b`, `[0]`, `[-1:]`, `[*]` and `[?(@.type=="Ready")]`. The libraries for JSONPath follow another dialect: they know no
// escaped dots, and evaluate filters as programs.
import { isFields } from '../objects/api-object.ts';

/** A text is not a path. */
export class JsonPathError extends Error {}

/** All values to which a path leads from a value. */
export type JsonPath = (from: unknown) => unknown[];

type Step = (from: unknown) => unknown[];

const child =
  (name: string): Step =>
  (from) =>
    isFields(from) && Object.hasOwn(from, name) ? [from[name]] : [];

const every: Step = (from) => (Array.isArray(from) ? from : isFields(from) ? Object.values(from) : []);

/** `0`, `-1`, `1:` or `0:2` */
function places(text: string): Step {
  const [, start = '', range, end = ''] = /^(-?\d*)\s*(:\s*(-?\d*))?$/.exec(text.trim()) ?? [];
  if (range === undefined && start === '') throw new JsonPathError(`[${text}] is no place in a list`);
  return (from) => {
    if (!Array.isArray(from)) return [];
    if (range !== undefined) return from.slice(Number(start), end === '' ? undefined : Number(end));
    const at = Number(start) < 0 ? Number(start) + from.length : Number(start);
    return at in from ? [from[at]] : [];
  };
}

function operand(text: string): Step {
  if (text.startsWith('@')) return jsonPath(text.slice(1) || '.');
  const quote = text.charAt(0);
  if ((quote === '"' || quote === "'") && text.length > 1 && text.endsWith(quote)) {
    const value = text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
    return () => [value];
  }
  if (text === 'true' || text === 'false') return () => [text === 'true'];
  const value = Number(text);
  if (text === '' || Number.isNaN(value)) throw new JsonPathError(`${text} is no value to compare with`);
  return () => [value];
}

function filter(text: string): Step {
  const found = /^(.*?\S)\s*(==|!=)\s*(.+)$/s.exec(text);
  if (!found) {
    const held = operand(text);
    return (from) => every(from).filter((item) => held(item).length > 0);
  }
  const [, left = '', operator = '', right = ''] = found;
  const [first, second] = [operand(left.trim()), operand(right.trim())];
  return (from) =>
    every(from).filter((item) => {
      const [a, b] = [first(item), second(item)];
      return a.length === 1 && b.length === 1 && (a[0] === b[0]) === (operator === '==');
    });
}

function bracket(text: string): Step {
  if (text === '*') return every;
  const condition = /^\?\((.*)\)$/s.exec(text)?.[1];
  if (condition !== undefined) return filter(condition.trim());
  const name = /^(['"])(.*)\1$/s.exec(text)?.[2];
  if (name !== undefined) return child(name.replaceAll(/\\(.)/g, '$1'));
  return places(text);
}

/** Where the bracket that opens at `from` closes. */
function closingOf(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '[') depth += 1;
    else if (character === ']' && (depth -= 1) === 0) return at;
  }
  throw new JsonPathError(`${text} opens a bracket that nothing closes`);
}

/** @throws JsonPathError for a text that is no path */
export function jsonPath(text: string): JsonPath {
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    if (text.charAt(at) === '[') {
      const end = closingOf(text, at);
      steps.push(bracket(text.slice(at + 1, end)));
      at = end + 1;
      continue;
    }
    if (text.charAt(at) !== '.') throw new JsonPathError(`${text} has no dot before a name`);
    if (text.charAt(at + 1) === '.') throw new JsonPathError(`${text} looks at any depth: name each field on the way`);
    at += 1;
    const name = /^(?:\\.|[^.[\\])*/s.exec(text.slice(at))?.[0] ?? '';
    at += name.length;
    if (name === '*') steps.push(every);
    else if (name !== '') steps.push(child(name.replaceAll(/\\(.)/gs, '$1')));
  }
  return (from) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [from]);
}
