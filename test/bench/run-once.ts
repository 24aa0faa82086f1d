// `npm run bench run-once [-- --runs N]`: a run from the start of its process to its exit, of one pod `true` and of 500, and the process's memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { medianOf } from '../deploy/start.ts';
import { LARGEST_NUMBER, script } from '../script-options.ts';

const ONE_POD_SECONDS_MAX = 1.5;
const MEMORY_AGAIN_MS = 20;
const bin = resolve(import.meta.dirname, '../../bin/farloop.js');

const { runs } = script('npm run bench run-once --')
  .option('--runs <number>', 'of one pod; 500 pods run a third as often', wholeNumber({ min: 1, max: LARGEST_NUMBER }), 9)
  .parse()
  .opts<{ runs: number }>();

const folder = mkdtempSync(join(tmpdir(), 'farloop-run-once-'));

function manifestOf(pods: number): string {
  const file = join(folder, `${pods}.json`);
  const podAt = (at: number): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${at}` },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['true'] }] },
    });
  writeFileSync(file, Array.from({ length: pods }, (_, at) => podAt(at)).join('\n'));
  return file;
}

/** Peak of the resident memory, as the kernel tells it; 0 where it does not. */
function peakBytes(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

let count = 0;
async function runOnce(file: string): Promise<{ seconds: number; bytes: number }> {
  const startMs = performance.now();
  const state = join(folder, `state-${(count += 1)}`);
  const child = spawn(
    process.execPath,
    [bin, 'run-once', '-f', file, '--provider', 'simulated', '--until', 'completed', '--state', state],
    {
      stdio: 'ignore',
    },
  );
  let bytes = 0;
  const look = setInterval(() => (bytes = Math.max(bytes, peakBytes(child.pid))), MEMORY_AGAIN_MS);
  const [exitCode] = await once(child, 'exit');
  clearInterval(look);
  if (exitCode !== 0) throw new Error(`farloop run-once ended with ${exitCode}`);
  return { seconds: (performance.now() - startMs) / 1_000, bytes };
}

try {
  for (const [pods, times] of [
    [1, runs],
    [500, Math.max(1, Math.round(runs / 3))],
  ] as const) {
    const file = manifestOf(pods);
    const taken: { seconds: number; bytes: number }[] = [];
    for (let at = 0; at < times; at += 1) taken.push(await runOnce(file));
    const seconds = medianOf(taken.map((each) => each.seconds));
    const bytes = Math.max(...taken.map((each) => each.bytes));
    const isWithin = pods > 1 || seconds <= ONE_POD_SECONDS_MAX;
    if (!isWithin) process.exitCode = 1;
    console.log(
      `${String(pods).padStart(3)} pods: ${seconds.toFixed(2)} s (median of ${times}), ${(bytes / 2 ** 20).toFixed(0)} MiB at most  ${isWithin ? 'ok' : `TOO MUCH: at most ${ONE_POD_SECONDS_MAX} s`}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
