// How far the integers of the API go: 32 bits with a sign for most fields, 64 for some.

export const LARGEST_INT32 = 2 ** 31 - 1;
export const LEAST_INT32 = -(2 ** 31);

/** A number holds it only roughly: whoever needs it exactly reckons with large integers. */
export const LARGEST_INT64 = 2n ** 63n - 1n;
