// `farloop run-once logs` and `get` of a run that another process holds: its pods run on this machine, and their logs are files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { comesAbout } from '../../claims.ts';
import { FarloopProcess, runWithin, temporaryFolder } from '../farloop-process.ts';

let folder: ReturnType<typeof temporaryFolder>;
let run: FarloopProcess;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await run.destroy();
  folder.remove();
});

/** Each pod writes, waits until a file is there, and writes again. */
function start(names: readonly string[]): { go: () => void } {
  const [file, gate] = [join(folder.path, 'pods.json'), join(folder.path, 'gate')];
  const script = `echo before; until test -e ${gate}; do sleep 0.2; done; echo after`;
  const pods = names.map((name) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['sh', '-c', script] }] },
  }));
  writeFileSync(file, pods.map((pod) => JSON.stringify(pod)).join('\n'));
  run = new FarloopProcess(`run-once -f ${file} --provider local-process --until completed --run-id one --state ${folder.path}`.split(' '));
  return { go: () => writeFileSync(gate, '') };
}
const about = async (words: string) => await runWithin(`run-once ${words} --state ${folder.path}`.split(' '));
const isRunning = async (): Promise<boolean> => (await about('get one')).stdout.includes('main: running');

test('logs of a pod that another process runs are shown, and get says how the pod stands', async () => {
  const { go } = start(['a']);
  await comesAbout(isRunning, 60_000);
  expect((await about('logs one')).stdout).toBe('--- default/a main\nbefore\n');
  expect(JSON.parse((await about('get one -o json')).stdout).openPods).toMatchObject([
    { pod: { name: 'a' }, why: 'running', nextAt: expect.any(String), containers: [{ name: 'main', state: 'running' }] },
  ]);
  go();
  expect(await run.exited).toBe(0);
}, 120_000);

test('logs -f goes on until the run is over, with pod and container before each line where several write', async () => {
  const { go } = start(['a', 'b']);
  await comesAbout(isRunning, 60_000);
  const following = new FarloopProcess(`run-once logs one -f --state ${folder.path}`.split(' '));
  await comesAbout(() => following.stdout.split('before').length === 3, 60_000);
  go();
  expect(await following.exited).toBe(0);
  expect(following.stdout.split('\n').toSorted()).toEqual([
    '',
    'default/a main | after',
    'default/a main | before',
    'default/b main | after',
    'default/b main | before',
  ]);
  expect(await run.exited).toBe(0);
}, 120_000);
