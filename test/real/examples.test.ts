// The examples of pods that run as processes of this machine: `farloop up` as their headers give it, and what their commands did.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { readManifests } from '../../lib/cli/manifests/manifest-files.ts';
import { applicableObjects } from '../../lib/cli/local/apply.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { PODS } from '../../lib/objects/resources.ts';
import { deadlineIn, type Deadline } from '../../lib/ports/clock.ts';
import { until } from '../claims.ts';
import { FarloopProcess, root, runFarloop, temporaryFolder } from '../cli/farloop-process.ts';

const clock = new SystemClock();
const LONG_MS = 100_000;
const soon = (): Deadline => deadlineIn(clock, 60_000);

let folder: ReturnType<typeof temporaryFolder>;
let farloop: FarloopProcess | undefined;
let state: string;
beforeEach(() => {
  folder = temporaryFolder();
  state = join(folder.path, 'state');
});
// Its pods end with it.
afterEach(async () => {
  await farloop?.end('SIGTERM');
  await farloop?.destroy();
  farloop = undefined;
  folder.remove();
});

const example = (name: string): string => `examples/real/${name}.yaml`;

function up(name: string, ...flags: string[]): FarloopProcess {
  const line = ['up', '--virtual-node', 'here=local-process', ...flags, '--apply', example(name), '--state', state, '--port', '0'];
  farloop = new FarloopProcess(line);
  return farloop;
}

async function logs(...args: string[]): Promise<string> {
  const { exitCode, stdout } = await runFarloop(['logs', ...args, '--state', state]);
  expect(exitCode).toBe(0);
  return stdout;
}

test('a parameter sweep: each index has trained with its own rate', async () => {
  await up('sweep').says('job/sweep Succeeded: 6 of 6 succeeded', LONG_MS);
  const lines = await logs('job/sweep');
  for (const rate of [0.001, 0.01, 0.03, 0.1, 0.3, 1]) expect(lines).toContain(`rate ${rate}: y = `);
  expect(lines).toContain('rate 0.1: y = 3.00x + 2.00, loss 0.00500');
});

test('map and reduce: the counts are those of the files', async () => {
  const share = join(folder.path, 'words');
  mkdirSync(share);
  for (const name of readdirSync(join(root, 'docs')).filter((each) => each.endsWith('.md')))
    cpSync(join(root, 'docs', name), join(share, name));
  const run = up('map-reduce', '--share', share);
  await run.says('job/reduce Succeeded', LONG_MS);
  await run.says('job/map Succeeded: 4 of 4 succeeded', LONG_MS);
  const text = readdirSync(share)
    .filter((each) => each.endsWith('.md'))
    .map((each) => readFileSync(join(share, each), 'utf8').toLowerCase())
    .join('\n');
  const words = text.match(/[a-z]+/g) ?? [];
  const counted = new Map(
    readFileSync(join(share, 'counts.txt'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ').toReversed() as [string, string]),
  );
  for (const word of ['the', 'pod', 'farloop', 'constructor'])
    expect(Number(counted.get(word) ?? 0)).toBe(words.filter((each) => each === word).length);
});

test('two ranks meet, and end with the same model', async () => {
  await up('two-ranks').says('pytorchjob/two-ranks Succeeded: 2 of 2 succeeded', LONG_MS);
  const lines = await logs('pytorchjob/two-ranks');
  for (const rank of [0, 1]) expect(lines).toContain(`rank ${rank}: y = 3.00x + 2.00`);
});

test('a pod crashes twice and then succeeds, and the log of the run before is there', async () => {
  await up('crashes').says('job/crashes Succeeded: 1 of 1 succeeded', LONG_MS);
  expect(await logs('job/crashes')).toContain('try 3: it works');
  expect(await logs('job/crashes', '--previous')).toContain('try 2: it crashes');
});

test('a critical pod makes room for itself', async () => {
  await up('filler', '--node-cpu', 'here=4').says('pod/filler created', LONG_MS);
  const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: join(state, 'kubeconfig') }), clock });
  const podNamed = async (namespace: string, name: string): Promise<Pod> =>
    (await cluster.get<Pod>(PODS, { namespace, name }, soon())).object;
  await until('the filler runs', async () => (await podNamed('default', 'filler')).status?.phase === 'Running', LONG_MS);
  const [{ object } = { object: undefined }] = applicableObjects(await readManifests([join(root, example('critical'))], process.stdin));
  await cluster.create(PODS, object as unknown as Pod, soon());
  const hasSucceeded = async (): Promise<boolean> => (await podNamed('kube-system', 'critical')).status?.phase === 'Succeeded';
  await until('the critical pod has done its work', hasSucceeded, LONG_MS);
  expect((await podNamed('default', 'filler')).status).toMatchObject({ phase: 'Failed', reason: 'Preempting' });
  cluster.close();
});

test('a Job that says nothing of nodes really runs: with its address, readable files, and no folder once it is deleted', async () => {
  const file = join(folder.path, 'job.yaml');
  const env = [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }];
  const command = ['sh', '-c', `echo "$IP $FARLOOP_POD_IP $(umask)"; touch ${join(folder.path, 'written')}`];
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none', command, env }] } };
  const manifest = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'plain' }, spec: { template } };
  writeFileSync(file, JSON.stringify(manifest));
  farloop = new FarloopProcess(['up', '--virtual-node', 'here=local-process', '--apply', file, '--state', state, '--port', '0']);
  await farloop.says('job/plain Succeeded', LONG_MS);
  expect(farloop.stdout).toContain('all pods of the sandbox run there, on here: it has no simulated node');
  const [ip, own, mask] = (await logs('job/plain')).trim().split(' ');
  expect([ip, mask]).toEqual([own, '0022']);
  expect(statSync(join(folder.path, 'written')).mode & 0o777).toBe(0o644);
  const cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: join(state, 'kubeconfig') }), clock });
  const [pod] = (await cluster.list<Pod>(PODS, { namespace: 'default' }, soon())).items;
  const folderOfPod = join(state, 'processes', 'here', `${pod?.metadata.uid}-1`);
  expect(existsSync(folderOfPod)).toBe(true);
  await cluster.delete(PODS, { namespace: 'default', name: pod?.metadata.name ?? '', uid: pod?.metadata.uid ?? '' }, soon());
  await until('its folder is gone', () => !existsSync(folderOfPod), LONG_MS);
});

test('pods that an earlier start only played are lost with their node, and their Job runs', async () => {
  const file = join(folder.path, 'job.yaml');
  const metadata = { annotations: { 'sim.farloop.dev/run-seconds': '600' } };
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none', command: ['sh', '-c', 'echo really'] }] };
  const manifest = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'longer' }, spec: { template: { metadata, spec } } };
  writeFileSync(file, JSON.stringify(manifest));
  const played = new FarloopProcess(['up', '--apply', file, '--state', state, '--port', '0']);
  await played.says('job/longer Running: 0 of 1 succeeded, 1 active', LONG_MS);
  await played.end('SIGTERM');
  farloop = new FarloopProcess(['up', '--virtual-node', 'here=local-process', '--apply', file, '--state', state, '--port', '0']);
  await farloop.says('job/longer Succeeded', LONG_MS);
  expect(await logs('job/longer')).toContain('really\n');
});
