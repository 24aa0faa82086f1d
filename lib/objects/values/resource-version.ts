// resourceVersions: ordered integers of any length, per resource and cluster (R3). Never use a Number: they exceed 2^53.

/** Negative, zero or positive as `a` is older than, equal to or newer than `b`. Both: digits without leading zeros. */
export function compareResourceVersions(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

export const isNewer = (a: string, than: string): boolean => compareResourceVersions(a, than) > 0;

export const newest = (a: string, b: string): string => (isNewer(b, a) ? b : a);

/** `0` of none. */
export const oldest = (versions: readonly string[]): string =>
  versions.reduce<string | undefined>((lowest, each) => (lowest === undefined || isNewer(lowest, each) ? each : lowest), undefined) ?? '0';

/** 1 to 40 digits without a leading zero; "0" itself is allowed as "older than everything". */
export const isResourceVersion = (text: unknown): text is string => typeof text === 'string' && /^(0|[1-9][0-9]{0,39})$/.test(text);
