// The clock of those tests that say how long something may take.
import { afterEach, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { comesAbout } from './claims.ts';
import { processorTimeOf, startRunningTime } from './running-time.ts';

let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

/** As a process does that the machine gives no processor to, or that somebody else keeps busy: no tick comes. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const ranMs = (): number => processorTimeOf(child?.pid)?.ranMs ?? 0;

test('whoever is followed and runs takes time, also while this process stands still', async () => {
  child = spawn(process.execPath, ['-e', 'for (;;);']);
  // Where the system does not tell, nothing can be known of it.
  if (processorTimeOf(process.pid)) expect(await comesAbout(() => ranMs() > 0, 60_000)).toBe(true);
  const time = startRunningTime();
  time.follow(child.pid);
  const before = ranMs();
  standStill(300);
  const ran = ranMs() - before;
  const ms = time.ms();
  time.stop();
  expect(ms).toBeGreaterThanOrEqual(ran);
});

test('while this process stands still, and whoever is followed does nothing, hardly any time passes', () => {
  child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
  const time = startRunningTime();
  time.follow(child.pid);
  const before = ranMs();
  standStill(300);
  const ms = time.ms();
  const ran = ranMs() - before;
  time.stop();
  expect(ms).toBeLessThanOrEqual(Math.max(50, ran) + 10);
});
