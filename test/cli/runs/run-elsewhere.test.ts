// A run at a provider that is reached by HTTP: real processes, started once whatever is killed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { RunSummary } from '../../../lib/kinds/run-once/results.ts';
import { comesAbout } from '../../claims.ts';
import { startExampleProvider, type ExampleProvider } from '../../example-provider.ts';
import { FarloopProcess, root, runFarloop, temporaryFolder } from '../farloop-process.ts';

let folder: ReturnType<typeof temporaryFolder>;
let provider: ExampleProvider;
const processes: FarloopProcess[] = [];
beforeEach(async () => {
  folder = temporaryFolder();
  provider = await startExampleProvider(process.execPath, join(root, 'examples/virtual-node/provider/provider.mjs'));
});
afterEach(async () => {
  for (const each of processes.splice(0)) await each.destroy();
  await provider.stop();
  folder.remove();
});

/** Each run of the command leaves a line in a file. */
const manifest = (script: string): { file: string; ran: () => string[] } => {
  const [file, trace] = [join(folder.path, 'pod.json'), join(folder.path, 'trace')];
  writeFileSync(trace, '');
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'i', command: ['sh', '-c', `echo ran >> ${trace}; ${script}`] }],
      },
    }),
  );
  return { file, ran: () => readFileSync(trace, 'utf8').split('\n').filter(Boolean) };
};
const words = (file: string, more: readonly string[] = []): string[] =>
  `run-once -f ${file} --provider http:${provider.address} --state ${join(folder.path, 'state')} --run-id one --until completed`
    .split(' ')
    .concat(more);

test('the exit code of a process and the last lines of its log come back', async () => {
  const { file, ran } = manifest('echo hello; exit 3');
  const { exitCode, stdout, stderr } = await runFarloop(words(file, ['--logs', '5']));
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('runonce failed: error running pods: [a_default(')]);
  expect(stdout).toMatch(/main: exit 3/);
  expect(stdout).toMatch(/--- default\/a main\nhello\n/);
  expect(ran()).toEqual(['ran']);
}, 60_000);

test('R5: five at once, of which four are killed one after the other: the command ran once', async () => {
  const { file, ran } = manifest('sleep 4');
  for (let count = 0; count < 5; count += 1) processes.push(new FarloopProcess(words(file)));
  for (const [at, each] of processes.entries()) {
    if (at === 4) break;
    await comesAbout(() => processes.some(({ stderr }) => stderr !== ''), 30_000);
    each.child.kill('SIGKILL');
    await each.exited;
  }
  expect(await processes[4]?.exited).toBe(0);
  expect(ran()).toEqual(['ran']);
}, 60_000);

test('--cleanup always deletes the pod at the provider', async () => {
  const { file } = manifest('true');
  expect((await runFarloop(words(file, ['--cleanup', 'always']))).exitCode).toBe(0);
  expect(await provider.pods()).toEqual([]);
}, 60_000);

test('--mirror shows the pod at the API server of its node, whose passes leave the pod and its task alone', async () => {
  const state = join(folder.path, 'state');
  const instance = new FarloopProcess(['up', '--port', '0', '--state', state, '--virtual-node', `edge=http:${provider.address}`]);
  processes.push(instance);
  await instance.says('farloop ready');
  const { file, ran } = manifest('sleep 7; exit 3');
  const onEdge = ['run-once', '-f', file, '--state', state, '--node', 'edge', '--mirror', '--until', 'completed', '--run-id', 'one'];
  const run = new FarloopProcess(onEdge);
  processes.push(run);
  expect([await run.exited, ran()]).toEqual([1, ['ran']]);
  // A node of which a pod had been told would have stopped it: 143.
  expect(run.stdout).toMatch(/main: exit 3/);
  const { exitCode, stdout } = await runFarloop(['explain', 'virtualpod/a-edge', '--state', state]);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/Failed/)]);
}, 120_000);

test('--mirror without a cluster is refused, with what is missing', async () => {
  const { file, ran } = manifest('true');
  const { exitCode, stderr } = await runFarloop(words(file, ['--mirror']));
  expect([exitCode, stderr, ran()]).toEqual([2, expect.stringContaining('expected --node with the name of a virtual node'), []]);
}, 60_000);

test('--node runs at a virtual node that farloop up has registered, and counts whatever its provider lists there', async () => {
  const state = join(folder.path, 'state');
  const instance = new FarloopProcess([
    'up',
    '--port',
    '0',
    '--state',
    state,
    '--virtual-node',
    `edge=http:${provider.address}`,
    '--node-pods',
    'edge=1',
  ]);
  processes.push(instance);
  await instance.says('#token=');
  const { file, ran } = manifest('sleep 30');
  const onEdge = ['run-once', '-f', file, '--state', state, '--node', 'edge', '-o', 'json'];
  expect((await runFarloop([...onEdge, '--run-id', 'first'])).exitCode).toBe(0);
  const second = await runFarloop([...onEdge, '--run-id', 'second', '--rejected', 'fail']);
  expect([second.exitCode, JSON.parse(second.stdout).results[0].rejected]).toEqual([
    1,
    { reason: 'OutOfpods', message: "Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1" },
  ]);
  expect(ran()).toEqual(['ran']);
}, 120_000);

test('through the API a node of the instance runs the pod, and mirror shows it in the cluster', async () => {
  const state = join(folder.path, 'state');
  const instance = new FarloopProcess(['up', '--port', '0', '--state', state, '--virtual-node', `edge=http:${provider.address}`]);
  processes.push(instance);
  await instance.says('farloop ready');
  const { url, token } = JSON.parse(readFileSync(join(state, 'instance.json'), 'utf8'));
  const { file, ran } = manifest('sleep 3; exit 3');
  const ask = async (method: string, path: string, body?: object): Promise<RunSummary> => {
    // One connection each: a machine that is busy may find a kept one ended.
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    const answer = await fetch(`${url}/v1/runs${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return (await answer.json()) as RunSummary;
  };
  const options = { mirror: true, until: 'completed' };
  const begun = await ask('POST', '', { runId: 'one', node: 'edge', manifest: [JSON.parse(readFileSync(file, 'utf8'))], options });
  expect([begun.node, begun.provider]).toEqual(['edge', `http:${provider.address}`]);
  expect(await comesAbout(async () => (await ask('GET', '/one')).finishedAt !== undefined, 60_000)).toBe(true);
  expect([(await ask('GET', '/one')).results, ran()]).toMatchObject([[{ containers: [{ exitCode: 3 }] }], ['ran']]);
  const isMirrored = async (): Promise<boolean> =>
    (await runFarloop(['explain', 'virtualpod/a-edge', '--state', state])).stdout.includes('Failed');
  expect(await comesAbout(isMirrored, 60_000)).toBe(true);
}, 200_000);
