// Objects as large as etcd keeps them, on a real API server, whose JSON of them is six times as long: the Jobs beside them run in their usual
// time, and such a Job itself runs too.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import { JOBS } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
import type { FarloopProcess } from '../cli/farloop-process.ts';
import type { JobsCluster } from './jobs-cluster.ts';
import { startJobsCluster } from './jobs-cluster.ts';

let cluster: JobsCluster;
let farloop: FarloopProcess;
beforeAll(async () => {
  cluster = await startJobsCluster({ controllers: '*,-job' });
  farloop = cluster.up('large', '--manage', 'own');
  await farloop.says('farloop ready', 60_000);
}, 180_000);
afterAll(async () => await cluster?.stop(), 60_000);

interface JobSpec {
  isOurs?: boolean;
  suspend?: boolean;
  containers?: object[];
}

async function create(
  name: string,
  { isOurs = true, suspend = false, containers = [{ name: 'main', image: 'a' }] }: JobSpec = {},
): Promise<void> {
  const spec = {
    suspend,
    ...(isOurs && { managedBy: 'farloop.dev/job' }),
    template: { metadata: { annotations: { 'sim.farloop.dev/run-seconds': '0' } }, spec: { restartPolicy: 'Never', containers } },
  };
  await cluster.api.create<Job>(JOBS, { metadata: { name, namespace: 'default' }, spec } as Job, cluster.soon());
}

/** Milliseconds until it is complete. */
async function runs(name: string, job: JobSpec = {}): Promise<number> {
  const begunAt = performance.now();
  await create(name, job);
  await until(
    `the end of ${name}`,
    async () => isJobFinished(await cluster.job(name)),
    60_000,
    async () => JSON.stringify([(await cluster.job(name)).status, (await cluster.podsOf(name)).map(({ status }) => status?.phase)]),
  );
  expect((await cluster.job(name)).status).toMatchObject({ succeeded: 1 });
  return performance.now() - begunAt;
}

/** Of which an API server writes six characters each. */
const long = (characters: number): object[] => [{ name: 'main', image: 'a', args: ['<'.repeat(characters)] }];

test('R13: a Job runs in its usual time behind Jobs as large as etcd keeps them', async () => {
  await runs('warm');
  const usualMs = await runs('before');
  await create('odd', { isOurs: false, suspend: true, containers: long(1_420_000) });
  await create('wide', { suspend: true, containers: Array.from({ length: 3_000 }, (_, at) => ({ name: `container-${at}`, image: 'a' })) });
  for (const name of ['behind', 'later']) expect(await runs(name)).toBeLessThan(usualMs + 2_000);
  // Listed anew, it goes on as well.
  await farloop.end('SIGTERM');
  farloop = cluster.up('large', '--manage', 'own');
  await farloop.says('farloop ready', 60_000);
  expect(await runs('after')).toBeLessThan(usualMs + 2_000);
}, 150_000);

test('a Job of 1 MB of < runs', async () => {
  expect(await runs('large', { containers: long(1_000_000) })).toBeLessThan(60_000);
}, 90_000);
