// Runs through the API: the same run for the same id, refusals in a sentence, nothing started by a request that is refused.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedRuns } from '../../lib/adapters/embedded/runs.ts';
import { openApiDocument } from '../../lib/api/routes/route-table.ts';
import { runHost } from '../../lib/api/runs.ts';
import type { RunSummary } from '../../lib/kinds/run-once/results.ts';
import { readRun } from '../../lib/kinds/run-once/run.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { RunCluster } from '../../lib/reconciler/runs/run-cluster.ts';
import { advance } from '../../lib/reconciler/runs/advance.ts';
import { SimulatedProvider } from '../../lib/adapters/providers/simulated.ts';
import { comesAbout } from '../claims.ts';
import type { Listening } from '../listening.ts';
import { aNode, aPod, asking } from '../kinds/run-once/run-world.ts';
import { PodsOfNode, type CalledCluster } from '../simulation/runs/pods-of-node.ts';
import { embeddedPorts, type EmbeddedPorts } from './embedded-ports.ts';
import { serveApi } from './served-api.ts';

let ports: EmbeddedPorts;
let api: Listening;
let records: EmbeddedRuns;
let simulated: SimulatedProvider;
const woken: string[] = [];

beforeEach(async () => {
  ports = await embeddedPorts('local');
  records = EmbeddedRuns.open();
  simulated = SimulatedProvider.open({ clock: ports.clock });
  ports.runs = runHost({
    records,
    clock: ports.clock,
    problemOfProvider: (word) => (word === 'simulated' ? undefined : `There is no provider ${word}.`),
    nodeNamed: async (name) =>
      name === 'edge' ? { node: aNode('4'), provider: 'http:http://edge' } : { problem: `there is no such virtual node here, only edge` },
    withoutCluster: 'a provider belongs to no cluster',
    cannotOf: async () => [],
    wake: (id) => void woken.push(id),
  });
  api = await serveApi(ports, 'secret');
});
afterEach(async () => {
  await api.stop();
  records.close();
  simulated.close();
  ports.close();
  woken.splice(0);
});

