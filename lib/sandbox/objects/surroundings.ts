// Time and chance, which the server takes from outside. Tests and the simulator bring their own.
import { randomFillSync } from 'node:crypto';

export interface Surroundings {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Evenly spread whole numbers from 0 to 2^32 - 1. */
  random: () => number;
  /** Runs a function soon, after what is at hand: writes until then are committed together. */
  defer: (run: () => void) => void;
  /** Runs a function after so many milliseconds. @returns the way to call it off */
  after: (delayMs: number, run: () => void) => () => void;
}

/** The machine's own clock and chance. @param clock another clock than the machine's, in milliseconds since 1970 */
export function realSurroundings(clock: () => number = () => Date.now()): Surroundings {
  const pool = new Uint32Array(256);
  let used = pool.length;
  return {
    now: clock,
    random: () => {
      if (used === pool.length) {
        randomFillSync(pool);
        used = 0;
      }
      used += 1;
      return pool[used - 1] ?? 0;
    },
    defer: (run) => void setImmediate(run),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** A random (version 4) UUID. */
export function uuidFrom(random: () => number): string {
  const hex = Array.from({ length: 4 }, () => random().toString(16).padStart(8, '0')).join('');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** No vowels and no digits that look like letters: the characters of generated names. */
const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const longestName = 63;
const suffixLength = 5;

/** A generated name: the base, cut to leave room, and five characters. */
export function nameFrom(generateName: string, random: () => number): string {
  const suffix = Array.from({ length: suffixLength }, () => nameAlphabet.charAt(random() % nameAlphabet.length)).join('');
  return generateName.slice(0, longestName - suffixLength) + suffix;
}
