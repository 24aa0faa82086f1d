// `farloop up` with several kubeconfigs: one process works on two API servers, of which one goes away and comes back.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { accessFromKubeconfig } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { clustersGiven, refuseForSeveral } from '../../../lib/cli/local/cluster-choice.ts';
import { readInstance } from '../../../lib/cli/instance/instance-file.ts';
import { startLocalSandbox, type LocalCluster } from '../../../lib/cli/local/local-cluster.ts';
import { JOBS } from '../../../lib/objects/resources.ts';
import { fieldsOf, listOf } from '../../../lib/objects/values/untyped-fields.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { until } from '../../claims.ts';
import { FarloopProcess, temporaryFolder } from '../farloop-process.ts';

const clock = new SystemClock();
const WITHIN_MS = 60_000;

let folder: ReturnType<typeof temporaryFolder>;
let endings: (() => Promise<unknown>)[];

beforeEach(() => {
  folder = temporaryFolder();
  endings = [];
});

afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
  folder.remove();
});

const fileOf = (name: string): string => join(folder.path, `${name}.yaml`);

/** With a simulated node. The second start of a name goes on where the first ended, at the same address. */
async function startSandboxOf(name: string): Promise<LocalCluster> {
  const sandbox = await startLocalSandbox({
    folder: join(folder.path, name),
    kubeconfigPath: fileOf(name),
    withNode: true,
    hasScheduler: true,
    report: () => {},
  });
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => await (stopped ??= sandbox.stop());
  endings.push(stop);
  await sandbox.ready;
  return { ...sandbox, stop };
}

function upWith(...args: string[]): FarloopProcess {
  const farloop = new FarloopProcess(['up', '--state', join(folder.path, 'state'), '--port', '0', '--manage', 'all-jobs', ...args]);
  endings.push(() => farloop.destroy());
  return farloop;
}

const bothKubeconfigs = (): string[] => ['west', 'east'].flatMap((name) => ['--kubeconfig', `${name}=${fileOf(name)}`]);

async function createJob(cluster: string, name: string): Promise<void> {
  const api = new KubernetesCluster({ access: await accessFromKubeconfig({ file: fileOf(cluster) }), clock });
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none', command: ['true'] }] } };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' }, spec: { template } };
  await api.create(JOBS, job, deadlineIn(clock, 30_000));
  api.close();
}

/** As the API of the one instance tells them. */
async function itemsOf(what: 'workloads' | 'clusters'): Promise<Record<string, unknown>[]> {
  const { url, token } = readInstance(join(folder.path, 'state')) ?? { url: '', token: '' };
  const response = await fetch(`${url}/v1/${what}`, { headers: { authorization: `Bearer ${token}` } });
  return listOf(fieldsOf(await response.json())['items']).map(fieldsOf);
}

const untilSucceeded = async (cluster: string, name: string): Promise<void> =>
  await until(
    `job ${name} on ${cluster} succeeds`,
    async () =>
      (await itemsOf('workloads')).some((item) => item['cluster'] === cluster && item['name'] === name && item['state'] === 'Succeeded'),
    WITHIN_MS,
  );

