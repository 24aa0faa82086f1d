// Times leave the API as RFC 3339 texts.

/** What a date holds, milliseconds from 1970 on and before. */
const FARTHEST_MS = 8.64e15;

/** @param ms Unix milliseconds. @returns an empty text for what is no time */
export const timeText = (ms: number): string => (Math.abs(ms) <= FARTHEST_MS ? new Date(ms).toISOString() : '');
