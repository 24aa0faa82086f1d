// `npm run bench fairness [-- --only clusters|busy --minutes 3 --every 10]`: a hundred clusters on the embedded adapters in this process, as long
// quiet as stormy: one dead, one flooding with ten times its share; then one `farloop up` (busy.ts). Exits 1 where the others' lag p99 is more
// than twice that of the quiet run.
import { Option } from 'commander';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLUSTERS, DEAD, FLOODING, quantile } from '../fairness/crowd.ts';
import { runForReal, type RealRun } from '../fairness/real-run.ts';
import { isFairWhenBusy } from './busy.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const { only, minutes, every } = script('npm run bench fairness --')
  .addOption(new Option('--only <what>', 'one part alone').choices(['clusters', 'busy']))
  .option('--minutes <number>', 'each of the two runs', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 3)
  .option('--every <seconds>', 'a Job of each cluster', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 10)
  .parse()
  .opts<{ only?: 'clusters' | 'busy'; minutes: number; every: number }>();
const FROM_MS = 15_000;
const MOST = 2;
/** Twice what a share takes; the flood takes five times as much as there is. */
const WRITES_PER_SECOND = 1;

async function run(isStormy: boolean): Promise<RealRun> {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-fairness-'));
  try {
    const untilMs = FROM_MS + minutes * 60_000;
    return await runForReal({ everyMs: every * 1_000, fromMs: FROM_MS, untilMs, isStormy, writesPerSecond: WRITES_PER_SECOND }, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tell(title: string, { lags, flooding, jobs, unfinished, callsOfDead, passes, processorShare, lateMs }: RealRun): void {
  const milliseconds = (sorted: readonly number[], share: number): string => quantile(sorted, share).toFixed(0);
  console.log(
    `${title}: ${jobs} Jobs on ${CLUSTERS} clusters, processor ${(processorShare * 100).toFixed(0)} % of one, timers late by ${lateMs.toFixed(0)} ms (p99)`,
  );
  for (const [what, sorted] of [
    ['Job created to pod created', lags.creation],
    ['pod ended to Job ended', lags.completion],
  ] as const)
    console.log(
      `  ${what.padEnd(27)} p50 ${milliseconds(sorted, 0.5)} ms, p99 ${milliseconds(sorted, 0.99)} ms (${sorted.length} of the other clusters)`,
    );
  console.log(
    `  ${DEAD}: ${passes.get(DEAD) ?? 0} passes, ${callsOfDead} calls; ${FLOODING}: ${passes.get(FLOODING) ?? 0} passes, ${flooding.completion.length} Jobs ended; unfinished elsewhere: ${unfinished}`,
  );
}

async function compareClusters(): Promise<void> {
  const quiet = await run(false);
  tell('quiet', quiet);
  const stormy = await run(true);
  tell('one dead, one flooding', stormy);
  for (const part of ['creation', 'completion'] as const) {
    const ratio = quantile(stormy.lags[part], 0.99) / quantile(quiet.lags[part], 0.99);
    console.log(`${part}: lag p99 ${ratio.toFixed(2)} times that of the quiet run (at most ${MOST})`);
    if (!(ratio <= MOST) || stormy.unfinished > 0) process.exitCode = 1;
  }
}

if (only !== 'busy') await compareClusters();
if (only !== 'clusters' && !(await isFairWhenBusy())) process.exitCode = 1;
