// `farloop wait`: its exit code says how a workload ended, or that it has not.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { embeddedPorts, know, type EmbeddedPorts } from '../../api/embedded-ports.ts';
import { serveApi } from '../../api/served-api.ts';
import { until } from '../../claims.ts';
import type { Listening } from '../../listening.ts';
import { FarloopProcess, runWithin, type Ended } from '../farloop-process.ts';

let ports: EmbeddedPorts;
let api: Listening;
let environment: Record<string, string>;
let asked: number;
beforeEach(async () => {
  ports = await embeddedPorts('local');
  asked = 0;
  api = await serveApi(ports, 'a-token', { onRequest: () => void (asked += 1) });
  environment = { FARLOOP_ENDPOINT: api.url, FARLOOP_TOKEN: 'a-token' };
});
afterEach(async () => {
  await api.stop();
  ports.close();
});

const ended = (type: string, reason: string): object => ({ succeeded: 3, conditions: [{ type, status: 'True', reason }] });
const wait = async (...args: string[]): Promise<Ended> => await runWithin(['wait', ...args], { environment });

test.each([
  { says: 'has succeeded', type: 'Complete', args: [], exitCode: 0, stdout: /^job\/demo Succeeded: 3 of 3 succeeded/, stderr: /^$/ },
  { says: 'has failed', type: 'Failed', args: [], exitCode: 1, stdout: /^$/, stderr: /^farloop: job\/demo Failed \(Why\): 3 of 3/ },
  { says: 'has failed as was wanted', type: 'Failed', args: ['--for', 'failed'], exitCode: 0, stdout: /Failed \(Why\)/, stderr: /^$/ },
  {
    says: 'can never run',
    type: 'Failed',
    args: ['--for', 'running'],
    exitCode: 1,
    stdout: /^$/,
    stderr: /has ended and is not Running: Failed/,
  },
  {
    says: 'goes on',
    type: 'Odd',
    args: ['--timeout', '500ms'],
    exitCode: 5,
    stdout: /^$/,
    stderr: /has not ended within 500ms: Running: 3 of 3/,
  },
])('one that $says ends with $exitCode', async ({ type, args, exitCode, stdout, stderr }) => {
  await know(ports, { name: 'demo', status: ended(type, 'Why') });
  const end = await wait('job/demo', ...args);
  expect(end.exitCode).toBe(exitCode);
  expect(end.stdout).toMatch(stdout);
  expect(end.stderr).toMatch(stderr);
});

test('one that ends later is waited for; one that is gone is told of', async () => {
  const key = await know(ports, { name: 'demo' });
  const waits = new FarloopProcess(['wait', 'job/demo', '--for', 'gone'], { environment });
  const fails = new FarloopProcess(['wait', 'job/demo'], { environment });
  // Each asks for its place in the API first.
  await until('both have looked', () => asked >= 4);
  const head = await ports.store.readHead(key);
  await ports.store.forget(key, head?.fence ?? '');
  expect(await waits.exited).toBe(0);
  expect(waits.stdout).toBe('job/demo is gone\n');
  expect(await fails.exited).toBe(1);
  expect(fails.stderr).toContain('"farloop explain job/demo" tells of its last passes');
});

test.each([
  [['--for', 'done'], 'Expected ended, gone, or a state: Pending, '],
  [['--timeout', 'long'], 'Expected a span of 30 days at most, such as 90s, 10m or 1h30m'],
])('%j is refused with 2', async (args, says) => {
  const end = await wait('job/demo', ...args);
  expect(end.exitCode).toBe(2);
  expect(end.stderr).toContain(says);
});
