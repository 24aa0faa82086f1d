// `npm run bench processes [-- --pods N]`: pods per second of `true` as a command, from the first create until all have succeeded, beside xargs on as
// many commands; and the processor time that pods cost that only wait. Tells ratios, and has no bound: half of it is the machine's.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { processAt } from '../../lib/adapters/providers/local-process/machine/process-tree.ts';
import { readRecord } from '../../lib/adapters/providers/local-process/folder/records.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { until } from '../claims.ts';
import { script } from '../script-options.ts';
import { clock, Instance, NODE } from '../virtual-node/instance.ts';

const { pods, idle } = script('npm run bench processes --')
  .option('--pods <number>', 'of true', wholeNumber({ min: 10, max: 1_000 }), 100)
  .option('--idle <number>', 'that wait', wholeNumber({ min: 1, max: 100 }), 10)
  .parse()
  .opts<{ pods: number; idle: number }>();

const AT_ONCE = 16;
const POLL_MS = 100;
const IDLE_MS = 20_000;
const TICKS_PER_SECOND = 100;

const folder = mkdtempSync(join(tmpdir(), 'farloop-bench-processes-'));
const instance = await Instance.start(folder, ['local-process', '--allow-namespace', 'default']);

/** Of a process itself, and of those of its children that have ended. */
const secondsOf = (pid: number): number => (processAt(pid)?.cpuTicks ?? 0) / TICKS_PER_SECOND;
const orders = join(folder, 'state', 'processes', NODE);
const runners = (): number[] =>
  readdirSync(orders).flatMap((name) => {
    const each = join(orders, name);
    return readRecord(each, 'record')?.hasEnded === false ? (readRecord(each, 'claim')?.pid ?? []) : [];
  });

/** Cores that Farloop and the holders of pods use while nothing happens. */
async function idleCores(): Promise<{ up: number; runners: number }> {
  const pids = runners();
  const all = (): [number, number] => [secondsOf(instance.pid), pids.reduce((sum, pid) => sum + secondsOf(pid), 0)];
  const [before, began] = [all(), performance.now()];
  await clock.wait(IDLE_MS);
  const seconds = (performance.now() - began) / 1_000;
  const after = all();
  return { up: (after[0] - before[0]) / seconds, runners: (after[1] - before[1]) / seconds };
}

const percent = (cores: number): string => `${(cores * 100).toFixed(2)} %`;

try {
  await instance.up();
  const names = Array.from({ length: pods }, (_, at) => `p${at}`);
  const began = performance.now();
  const next = names.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const name of next) await instance.runPod(name, 'true', {}, { run: 'true' });
    }),
  );
  await until(
    'all have succeeded',
    async () => {
      await clock.wait(POLL_MS);
      return (await instance.pods('run=true')).filter(({ status }) => status?.phase === 'Succeeded').length === pods;
    },
    300_000,
  );
  const seconds = (performance.now() - began) / 1_000;
  const atOnce = availableParallelism();
  const xargsBegan = performance.now();
  execFileSync('sh', ['-c', `seq ${pods} | xargs -P ${atOnce} -n 1 sh -c true`]);
  const xargsSeconds = (performance.now() - xargsBegan) / 1_000;
  const nodeBegan = performance.now();
  execFileSync('sh', ['-c', `seq ${pods} | xargs -P ${atOnce} -n 1 '${process.execPath}' -e 0`]);
  const nodeSeconds = (performance.now() - nodeBegan) / 1_000;
  console.log(
    `processes: ${pods} pods of true, start to Succeeded: ${seconds.toFixed(1)} s, ${(pods / seconds).toFixed(1)} pods/s; xargs -P ${atOnce}: ${xargsSeconds.toFixed(2)} s, ${(xargsSeconds / seconds).toFixed(3)} of its speed; xargs -P ${atOnce} node -e 0 (a pod's holder is such a process): ${nodeSeconds.toFixed(1)} s, ${(nodeSeconds / seconds).toFixed(2)} of its speed`,
  );
  const without = await idleCores();
  for (let at = 0; at < idle; at += 1) await instance.runPod(`idle${at}`, 'exec sleep 100000', {}, { run: 'idle' });
  await until(
    'all wait',
    async () => (await instance.pods('run=idle')).filter(({ status }) => status?.phase === 'Running').length === idle,
    120_000,
  );
  await clock.wait(2_000);
  const withThem = await idleCores();
  console.log(
    `processes: farloop up without pods uses ${percent(without.up)} of a core, with ${idle} idle pods ${percent(withThem.up)}; each pod's holder ${percent(withThem.runners / idle)}`,
  );
} finally {
  await instance.terminate();
  await instance.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
