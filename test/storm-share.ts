// Long storms repeat one run for each of its calls, or for hundreds of random inputs. `npm test` takes an even share of them, always the
// same one; `npm run test:storms` takes all of them.

export const takesAll = process.env['STORMS'] === 'all';

/** How many of so many random runs are made. */
export const shareOf = (runs: number, every: number): number => (takesAll ? runs : Math.ceil(runs / every));

/** @returns how far the next case lies behind one that is taken */
export const strideOf = (every: number): number => (takesAll ? 1 : every);
