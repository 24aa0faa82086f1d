// Reads JSON once more, for what JSON.parse swallows: keys that an object gives twice.
import { fieldIn } from './free-form.ts';
import type { FieldType, ObjectType } from './notation.ts';

/** Every text of a JSON document, with the colon that makes it a key. */
const texts = /"(?:[^"\\]|\\.?)*(?:"(\s*:)?|$)/g;

/** Whether some object may give a key twice. False is certain. */
export function hasRepeatedKeys(text: string): boolean {
  let keys = 0;
  for (const found of text.matchAll(texts)) if (found[1] !== undefined) keys += 1;
  try {
    return keysIn(JSON.parse(text)) !== keys;
  } catch {
    return false; // a body that is not JSON is refused elsewhere
  }
}

function keysIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + keysIn(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + 1 + keysIn(item), 0);
}

/**
 * Problems of the keys of a JSON document, in its order: those given twice and, where the type is known, those it does not
 * have. Each path is reported once.
 */
export function strictProblems(text: string, type: ObjectType | undefined): string[] {
  const problems = new Set<string>();
  let at = 0;
  const skip = (): void => {
    while (/\s/.test(text.charAt(at))) at += 1;
  };
  const scalar = (): string => {
    const from = at;
    if (text.charAt(at) === '"') {
      for (at += 1; text.charAt(at) !== '"'; at += 1) if (text.charAt(at) === '\\') at += 1;
      at += 1;
    } else while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at += 1;
    return text.slice(from, at);
  };
  const keyed = (key: string, path: string): string => (path ? `${path}.${key}` : key);

  const object = (of: FieldType | undefined, path: string, isTold: boolean): void => {
    const seen = new Set<string>();
    for (at += 1, skip(); text.charAt(at) !== '}' && at < text.length; skip()) {
      const key: string = JSON.parse(scalar());
      skip();
      at += 1; // the colon
      const field = of?.is === 'object' ? fieldIn(of, key) : undefined;
      const here = keyed(key, path);
      const isUnknown = of?.is === 'object' && !field;
      if (isTold && isUnknown) problems.add(`unknown field ${JSON.stringify(here)}`);
      else if (isTold && seen.has(key)) problems.add(`duplicate field ${JSON.stringify(here)}`);
      seen.add(key);
      value(field?.type ?? (of?.is === 'map' ? of.of : undefined), here, isTold && !isUnknown);
      skip();
      if (text.charAt(at) === ',') at += 1;
    }
    at += 1;
  };
  const list = (of: FieldType | undefined, path: string, isTold: boolean): void => {
    let index = 0;
    for (at += 1, skip(); text.charAt(at) !== ']' && at < text.length; skip(), index += 1) {
      value(of, `${path}[${index}]`, isTold);
      skip();
      if (text.charAt(at) === ',') at += 1;
    }
    at += 1;
  };
  const value = (of: FieldType | undefined, path: string, isTold: boolean): void => {
    skip();
    if (text.charAt(at) === '{') object(of, path, isTold);
    else if (text.charAt(at) === '[') list(of?.is === 'list' ? of.of : undefined, path, isTold);
    else scalar();
  };
  value(type, '', true);
  return [...problems];
}
