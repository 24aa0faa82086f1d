// `npm run bench large [-- --indexes N]`: one Job of 100,000 indexes in one thread on a virtual clock, from its creation to its end:
// passes, writes, write units, processor time of Farloop's own parts and of the sandbox beside them, memory. Reported, no bound.
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import { playLarge } from '../world/large.ts';
import { aJob, World } from '../world/world.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { script } from '../script-options.ts';

const { indexes } = script('npm run bench large --')
  .option('--indexes <number>', 'of the Job', wholeNumber({ min: 1, max: 100_000 }), 100_000)
  .parse()
  .opts<{ indexes: number }>();

const world = new World({ writesPerSecond: 100_000 });
await world.watch();
await world.apply(aJob('large', { completions: indexes, parallelism: indexes, completionMode: 'Indexed' }));
const began = performance.now();
let loopMs = 0;
let longestText = 0;
let isOver = false;
/** The API server in the same thread answers within these too: its share shows in a profile only. */
async function timed(work: () => Promise<unknown>): Promise<void> {
  const { user, system } = process.cpuUsage();
  await work();
  const used = process.cpuUsage();
  loopMs += (used.user + used.system - user - system) / 1_000;
}
const rssBytes: number[] = [];
for (let second = 0; !isOver && second < indexes; second += 1) {
  await timed(async () => {
    await world.report();
    await world.run();
  });
  await playLarge(world);
  await timed(async () => {
    await world.report();
    await world.run();
  });
  rssBytes.push(process.memoryUsage.rss());
  const { status } = await world.job('large');
  longestText = Math.max(longestText, (status?.completedIndexes ?? '').length);
  isOver = isJobFinished(await world.job('large'));
  if (second % 20 === 0) console.error(`${second} s: ${status?.succeeded ?? 0} succeeded, ${status?.active ?? 0} run`);
  await world.clock.advance(1_000);
}
await world.until(() => true, { play: false, seconds: 5 });
const { status } = await world.job('large');
const writes = world.cluster.writes;
const statuses = writes.filter(({ subresource }) => subresource === 'status').length;
const { writeUnits } = world.store.meter;
console.log(`${indexes} indexes: ${status?.succeeded ?? 0} succeeded, ${world.passes.length} passes, ${statuses} status writes`);
console.log(
  `  API writes per pod ${(writes.length / indexes).toFixed(4)}; write units per pod ${(writeUnits / indexes).toFixed(3)}; longest text of indexes ${longestText} characters`,
);
console.log(
  `  ${((performance.now() - began) / 1000).toFixed(0)} s in all, of these ${(loopMs / 1000).toFixed(0)} s of processor time in ingest and passes with the API server's answers to them (${(loopMs / indexes).toFixed(2)} ms a pod); memory with the API server ${(Math.max(...rssBytes) / 1e6).toFixed(0)} MB at most`,
);
world.close();
