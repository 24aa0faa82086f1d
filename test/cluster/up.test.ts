// `farloop up` on a real API server: all Jobs where the built-in controller is off, its own where it is on, no fight where both write.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessFromKubeconfig } from '../../lib/adapters/kubernetes/kubeconfig.ts';
import { KubernetesCluster } from '../../lib/adapters/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import type { Job, KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS, PODS } from '../../lib/objects/resources.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import { FarloopProcess, root, runFarloop, temporaryFolder } from '../cli/farloop-process.ts';
import type { ControlPlane } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import { until } from '../claims.ts';

const folder = temporaryFolder();
const state = join(folder.path, 'state');
const clock = new SystemClock();
const started: FarloopProcess[] = [];
let controlPlane: ControlPlane;
let api: KubernetesCluster;

const start = (...args: string[]): FarloopProcess => {
  const farloop = new FarloopProcess(args);
  started.push(farloop);
  return farloop;
};

beforeAll(async () => {
  controlPlane = await startControlPlane({ controllers: '*,-job' });
  api = new KubernetesCluster({ access: await accessFromKubeconfig({ file: controlPlane.kubeconfigPath }), clock });
  await start('node', '--simulated', '--kubeconfig', controlPlane.kubeconfigPath).says('ready\n');
}, 180_000);

afterAll(async () => {
  for (const farloop of started) await farloop.destroy();
  api.close();
  await controlPlane.stop();
  folder.remove();
}, 60_000);

const get = async (name: string): Promise<Job> =>
  (await api.get<Job>(JOBS, { namespace: 'default', name }, deadlineIn(clock, 5_000))).object;

const statusWriters = async (name: string): Promise<string[]> =>
  ((await get(name)).metadata.managedFields ?? []).flatMap(({ manager, subresource }) =>
    subresource === 'status' && manager ? [manager] : [],
  );

const podsOf = async (name: string): Promise<Pod[]> =>
  (await api.list<Pod>(PODS, { namespace: 'default', labelSelector: `job-name=${name}` }, deadlineIn(clock, 5_000))).items;

describe('up on a real API server', () => {
  test('all Jobs run where the built-in controller is off', async () => {
    const farloop = start(
      'up',
      '--state',
      state,
      '--port',
      '0',
      '--kubeconfig',
      controlPlane.kubeconfigPath,
      '--manage',
      'all-jobs',
      '--apply',
      'examples/job.yaml',
      '--apply',
      'examples/retry.yaml',
      '--apply',
      'examples/deadline.yaml',
    );
    await farloop.says('job/demo Complete: 5 of 5 succeeded', 40_000);
    await farloop.says('job/retry Complete: 3 of 3 succeeded', 40_000);
    await farloop.says('job/deadline Failed', 40_000);
    expect(await get('demo')).toMatchObject({ status: { succeeded: 5, completedIndexes: '0-4' } });
    expect(await get('retry')).toMatchObject({ status: { succeeded: 3, failed: 1 } });
    expect((await get('deadline')).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Failed', reason: 'DeadlineExceeded' }),
    );
    for (const [name, pods] of [
      ['demo', 5],
      ['retry', 4],
    ] as const) {
      const found = await podsOf(name);
      expect(found).toHaveLength(pods);
      expect(found.flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    }
    const { items: events } = await api.list<KubernetesObject & { reason?: string; source?: { component?: string } }>(
      EVENTS,
      { namespace: 'default' },
      deadlineIn(clock, 5_000),
    );
    expect(events.some(({ reason, source }) => reason === 'Completed' && source?.component === 'job-controller')).toBe(true);
    expect((await runFarloop(['explain', 'job/retry', '--state', state])).stdout).toContain('job/retry in default on');
    expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
    expect(farloop.stderr).toBe('');
  }, 120_000);

  test('beside the built-in controller it takes the Jobs that ask for it, and leaves the others alone', async () => {
    await controlPlane.stopControllerManager();
    await controlPlane.startControllerManager({ controllers: '*' });
    const plain = join(folder.path, 'plain.yaml');
    writeFileSync(plain, readFileSync(join(root, 'examples', 'job.yaml'), 'utf8').replace('name: demo', 'name: plain'));
    const farloop = start(
      'up',
      '--state',
      state,
      '--port',
      '0',
      '--kubeconfig',
      controlPlane.kubeconfigPath,
      '--apply',
      'examples/managed-by.yaml',
      '--apply',
      plain,
    );
    await farloop.says('job/handed-over Complete: 4 of 4 succeeded', 40_000);
    await until('the end of the other Job', async () => (await get('plain')).status?.succeeded === 5, 40_000);
    expect(await statusWriters('handed-over')).toEqual(['farloop']);
    expect(await statusWriters('plain')).toEqual(['kube-controller-manager']);
    await farloop.end('SIGTERM');
  }, 120_000);

  test('all Jobs asked for where the built-in controller is on after all: parked, not fought', async () => {
    await controlPlane.stopControllerManager();
    await controlPlane.startControllerManager({ controllers: '*' });
    const fought = join(folder.path, 'fought.yaml');
    const manifest = readFileSync(join(root, 'examples', 'job.yaml'), 'utf8');
    writeFileSync(fought, manifest.replace('name: demo', 'name: fought').replace('completions: 5', 'completions: 40'));
    const farloop = start(
      'up',
      '--state',
      state,
      '--port',
      '0',
      '--kubeconfig',
      controlPlane.kubeconfigPath,
      '--manage',
      'all-jobs',
      '--apply',
      fought,
    );
    await farloop.says(/job\/fought Parked: .*kube-controller-manager/, 40_000);
    const { items: events } = await api.list<KubernetesObject & { reason?: string; message?: string }>(
      EVENTS,
      { namespace: 'default' },
      deadlineIn(clock, 5_000),
    );
    expect(events.find(({ reason }) => reason === 'Parked')?.message).toMatch(/kube-controller-manager/);
    await farloop.end('SIGTERM');
  }, 120_000);
});
