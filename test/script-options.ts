// What a script of the tests is told on its command line: `--help` lists it, and what is not known, or is no number, ends the script
// with code 2 before anything was done.
import { Command, Option } from 'commander';

/** Above what anybody waits for, and within what can be written down. */
export const LARGEST_NUMBER = 999_999_999;

/** To be given its options, and to be parsed. @param name as it is called, arguments following */
export const script = (name: string): Command => new Command(name).exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

/** The parts of a script that `--only` names, or all of them. */
export function partsOf<Part>(name: string, parts: Readonly<Record<string, Part>>): Part[] {
  const names = Object.keys(parts);
  const { only } = script(name)
    .addOption(new Option('--only <parts...>', 'these alone').choices(names).default(names))
    .parse()
    .opts<{ only: string[] }>();
  return Object.entries(parts).flatMap(([part, run]) => (only.includes(part) ? [run] : []));
}
