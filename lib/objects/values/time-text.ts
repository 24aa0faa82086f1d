// Times in the API are RFC 3339 texts.

/** Most milliseconds that a `Date` holds, after 1970 and before. */
const FARTHEST_MS = 8.64e15;

/** @param ms Unix milliseconds. @returns an empty text for an invalid time */
export const timeText = (ms: number): string => (Math.abs(ms) <= FARTHEST_MS ? new Date(ms).toISOString() : '');
