// kubectl's questions about pods of a virtual node where a relay answers, as in a cluster: by the queues to a function, and back.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { PODS } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { failureOf, until } from '../../claims.ts';
import { FarloopProcess, temporaryFolder } from '../farloop-process.ts';

const clock = new SystemClock();
const soon = () => deadlineIn(clock, 30_000);
const WITHIN_MS = 60_000;
const PRINTED = 'first\nsecond\nthird\n';

const folder = temporaryFolder();
let farloop: FarloopProcess;
let cluster: KubernetesCluster;
beforeAll(async () => {
  const state = join(folder.path, 'state');
  farloop = new FarloopProcess(['up', '--state', state, '--port', '0', '--access', 'relayed', '--virtual-node', 'edge=simulated']);
  await farloop.says('farloop ready', WITHIN_MS);
  cluster = new KubernetesCluster({ access: await accessFromKubeconfig({ file: join(state, 'kubeconfig') }), clock });
  const annotations = { 'sim.farloop.dev/run-seconds': '600', 'sim.farloop.dev/log': PRINTED };
  const spec = { nodeName: 'edge', restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }] };
  await cluster.create<Pod>(PODS, { metadata: { namespace: 'default', name: 'a', annotations }, spec }, soon());
  const phase = async (): Promise<unknown> =>
    (await cluster.get<Pod>(PODS, { namespace: 'default', name: 'a' }, soon())).object.status?.phase;
  await until('it runs', async () => (await phase()) === 'Running', WITHIN_MS);
}, 120_000);
afterAll(async () => {
  cluster?.close();
  await farloop?.destroy();
  folder.remove();
}, 30_000);

const log = async (wanted: object, container = 'main'): Promise<string> =>
  (await cluster.log({ namespace: 'default', name: 'a' }, { container, limitBytes: 100_000, ...wanted }, soon())).text;

test('a log is what the task printed, or the part of it that was asked for', async () => {
  // The Node names where it is reached once its relay has said so.
  await until(
    'it is reached',
    async () =>
      await log({}).then(
        () => true,
        () => false,
      ),
    WITHIN_MS,
  );
  expect([await log({}), await log({ tailLines: 1 }), await log({ limitBytes: 7 })]).toEqual([PRINTED, 'third\n', 'first\ns']);
  expect(await log({ timestamps: true, tailLines: 1 })).toMatch(/^\d{4}-\d\d-\d\dT\S+ third\n$/);
});

test('what there is no log of is refused in a kubelet’s words', async () => {
  expect(String(await failureOf(log({ previous: true })))).toMatch(/previous terminated container "main" in pod "a" not found/);
  expect(String(await failureOf(log({}, 'none')))).toMatch(/container none is not valid for pod a/);
});
