// How a function of CEL is declared: its signature as the library reads it, and what it does.
import type { Value } from '../values/values.ts';

/** Such as `['string.contains(string): bool', (text, part) => text.includes(part)]`; a capital letter is a type parameter. */
export type Line = readonly [signature: string, run: (...args: never[]) => Value];
