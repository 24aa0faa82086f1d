// `farloop explain` and `farloop plan` for runs: from the state folder, without a Farloop that runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { comesAbout } from '../../claims.ts';
import { FarloopProcess, runWithin, temporaryFolder, type Ended } from '../farloop-process.ts';

let folder: ReturnType<typeof temporaryFolder>;
let run: FarloopProcess;
const state = (): string => join(folder.path, 'state');
const asked = async (...args: string[]): Promise<Ended> => await runWithin([...args, '--state', state()]);

beforeEach(async () => {
  folder = temporaryFolder();
  const pod = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['sleep', '600'] }] },
  });
  const file = join(folder.path, 'pods.json');
  writeFileSync(file, [pod('a'), pod('b')].map((each) => JSON.stringify(each)).join('\n'));
  const where = ['run-once', '-f', file, '--provider', 'simulated', '--state', state(), '--run-id', 'one'];
  run = new FarloopProcess([...where, '--until', 'completed', '--parallelism', '1', '--cleanup', 'always']);
  if (!(await comesAbout(async () => run.stderr.includes('default/a: running'), 60_000))) throw new Error(run.stderr);
}, 120_000);
afterEach(async () => {
  await run.destroy();
  folder.remove();
});

test('a run says why it stands so, what each pod waits for, and what comes next; its name alone will do', async () => {
  const { exitCode, stdout } = await asked('explain', 'run/one');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^run\/one on run-once at simulated: waiting\n/);
  expect(stdout).toContain('default/a waits for its end, and 1 more pod is open\n');
  expect(stdout).toMatch(/pod default\/a running: waits for its end; looked at again in \d+s\n/);
  expect(stdout).toContain('pod default/b waits for its turn: one pod is started at a time\n');
  expect((await asked('explain', 'one')).stdout).toMatch(/^run\/one /);
  const plan = await asked('plan', 'run/one');
  expect([plan.exitCode, plan.stdout]).toEqual([
    0,
    expect.stringMatching(/next step (in \d+s|now), .*\n {2}look default\/a: its status is due\n$/),
  ]);
  const { stdout: json } = await asked('plan', 'one', '-o', 'json');
  expect(JSON.parse(json)).toMatchObject({ runId: 'one', state: 'waiting', actions: [{ verb: 'look', pod: { name: 'a' } }] });
}, 120_000);

test('--watch goes on until the run is over', async () => {
  const watch = new FarloopProcess(['explain', 'run/one', '--watch', '--state', state()]);
  await watch.says('waits for its end');
  await asked('run-once', 'cancel', 'one');
  expect([await watch.exited, await comesAbout(async () => watch.stdout.includes('run cancelled'), 30_000)]).toEqual([0, true]);
  expect((await asked('plan', 'one')).stdout).toMatch(/^run\/one: cancelled: .*\n {2}nothing follows\n$/);
}, 120_000);

test('a run that is not there is 1, and a place or an id that no run can have 2', async () => {
  const absent = await asked('explain', 'run/two');
  expect([absent.exitCode, absent.stderr]).toEqual([1, expect.stringContaining('there is no run two in ')]);
  expect((await asked('plan', 'run/two')).exitCode).toBe(1);
  const placed = await asked('explain', 'run/one', '-n', 'default');
  expect([placed.exitCode, placed.stderr]).toEqual([2, expect.stringContaining('a run has no namespace and no cluster')]);
  expect((await asked('plan', 'run/Up')).exitCode).toBe(2);
}, 120_000);
