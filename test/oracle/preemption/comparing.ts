// What the comparisons with upstream's admission share: which cases are asked for, and how a comparison ends.
import type { Command } from 'commander';
import { wholeNumber } from '../../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../../script-options.ts';

export interface CaseOptions {
  oracle: string;
  seed: number;
  seeds: number;
  count: number;
  show: number;
}

export const numberFrom = (min: number): ((text: string) => number) => wholeNumber({ min, max: LARGEST_NUMBER });

/** @param count how many cases of a seed, unless the command line has another number */
export const caseCommand = (name: string, count: number): Command =>
  script(name)
    .requiredOption('--oracle <file>', 'the program that build.sh makes')
    .option('--seed <number>', 'the first seed', numberFrom(1), 1)
    .option('--seeds <number>', 'how many seeds, in a row', numberFrom(1), 1)
    .option('--count <number>', 'cases of a seed', numberFrom(1), count)
    .option('--show <number>', 'how many differences are shown whole', numberFrom(0), 3);

/** Exit code 0: equal; 1: not; 2: it could not be compared. */
export async function exitWith(isEqual: () => Promise<boolean>): Promise<void> {
  try {
    process.exitCode = (await isEqual()) ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}
