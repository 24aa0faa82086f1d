// Cases as lines of JSON.
//   generate.ts --seed N --count M [--first K]
import { once } from 'node:events';
import { wholeNumber } from '../../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../../script-options.ts';
import { makeCase } from './cases.ts';

const { seed, count, first } = script('generate.ts')
  .requiredOption('--seed <number>', 'the seed', wholeNumber({ min: 1, max: LARGEST_NUMBER }))
  .requiredOption('--count <number>', 'how many', wholeNumber({ min: 1, max: LARGEST_NUMBER }))
  .option('--first <number>', 'the number of the first', wholeNumber({ min: 0, max: LARGEST_NUMBER }), 0)
  .parse()
  .opts<{ seed: number; count: number; first: number }>();
process.stdout.on('error', () => process.exit(0));
for (let number = first; number < first + count; number++)
  if (!process.stdout.write(`${JSON.stringify(makeCase(seed, number))}\n`)) await once(process.stdout, 'drain');
