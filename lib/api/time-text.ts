// Times leave the API as RFC 3339 texts.

/** @param ms Unix milliseconds */
export const timeText = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : '');
