// Checks of facts that came from outside: what a reader of them takes for granted, and no more. They copy nothing, and end at the first
// fault, for each event of a relay passes through them.
import { LARGEST_INT32, LEAST_INT32 } from './integers.ts';
import { isTime } from './time.ts';

export interface Fault {
  /** As a path, `status.conditions[2].type`; empty: the value itself. */
  field: string;
  expected: string;
}

export type Check = (value: unknown) => Fault | undefined;

const own = (expected: string): Fault => ({ field: '', expected });
const below = (field: string, { field: rest, expected }: Fault): Fault => ({
  field: rest === '' || rest.startsWith('[') ? `${field}${rest}` : `${field}.${rest}`,
  expected,
});

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

export const text: Check = (value) => (typeof value === 'string' ? undefined : own('a text'));

export const textLike =
  (pattern: RegExp, expected: string): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : own(expected);

/** One of a few words. */
export const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value) ? undefined : own(`one of ${words.join(', ')}`);

export const flag: Check = (value) => (typeof value === 'boolean' ? undefined : own('true or false'));

export const wholeNumber =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? undefined
      : own(`a whole number from ${least} to ${most}`);

export const int32 = wholeNumber(LEAST_INT32, LARGEST_INT32);
/** Of pods, of tries: 0 or more. */
export const count = wholeNumber(0, LARGEST_INT32);
/** A number holds the largest ones only roughly. */
export const int64 = wholeNumber(-(2 ** 63), 2 ** 63);

export const time: Check = (value) => (typeof value === 'string' && isTime(value) ? undefined : own('an RFC 3339 time'));

/** Absent, or null, as Go writes lists and times that are empty. */
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null ? undefined : check(value);

export const list =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return own('a list');
    for (let at = 0; at < value.length; at += 1) {
      const fault = check(value[at]);
      if (fault) return below(`[${at}]`, fault);
    }
    return undefined;
  };

/** Values that are null are passed over. */
export const map =
  (check: Check): Check =>
  (value) => {
    if (!isMap(value)) return own('a map');
    for (const key in value) {
      const fault = value[key] === null ? undefined : check(value[key]);
      if (fault) return below(key, fault);
    }
    return undefined;
  };

export const texts: Check = (value) => {
  if (!isMap(value)) return own('a map of texts');
  for (const key in value) if (typeof value[key] !== 'string') return below(key, own('a text'));
  return undefined;
};

/** Other fields are passed over. */
export function object(fields: Record<string, Check>): Check {
  const checks = Object.entries(fields);
  return (value) => {
    if (!isMap(value)) return own('an object');
    for (const [field, check] of checks) {
      const fault = check(value[field]);
      if (fault) return below(field, fault);
    }
    return undefined;
  };
}
