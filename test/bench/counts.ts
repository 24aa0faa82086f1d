// `npm run bench counts [-- --only single typical]`: what Jobs and training jobs cost, counted in one thread on a virtual clock: writes on the API server, write units of the
// table, passes. Counts are the same on every machine; exits 1 when a bound is missed.
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { aJob, World } from '../world/world.ts';
import { partsOf } from '../script-options.ts';
import { bound, breakdown, converged, figuresOf, misses, since, unitsByOperation, writesByKind } from './counting.ts';
import { NODE_PARTS } from './node-counts.ts';
import { TRAINING_PARTS } from './training-counts.ts';

const isStripped = (pod: Pod): boolean => !(pod.metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false);

/** Until all Jobs have ended and no finalizer is left. */
async function finish(world: World, jobs: string[], options: { seconds?: number; play?: boolean } = {}): Promise<void> {
  await world.until(async () => {
    for (const name of jobs) if (!isJobFinished(await world.job(name))) return false;
    return (await world.pods()).every(isStripped);
  }, options);
}

async function single(): Promise<void> {
  const jobs = Array.from({ length: 50 }, (_, at) => `single-${at}`);
  const world = new World();
  await world.watch();
  // A pod runs for some seconds: long enough to be seen running, as pods of a real node are.
  for (const name of jobs) await world.apply(aJob(name, { completions: 1, parallelism: 1 }));
  await finish(world, jobs);
  const { apiWrites, eventObjects, writeUnits, indexUnits, passes } = figuresOf(world);
  console.log(`S = 1 (${jobs.length} Jobs)`);
  console.log(
    `  API-server writes per pod, Events apart  ${bound('S = 1 API writes', apiWrites / jobs.length, 4)}: ${breakdown(writesByKind(world), jobs.length)}`,
  );
  console.log(`  Event objects per pod                    ${(eventObjects / jobs.length).toFixed(2)} (upstream 2.0)`);
  console.log(
    `  write units per pod                      ${bound('S = 1 write units', writeUnits / jobs.length, 12, 2)}: ${breakdown(unitsByOperation(world), jobs.length)}`,
  );
  console.log(
    `  index units per pod                      ${(indexUnits / jobs.length).toFixed(2)}; passes per pod ${(passes / jobs.length).toFixed(2)}`,
  );
  await converged(world);
  world.close();
}

async function large(pods: number, completionMode: 'Indexed' | 'NonIndexed', most?: number): Promise<void> {
  const world = new World({ writesPerSecond: 100_000 });
  await world.watch();
  await world.apply(aJob('large', { completions: pods, parallelism: pods, completionMode }));
  await finish(world, ['large'], { seconds: 1_200 });
  const { apiWrites, eventObjects, writeUnits, passes } = figuresOf(world);
  console.log(`S = ${pods} (${completionMode})`);
  const perPod = apiWrites / pods;
  const figure = most === undefined ? `${perPod.toFixed(4)} (reported)` : bound(`S = ${pods} API writes`, perPod, most, 4);
  console.log(`  API-server writes per pod, Events apart  ${figure}: ${breakdown(writesByKind(world), pods)}`);
  console.log(
    `  Event objects per pod                    ${(eventObjects / pods).toFixed(4)}; write units per pod ${(writeUnits / pods).toFixed(3)}; passes ${passes}`,
  );
  world.close();
}

