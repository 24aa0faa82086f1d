// Runs of `farloop up`: begun through its API, driven by it, gone on with after a kill, and seen by the command line.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RunSummary } from '../../../lib/kinds/run-once/results.ts';
import { comesAbout } from '../../claims.ts';
import { FarloopProcess, runWithin, temporaryFolder } from '../farloop-process.ts';

let folder: ReturnType<typeof temporaryFolder>;
const processes: FarloopProcess[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const each of processes.splice(0)) await each.destroy();
  folder.remove();
});

async function up(): Promise<FarloopProcess> {
  const process = new FarloopProcess(['up', '--port', '0', '--state', folder.path]);
  processes.push(process);
  await process.says('#token=');
  return process;
}
async function ask(method: string, path: string, body?: object): Promise<RunSummary> {
  const { url, token } = JSON.parse(readFileSync(join(folder.path, 'instance.json'), 'utf8'));
  const answer = await fetch(`${url}/v1/runs${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as RunSummary;
}
const isOver = async (): Promise<boolean> => (await ask('GET', '/one')).finishedAt !== undefined;
const request = (script: string): object => ({
  runId: 'one',
  provider: 'simulated',
  manifest: [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['sh', '-c', script] }] },
    },
  ],
  options: { until: 'completed' },
});

test('R5: a run goes on after the instance was killed, and its command ran once', async () => {
  const first = await up();
  expect(await ask('POST', '', request('sleep 3'))).toMatchObject({ runId: 'one', open: 1 });
  await comesAbout(async () => (await ask('GET', '/one')).state === 'waiting', 30_000);
  first.child.kill('SIGKILL');
  await first.exited;
  await up();
  await comesAbout(isOver, 30_000);
  const run = await ask('GET', '/one');
  expect(run).toMatchObject({ state: 'done', results: [{ containers: [{ exitCode: 0 }] }] });
  const listed = await runWithin(['run-once', 'get', 'one', '--state', folder.path, '-o', 'json']);
  expect(JSON.parse(listed.stdout)).toEqual(run);
  const tasks = new DatabaseSync(join(folder.path, 'runs', 'one', 'simulated-tasks.db'), { readOnly: true });
  expect(tasks.prepare('select name from tasks').all()).toEqual([{ name: `${run.results[0]?.pod.uid}-1` }]);
  tasks.close();
}, 120_000);

test('a run of the instance is cancelled from the command line', async () => {
  await up();
  await ask('POST', '', request('sleep 600'));
  await comesAbout(async () => (await ask('GET', '/one')).state === 'waiting', 30_000);
  const { exitCode, stdout } = await runWithin(['run-once', 'cancel', 'one', '--state', folder.path]);
  expect([exitCode, stdout]).toEqual([0, 'run one: cancelled\n']);
  expect(await ask('GET', '/one')).toMatchObject({ state: 'cancelled', results: [{ error: 'run cancelled' }] });
}, 120_000);