const pod = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['true'], ...more }] },
});
async function ask(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<{ status: number; json: RunSummary & { error?: string; items?: RunSummary[]; next?: string } }> {
  const answer = await fetch(`${api.url}/v1/runs${path}`, {
    method,
    headers: { authorization: 'Bearer secret' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: (await answer.json()) as never };
}
const driven = async (id: string, node = 'run-once', cluster?: RunCluster): Promise<void> => {
  const of = { runs: records, clock: ports.clock, providerOf: () => simulated.of(node), ...(cluster && { cluster }) };
  await comesAbout(async () => {
    const uids = (await advance(id, of))?.run.pods.map(({ uid }) => uid);
    const advanced = await advance(id, of, { changed: new Set(uids) });
    return advanced?.run.finishedAtMs !== undefined;
  }, 30_000);
};

describe('POST /v1/runs', () => {
  test('begins a run, which is found by its id and in the list, with its results once it is done', async () => {
    const { status, json } = await ask('POST', '', {
      runId: 'one',
      provider: 'simulated',
      manifest: [pod('a')],
      options: { until: 'completed' },
    });
    expect([status, json.runId, json.state, json.open, woken]).toEqual([200, 'one', 'admitting', 1, ['one']]);
    await driven('one');
    const { json: done } = await ask('GET', '/one');
    expect(done).toMatchObject({ state: 'done', open: 0, results: [{ pod: { name: 'a' }, containers: [{ exitCode: 0 }] }] });
    expect((await ask('GET', '')).json.items).toEqual([done]);
  });

  test('RO8: no document: the run is over, and its error says so', async () => {
    const { json } = await ask('POST', '', { runId: 'none', provider: 'simulated' });
    expect(json).toMatchObject({
      state: 'done',
      results: [],
      error: 'no pod manifest update after 1s',
      cause: 'manifest contains no pods',
    });
  });

  test('RO9: a manifest without a pod is a success', async () => {
    const { json } = await ask('POST', '', { runId: 'empty', provider: 'simulated', manifest: [] });
    expect([json.state, json.results, json.error]).toEqual(['done', [], undefined]);
  });

  test('the same id again is the same run; with another manifest it is refused with 409', async () => {
    const asked = { runId: 'one', provider: 'simulated', manifest: [pod('a')] };
    const [first, again] = [await ask('POST', '', asked), await ask('POST', '', asked)];
    expect(again.json).toEqual(first.json);
    const other = await ask('POST', '', { ...asked, manifest: [pod('b')] });
    expect([other.status, other.json.error]).toEqual([409, 'run one already exists with a different manifest']);
  });

  const refusals: [string, object, string][] = [
    ['a field that there is not', { provider: 'simulated', manifests: [] }, 'manifests: '],
    ['no provider', { manifest: [pod('a')] }, 'provider: expected who is to run the pods'],
    ['an unknown provider', { provider: 'moon', manifest: [pod('a')] }, 'provider: There is no provider moon.'],
    ['an id that no run can have', { runId: '../up', provider: 'simulated', manifest: [] }, 'runId: '],
    ['another kind', { provider: 'simulated', manifest: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] }, 'manifest[0]: kind: '],
    ['a pod that an API server would refuse', { provider: 'simulated', manifest: [pod('A')] }, 'manifest[0]: metadata.name: '],
    [
      'two pods of one name',
      { provider: 'simulated', manifest: [pod('a'), pod('a')] },
      'manifest[1]: metadata.name: expected each pod once',
    ],
    ['containers of another type', { provider: 'simulated', manifest: [{ ...pod('a'), spec: { containers: 'x' } }] }, 'manifest[0]: '],
    [
      'a secret that nobody can give',
      { provider: 'simulated', manifest: [pod('a', { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] })] },
      'manifest[0]: secret "s" not found',
    ],
  ];
  test.each(refusals)('refuses %s with 400, and begins nothing', async (_, body, says) => {
    const { status, json } = await ask('POST', '', body);
    expect([status, json.error]).toEqual([400, expect.stringContaining(says)]);
    expect([(await records.list({ limit: 10 })).runs, woken]).toEqual([[], []]);
  });
});

const CRITICAL = { priority: 2_000_000_000 };

describe('a node of a cluster', () => {
  const edge = { runId: 'one', node: 'edge', manifest: [pod('a')] };
  const optionsOfOne = async (): Promise<object> => readRun((await records.get('one'))?.state ?? '').options;

  test('without a provider its own runs the pods, others on it take room, and critical pods evict', async () => {
    const { json } = await ask('POST', '', edge);
    expect([json.node, json.provider, await optionsOfOne()]).toEqual([
      'edge',
      'http:http://edge',
      expect.objectContaining({ capacity: 'node', preempt: true }),
    ]);
  });

  test('a critical pod of a request takes the place of a pod of the cluster, and of no more', async () => {
    const bound = (name: string, cpu: string, more: object = {}): Pod =>
      aPod(name, { nodeName: 'edge', terminationGracePeriodSeconds: 1, ...asking(cpu), ...more });
    const cluster = new PodsOfNode(ports.clock, [bound('large', '3'), bound('small', '500m'), bound('critical', '500m', CRITICAL)]);
    const report = (problem: string): never => {
      throw new Error(problem);
    };
    const urgent = { ...pod('urgent', { resources: { requests: { cpu: '3' } } }) } as Pod;
    const asked = { ...edge, manifest: [{ ...urgent, spec: { ...urgent.spec, ...CRITICAL } }], options: { until: 'completed' } };
    await ask('POST', '', asked);
    await driven('one', 'edge', new RunCluster({ cluster: cluster as CalledCluster as Cluster, node: 'edge', clock: ports.clock, report }));
    const { json } = await ask('GET', '/one');
    expect([json.results, json.warnings]).toMatchObject([
      [{ pod: { name: 'urgent' }, status: { phase: 'Succeeded' } }],
      [expect.stringMatching(/^pod "large_ns\(large\)" was evicted to make room for pod "urgent_default/)],
    ]);
    expect(cluster.all.map(({ metadata, spec }) => `${metadata.uid} on ${spec.nodeName}`).toSorted()).toEqual([
      'critical on edge',
      'large-next on other',
      'small on edge',
    ]);
  }, 30_000);

  test('mirror and preempt are taken as the request has them', async () => {
    await ask('POST', '', { ...edge, options: { mirror: true, preempt: false } });
    const options = await optionsOfOne();
    expect([options, 'preempt' in options]).toEqual([expect.objectContaining({ mirror: true }), false]);
  });

  test('R17: the uid of a pod of the cluster is not taken over', async () => {
    const { json } = await ask('POST', '', { ...edge, manifest: [{ ...pod('a'), metadata: { name: 'a', uid: 'of-the-cluster' } }] });
    expect(json.openPods[0]?.pod.uid).toMatch(/^run-/);
  });

  const refused: [string, object, string][] = [
    ['a node that is not there', { ...edge, node: 'moon' }, 'node: there is no such virtual node'],
    [
      'mirror with a provider',
      { ...edge, provider: 'simulated', options: { mirror: true } },
      'options.mirror: a provider belongs to no cluster',
    ],
    ['preempt with a provider', { ...edge, provider: 'simulated', options: { preempt: true } }, 'options.preempt: a provider belongs'],
    ['preempt where others take no room', { ...edge, options: { preempt: true, capacity: 'run' } }, 'options.preempt: with the capacity'],
  ];
  test.each(refused)('refuses %s with 400, and begins nothing', async (_, body, says) => {
    const { status, json } = await ask('POST', '', body);
    expect([status, json.error]).toEqual([400, expect.stringContaining(says)]);
    expect([(await records.list({ limit: 10 })).runs, woken]).toEqual([[], []]);
  });
});

test('the plan of a run says what its next step does and why, and does nothing', async () => {
  await ask('POST', '', { runId: 'one', provider: 'simulated', manifest: [pod('a')], options: { until: 'completed' } });
  const { json } = await ask('GET', '/one/plan');
  expect(json).toMatchObject({
    runId: 'one',
    state: 'admitting',
    why: 'default/a waits for its admission to the node',
    actions: [{ verb: 'look', pod: { name: 'a' }, why: 'its status is due' }],
    isLast: false,
  });
  expect([(await records.get('one'))?.version, (await ask('GET', '/two/plan')).status]).toEqual([1, 404]);
  await driven('one');
  expect((await ask('GET', '/one/plan')).json).toEqual({
    runId: 'one',
    state: 'done',
    why: 'every pod ended well',
    actions: [],
    isLast: true,
  });
});

test('a run is cancelled, and one that is not there is 404', async () => {
  await ask('POST', '', { runId: 'one', provider: 'simulated', manifest: [pod('a')] });
  const { json } = await ask('POST', '/one/cancel');
  expect(json).toMatchObject({ state: 'cancelled', results: [{ error: 'run cancelled' }] });
  expect((await ask('GET', '/two')).status).toBe(404);
  expect((await ask('POST', '/two/cancel')).status).toBe(404);
});

test('a finished run is dropped when its time is over', async () => {
  await ask('POST', '', { runId: 'one', provider: 'simulated', manifest: [] });
  const record = await records.get('one');
  await records.put({ ...(record as NonNullable<typeof record>), keptUntilMs: 1 }, 1);
  expect((await ask('GET', '')).json.items).toEqual([]);
  expect(await records.get('one')).toBeUndefined();
});

test('an installation without a provider for runs says so', async () => {
  delete ports.runs;
  const { status, json } = await ask('POST', '', { provider: 'simulated', manifest: [] });
  expect([status, json.error]).toEqual([501, expect.stringContaining('has no provider for runs')]);
});

test('answers are as the description says', async () => {
  const { components } = (await openApiDocument()) as unknown as {
    components: { schemas: Record<string, { properties: object; required: string[] }> };
  };
  const { json } = await ask('POST', '', {
    runId: 'one',
    provider: 'simulated',
    manifest: [pod('a')],
    options: { logs: 3, parallelism: 2 },
  });
  const described = components.schemas['Run'];
  expect(Object.keys(json).filter((name) => !Object.hasOwn(described?.properties ?? {}, name))).toEqual([]);
  expect(described?.required.filter((name) => !Object.hasOwn(json, name))).toEqual([]);
});
