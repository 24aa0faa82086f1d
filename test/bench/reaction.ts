// `npm run bench reaction [-- --only edits jobs memory]`: how soon Farloop acts, beside kube-controller-manager on the same API server, and
// what memory it takes. Exits 1 when a bound is missed.
// - edits: from a change of a Job (created, then its parallelism raised) to the pod that it asks for, fifty times, both in turns;
// - jobs: a thousand Jobs of one pod at once, Jobs per second;
// - memory: peak of `farloop up` with so many such Jobs, and what holds it. The API server and the player of pods are other processes.
import { Option } from 'commander';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { script } from '../script-options.ts';
import { edits } from './reaction/edits.ts';
import { manyJobs } from './reaction/many-jobs.ts';
import { memory } from './reaction/memory.ts';

const PARTS = { edits, jobs: manyJobs, memory } as const;
type Part = keyof typeof PARTS;

export interface ReactionOptions {
  times: number;
  jobs: number;
  memoryJobs: number[];
  server: 'real' | 'sandbox';
  cpuProf?: string;
  heapSnapshot?: true;
}

/** What a part is given: its options, and a folder that goes when all is over. */
export interface Setting extends ReactionOptions {
  folder: string;
  /** Says it, and has the benchmark fail. */
  miss: (what: string) => void;
}

const { only, ...options } = script('npm run bench reaction --')
  .addOption(new Option('--only <parts...>', 'these alone').choices(Object.keys(PARTS)).default(Object.keys(PARTS)))
  .option('--times <number>', 'changes by each', wholeNumber({ min: 1, max: 10_000 }), 50)
  .option('--jobs <number>', 'Jobs at once', wholeNumber({ min: 1, max: 100_000 }), 1_000)
  .addOption(
    new Option(
      '--memory-jobs <numbers>',
      'Jobs at once where memory is measured; of several, with commas between, each in a process of its own',
    )
      .argParser((text) => text.split(',').map(wholeNumber({ min: 1, max: 100_000 })))
      .default([10_000]),
  )
  .addOption(new Option('--server <which>', 'where memory is measured').choices(['real', 'sandbox']).default('real'))
  .option('--cpu-prof <folder>', 'of edits and memory: where the profile of Farloop is put')
  .option('--heap-snapshot', 'of memory: leaves a heap snapshot in the working directory at the end')
  .parse()
  .opts<ReactionOptions & { only: Part[] }>();

const folder = await mkdtemp(join(tmpdir(), 'farloop-bench-'));
const misses: string[] = [];
console.log(`load of the machine before: ${loadavg()[0]?.toFixed(1)}`);
try {
  for (const [name, run] of Object.entries(PARTS))
    if (only.some((part) => part === name)) await run({ ...options, folder, miss: (what) => void misses.push(what) });
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
console.log(`load of the machine after: ${loadavg()[0]?.toFixed(1)}`);
if (misses.length > 0) {
  console.log(`missed: ${misses.join('; ')}`);
  process.exitCode = 1;
}
