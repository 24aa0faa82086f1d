// A part of what a long proof strikes or breaks: in an ordinary run of CI one each day, so that after so many days all have had their turn.
import { InvalidArgumentError } from 'commander';

const DAY_MS = 86_400_000;

/** One of so many, from 1. */
export interface Slice {
  number: number;
  of: number;
}

/** @param dailyOf how many days it takes until all have had their turn. @returns what reads `daily`, or a slice such as 1/3. @throws InvalidArgumentError */
export const sliceFrom =
  (dailyOf: number) =>
  (text: string): Slice => {
    if (text === 'daily') return { number: (Math.floor(Date.now() / DAY_MS) % dailyOf) + 1, of: dailyOf };
    const [, number = 0, of = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []).map(Number);
    if (number < 1 || number > of) throw new InvalidArgumentError('expected "daily", or a slice such as 1/3.');
    return { number, of };
  };
