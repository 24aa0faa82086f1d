// Start of a deployed function: its own code and imports, its runtime made, in fresh processes. Node's own start is not in it.
import { spawnSync } from 'node:child_process';
import { ENVIRONMENT } from './packaged.ts';

const SCRIPT = `
const cpu = process.cpuUsage(), from = performance.now();
const { handler } = await import(process.argv[1]);
const wallMs = performance.now() - from, { user, system } = process.cpuUsage(cpu);
if (typeof handler !== 'function') throw new Error('the bundle exports no handler');
console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000 }));`;

export interface Start {
  /** Milliseconds by the clock: on a busy machine others' work is in it. */
  wallMs: number;
  /** Milliseconds of processor time, all threads. */
  cpuMs: number;
}

/** @throws Error with what the process said, when the bundle does not load */
export function startOnce(bundle: string): Start {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT, bundle], {
    encoding: 'utf8',
    env: ENVIRONMENT,
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`${bundle} does not load:\n${stderr}`);
  return JSON.parse(stdout) as Start;
}

export const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