/** Ten pods of each Job end a second: ten events a pass. Several Jobs at once, since what a cluster's budget costs is shared. */
async function typical(): Promise<void> {
  const podsEach = 100;
  const jobs = Array.from({ length: 10 }, (_, at) => `typical-${at}`);
  const pods = podsEach * jobs.length;
  const world = new World();
  await world.watch();
  for (const name of jobs) await world.apply(aJob(name, { completions: podsEach, parallelism: podsEach, completionMode: 'Indexed' }));
  await world.until(async () => (await world.pods()).length === pods, { play: false });
  for (const pod of await world.pods()) await world.startPod(pod);
  const all = (await world.pods()).toSorted((a, b) => indexOf(a) - indexOf(b));
  for (let at = 0; at < pods; at += 10 * jobs.length) {
    for (const pod of all.slice(at, at + 10 * jobs.length)) await world.end(pod, 0);
    await world.clock.advance(1_100);
    await world.report();
    await world.run();
  }
  await finish(world, jobs);
  const { apiWrites, writeUnits, summaryUnits, indexUnits, passes } = figuresOf(world);
  console.log(`typical (${jobs.length} Jobs, S = ${podsEach}, ten events a pass)`);
  console.log(`  API-server writes per pod, Events apart  ${(apiWrites / pods).toFixed(3)}; passes a Job ${passes / jobs.length}`);
  console.log(
    `  write units per pod                      ${bound('typical write units', (writeUnits - summaryUnits) / pods, 0.5)}, and for summaries ${bound('typical summaries', summaryUnits / pods, 0.05)}: ${breakdown(unitsByOperation(world), pods)}; index ${(indexUnits / pods).toFixed(3)}`,
  );
  world.close();
}

async function storm(): Promise<void> {
  const pods = 10_000;
  const world = new World({ writesPerSecond: 100_000 });
  await world.watch();
  await world.apply(aJob('storm', { completions: pods, parallelism: pods, completionMode: 'Indexed' }));
  await world.until(async () => world.cluster.writes.filter(({ verb }) => verb === 'create').length >= pods, { seconds: 120, play: false });
  const all = (await world.pods()).toSorted((a, b) => indexOf(a) - indexOf(b));
  for (const pod of all) await world.startPod(pod);
  await world.until(() => true, { play: false, seconds: 30 });
  await world.clock.advance(30_000);
  await world.report();
  await world.run();

  const before = figuresOf(world);
  const unitsBefore = unitsByOperation(world);
  let lastEventMs = 0;
  const perBatch = 500;
  for (let at = 0; at < pods; at += perBatch) {
    for (const pod of all.slice(at, at + perBatch)) await world.end(pod, 0);
    lastEventMs = world.clock.nowMs();
    await world.report({ eventsPerMessage: perBatch });
    await world.run();
    await world.clock.advance((10_000 * perBatch) / pods);
    await world.run();
  }
  await finish(world, ['storm']);
  const { apiWrites, writeUnits, indexUnits, passes } = since(before, figuresOf(world));
  const lastPassMs = world.passes.at(-1)?.startedAtMs ?? 0;
  console.log(`storm (${pods} events in 10 s on one Job)`);
  console.log(
    `  passes                                   ${bound('storm passes', passes, 12, 0)}; the last one ${lastPassMs - lastEventMs} ms after the last event`,
  );
  if (lastPassMs <= lastEventMs) misses.push('the last pass came before the last event');
  console.log(
    `  write units per event                    ${bound('storm write units', writeUnits / pods, 0.05, 4)}; ${breakdown(unitsByOperation(world, unitsBefore), pods)}; index ${(indexUnits / pods).toFixed(4)}; API writes per event ${(apiWrites / pods).toFixed(4)}`,
  );
  world.close();
}

const indexOf = (pod: Pod): number => Number(pod.metadata.labels?.['batch.kubernetes.io/job-completion-index'] ?? -1);

const PARTS: Record<string, () => Promise<void>> = {
  single,
  'indexed-1000': () => large(1_000, 'Indexed', 2.006),
  'indexed-10000': () => large(10_000, 'Indexed', 2.002),
  'nonindexed-1000': () => large(1_000, 'NonIndexed'),
  'nonindexed-10000': () => large(10_000, 'NonIndexed'),
  typical,
  storm,
  ...TRAINING_PARTS,
  ...NODE_PARTS,
};
for (const part of partsOf('npm run bench counts --', PARTS)) await part();
if (misses.length > 0) {
  console.log(`missed: ${misses.join('; ')}`);
  process.exitCode = 1;
}
