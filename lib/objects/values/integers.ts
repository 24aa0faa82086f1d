// The limits of the API's integers: 32 bits with a sign for most fields, 64 for some.

export const LARGEST_INT32 = 2 ** 31 - 1;
export const LEAST_INT32 = -(2 ** 31);

/** A BigInt, because a number cannot hold it exactly. */
export const LARGEST_INT64 = 2n ** 63n - 1n;
