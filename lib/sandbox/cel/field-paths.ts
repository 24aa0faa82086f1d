// `.spec['a.b'].c`: the field that a rule says it speaks of.
import { valuesOf } from '../schema/json-schema.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

const step = /\.([^.[\]']+)|\['((?:[^'\\]|\\.)*)'\]/y;

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign);
const escapes: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** @returns the path as refusals write it, without a dot before it; undefined for one that the schema does not have */
export function fieldPathIn(schema: JsonSchema, text: string): string | undefined {
  let current: JsonSchema | undefined = schema;
  let path = '';
  step.lastIndex = 0;
  while (step.lastIndex < text.length) {
    const [, plain, quoted] = step.exec(text) ?? [];
    const name = plain ?? (quoted === undefined ? undefined : unescaped(quoted));
    if (name === undefined || !current) return undefined;
    const property: JsonSchema | undefined = current.properties?.[name];
    const value: JsonSchema | undefined = current.properties ? undefined : valuesOf(current);
    if (!property && !value) return undefined;
    path += property ? `${path && '.'}${name}` : `[${name}]`;
    current = property ?? value;
  }
  return path === '' ? undefined : path;
}
