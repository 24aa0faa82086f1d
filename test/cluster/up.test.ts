// `farloop up` on a real API server: all Jobs where the built-in controller is off, its own where it is on, no fight where both write.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { EVENTS } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
import { root, runFarloop } from '../cli/farloop-process.ts';
import type { JobsCluster } from './jobs-cluster.ts';
import { startJobsCluster } from './jobs-cluster.ts';

let cluster: JobsCluster;
beforeAll(async () => {
  cluster = await startJobsCluster({ controllers: '*,-job' });
}, 180_000);
afterAll(async () => await cluster?.stop(), 60_000);

const withBuiltInController = async (): Promise<void> => {
  await cluster.controlPlane.stopControllerManager();
  await cluster.controlPlane.startControllerManager({ controllers: '*' });
};

const apply = (...files: string[]): string[] => files.flatMap((file) => ['--apply', file]);

/** The first example under another name, changed as asked. @returns the path of its manifest */
function anotherJob(name: string, change: (manifest: string) => string = (manifest) => manifest): string {
  const path = join(cluster.folder, `${name}.yaml`);
  const manifest = readFileSync(join(root, 'examples', 'job.yaml'), 'utf8').replace('name: demo', `name: ${name}`);
  writeFileSync(path, change(manifest));
  return path;
}

interface Event extends KubernetesObject {
  reason?: string;
  message?: string;
  source?: { component?: string };
}
const events = async (): Promise<Event[]> => (await cluster.api.list<Event>(EVENTS, { namespace: 'default' }, cluster.soon())).items;

const statusWriters = async (name: string): Promise<string[]> =>
  ((await cluster.job(name)).metadata.managedFields ?? []).flatMap(({ manager, subresource }) =>
    subresource === 'status' && manager ? [manager] : [],
  );

describe('up on a real API server', () => {
  test('all Jobs run where the built-in controller is off', async () => {
    const farloop = cluster.up(
      'state',
      '--manage',
      'all-jobs',
      ...apply('examples/job.yaml', 'examples/retry.yaml', 'examples/deadline.yaml'),
    );
    await farloop.says('job/demo Succeeded: 5 of 5 succeeded', 90_000);
    await farloop.says('job/retry Succeeded: 3 of 3 succeeded', 90_000);
    await farloop.says('job/too-long Failed', 90_000);
    expect(await cluster.job('demo')).toMatchObject({ status: { succeeded: 5, completedIndexes: '0-4' } });
    expect(await cluster.job('retry')).toMatchObject({ status: { succeeded: 3, failed: 1 } });
    expect((await cluster.job('too-long')).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Failed', reason: 'DeadlineExceeded' }),
    );
    for (const [name, pods] of [
      ['demo', 5],
      ['retry', 4],
    ] as const) {
      expect(await cluster.podsOf(name)).toHaveLength(pods);
      // The write that ends a Job counts its last pods; what holds them comes off behind it, as does the Event that tells of it.
      const isLetGo = ({ metadata }: KubernetesObject): boolean => (metadata.finalizers ?? []).length === 0;
      await until(`the pods of ${name} are let go`, async () => (await cluster.podsOf(name)).every(isLetGo), 60_000);
    }
    const isTold = ({ reason, source }: Event): boolean => reason === 'Completed' && source?.component === 'job-controller';
    await until('an Event tells of the end', async () => (await events()).some(isTold), 60_000);
    expect((await runFarloop(['explain', 'job/retry', '--state', join(cluster.folder, 'state')])).stdout).toContain(
      'job/retry in default on',
    );
    expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
    expect(farloop.stderr).toBe('');
  }, 360_000);

  test('beside the built-in controller it takes the Jobs that ask for it, and leaves the others alone', async () => {
    await withBuiltInController();
    const farloop = cluster.up('state', ...apply('examples/managed-by.yaml', anotherJob('plain')));
    await farloop.says('job/handed-over Succeeded: 4 of 4 succeeded', 90_000);
    await until('the end of the other Job', async () => (await cluster.job('plain')).status?.succeeded === 5, 90_000);
    expect(await statusWriters('handed-over')).toEqual(['farloop']);
    expect(await statusWriters('plain')).toEqual(['kube-controller-manager']);
    await farloop.end('SIGTERM');
  }, 360_000);

  test('all Jobs asked for where the built-in controller is on after all: parked, not fought', async () => {
    await withBuiltInController();
    const fought = anotherJob('fought', (manifest) => manifest.replace('completions: 5', 'completions: 40'));
    const farloop = cluster.up('state', '--manage', 'all-jobs', ...apply(fought));
    await farloop.says(/job\/fought Parked: .*kube-controller-manager/, 90_000);
    const told = async (): Promise<string> => (await events()).find(({ reason }) => reason === 'Parked')?.message ?? '';
    await until('an Event tells of it, too', async () => (await told()) !== '', 60_000);
    expect(await told()).toMatch(/kube-controller-manager/);
    await farloop.end('SIGTERM');
  }, 360_000);
});
