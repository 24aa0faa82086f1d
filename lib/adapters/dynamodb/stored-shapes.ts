// Reads rows or items of a store only where they have a shape that some version of Farloop wrote. All else
// was damaged, or written by somebody else, and counts as missing: it is rebuilt from a live list (R1).
import { isResourceVersion } from '../../objects/values/resource-version.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import { headItemOf } from '../../ports/head-items.ts';
import type { Head, Note, ViewItem } from '../../ports/store.ts';

/** A part as it was found: undefined where nothing was, anything where something was. */
type Found<Part> = { [Field in keyof Part]-?: unknown };

/** The last moment that a date can name, Unix milliseconds. */
const LAST_MS = 8_640_000_000_000_000;

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);
const isTime = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= LAST_MS;
const isText = (value: unknown): value is string => typeof value === 'string';
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;
/** Of what is there from its first write on. */
const isVersion = (value: unknown): value is number => isWhole(value) && value >= 1;

/** @returns undefined where a field is missing or has the wrong shape */
export function readableHead(key: WorkloadKey, found: Found<Omit<Head, 'key'>>): Head | undefined {
  const { era, bornAtMs, items, floor, fence, openedAtMs, queued, pendingSinceMs, wake, state, view, viewVersion } = found;
  if (!isWhole(era) || !isTime(bornAtMs) || !isTime(openedAtMs) || !isWhole(viewVersion) || viewVersion < 0) return undefined;
  if (!isResourceVersion(floor) || !isText(fence) || !isText(state) || !isNames(items)) return undefined;
  if (!isAbsentOr(isText, queued) || !isAbsentOr(isTime, pendingSinceMs) || !isAbsentOr(isWake, wake) || !isAbsentOr(isBytes, view))
    return undefined;
  return {
    key,
    era,
    bornAtMs,
    items: items.map(headItemOf),
    floor,
    fence,
    openedAtMs,
    ...(queued !== undefined && { queued }),
    ...(pendingSinceMs !== undefined && { pendingSinceMs }),
    ...(wake !== undefined && { wake }),
    state,
    ...(view !== undefined && { view }),
    viewVersion,
  };
}

/** @returns undefined where a field is missing or has the wrong shape */
export const readableViewItem = (name: string, { version, bytes }: Found<Omit<ViewItem, 'name'>>): ViewItem | undefined =>
  isVersion(version) && isBytes(bytes) ? { name, version, bytes } : undefined;

/** @returns undefined where a field is missing or has the wrong shape */
export const readableNote = ({ version, body }: Found<Note>): Note | undefined =>
  isVersion(version) && isText(body) ? { version, body } : undefined;

const isAbsentOr = <Value>(is: (value: unknown) => value is Value, value: unknown): value is Value | undefined =>
  value === undefined || is(value);

const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

const isWake = (value: unknown): value is NonNullable<Head['wake']> =>
  typeof value === 'object' && value !== null && isTime(Reflect.get(value, 'dueAtMs')) && isWhole(Reflect.get(value, 'attempt'));