test('a cluster that is away at the start is taken up once it answers; one that goes away keeps no other waiting', async () => {
  const [west] = await Promise.all(['west', 'east'].map(startSandboxOf));
  await west?.stop();
  const farloop = upWith(...bothKubeconfigs());
  await farloop.says('farloop ready\n');
  expect(farloop.stdout).toContain(`kubeconfig  west: ${fileOf('west')}\n            east: ${fileOf('east')}\nfarloop ready\n`);
  expect(farloop.stderr).toMatch(
    /^farloop: west is left out for now: GET https:\/\/.*nothing listens there.*; it is asked again, and the other clusters are worked on\n$/,
  );
  await createJob('east', 'twin');
  await untilSucceeded('east', 'twin');
  expect((await itemsOf('clusters')).map(({ name, kubeSystemUid }) => [name, typeof kubeSystemUid])).toEqual([
    ['east', 'string'],
    ['west', 'undefined'],
  ]);

  const again = await startSandboxOf('west');
  // Of one name, and each with its own uid and view.
  await createJob('west', 'twin');
  await untilSucceeded('west', 'twin');
  expect(farloop.stderr).toContain('farloop: west answers now, and is worked on\n');
  expect((await itemsOf('workloads')).map(({ cluster, name }) => `${String(cluster)}/${String(name)}`)).toEqual(['east/twin', 'west/twin']);

  await again.stop();
  await createJob('east', 'meanwhile');
  await untilSucceeded('east', 'meanwhile');
  await startSandboxOf('west');
  await createJob('west', 'afterwards');
  await untilSucceeded('west', 'afterwards');
  expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
}, 180_000);

test('one cluster under two names, two under one, and none that answers: it does not start', async () => {
  const west = await startSandboxOf('west');
  const twice = upWith('--kubeconfig', `west=${fileOf('west')}`, '--kubeconfig', `east=${fileOf('west')}`);
  expect(await twice.exited).toBe(1);
  expect(twice.stderr).toBe(
    'farloop: "west" and "east" are one cluster (its namespace kube-system has the same uid): leave one of them out\n',
  );
  await west.stop();
  const [nameless, unanswered] = [
    upWith('--kubeconfig', fileOf('west'), '--kubeconfig', fileOf('west')),
    new FarloopProcess([
      'up',
      '--state',
      join(folder.path, 'other'),
      '--port',
      '0',
      ...bothKubeconfigs().map((word) => word.replace('east.', 'west.')),
    ]),
  ];
  expect(await nameless.exited).toBe(2);
  expect(nameless.stderr).toMatch(/would both be called farloop: name them, as in --kubeconfig west=/);
  expect(await unanswered.exited).toBe(1);
  expect(unanswered.stderr).toMatch(/^farloop: .*nothing listens there.*\n$/);
}, 60_000);

describe('which clusters are meant', () => {
  test.each([
    [[], [], []],
    [['a.yaml'], [], [{ file: 'a.yaml' }]],
    [['a.yaml'], ['x'], [{ file: 'a.yaml', context: 'x' }]],
    [
      ['a.yaml'],
      ['x', 'y'],
      [
        { file: 'a.yaml', context: 'x' },
        { file: 'a.yaml', context: 'y' },
      ],
    ],
    [['west=a.yaml', './b=c.yaml'], [], [{ name: 'west', file: 'a.yaml' }, { file: './b=c.yaml' }]],
  ])('--kubeconfig %j --context %j', (kubeconfigs, contexts, expected) => {
    expect(clustersGiven(kubeconfigs, contexts)).toEqual(expected);
  });

  test.each([
    [[], ['x'], /--context needs --kubeconfig/],
    [['a', 'b'], ['x'], /--context x does not say which of the 2 kubeconfigs it is of/],
    [['West=a'], [], /"West" names no cluster: expected lower case letters/],
    [['west=a'], ['x', 'y'], /2 contexts would all be called west/],
    [['a'], ['x', 'x'], /--context x is given twice/],
  ])('--kubeconfig %j --context %j is refused', (kubeconfigs, contexts, sentence) => {
    expect(() => clustersGiven(kubeconfigs, contexts)).toThrow(sentence);
  });

  test.each([
    [{ apply: ['job.yaml'], nodes: [] }, /--apply job\.yaml does not say onto which of the 2 clusters/],
    [{ apply: [], nodes: [{ name: 'here' }] }, /--virtual-node here=… works with one cluster only/],
  ])('with two clusters %j is refused, with one it is not', (given, sentence) => {
    expect(() => refuseForSeveral(1, given)).not.toThrow();
    expect(() => refuseForSeveral(2, given)).toThrow(sentence);
  });
});
