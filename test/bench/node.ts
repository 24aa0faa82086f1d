// `npm run bench node [-- --pods N --runs N]`: pods per second of a virtual node, from the first create until all of them run: the sandbox and
// `farloop up` in a process each, the simulated provider. Exits 1 when a run is slower than its bound.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { until } from '../claims.ts';
import { script } from '../script-options.ts';
import { clock, Instance } from '../virtual-node/instance.ts';

const { pods, runs } = script('npm run bench node --')
  .option('--pods <number>', 'on the node', wholeNumber({ min: 10, max: 1_000 }), 500)
  .option('--runs <number>', 'how often', wholeNumber({ min: 1, max: 20 }), 2)
  .parse()
  .opts<{ pods: number; runs: number }>();

/** Creates in flight at once. */
const AT_ONCE = 16;
const POLL_MS = 200;
/** Pods per second: 80 % of what two quiet cores reach on an empty node, and on one that has 500 pods. */
const LEAST = 100;

const folder = await mkdtemp(join(tmpdir(), 'farloop-bench-node-'));
const instance = await Instance.start(folder);
try {
  await instance.up();
  for (let run = 1; run <= runs; run += 1) {
    const names = Array.from({ length: pods }, (_, at) => `r${run}-p${at}`);
    const began = performance.now();
    const next = names.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const name of next) await instance.createPod(name, { 'run-seconds': '100000' }, { run: String(run) });
      }),
    );
    const createdMs = performance.now() - began;
    await until(
      'all pods run',
      async () => {
        // Asking is work for the sandbox, too: seldom, and for those of this run alone.
        await clock.wait(POLL_MS);
        return (await instance.pods(`run=${run}`)).filter(({ status }) => status?.phase === 'Running').length === pods;
      },
      300_000,
    );
    const seconds = (performance.now() - began) / 1_000;
    const isMissed = pods / seconds < LEAST;
    if (isMissed) process.exitCode = 1;
    console.log(
      `node: run ${run}: ${pods} pods created in ${(createdMs / 1_000).toFixed(1)} s, all run after ${seconds.toFixed(1)} s: ${(pods / seconds).toFixed(0)} pods/s (at least ${LEAST}${isMissed ? ': missed' : ''})`,
    );
  }
} finally {
  await instance.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
