// Lists by what an installation is set to and counts: when trouble needs a person, and what workloads cost; and which changes make an answer another one.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { answerRoute } from '../../../lib/api/routes/route-table.ts';
import type { Spent } from '../../../lib/ports/costs.ts';
import { newHead } from '../../../lib/reconciler/head/heads.ts';
import { encodeSummary, type TimedSummary } from '../../../lib/reconciler/summary/summary.ts';
import { embeddedPorts, type EmbeddedPorts } from '../embedded-ports.ts';

const MINUTE_MS = 60_000;
let ports: EmbeddedPorts;
let atMs = 0;
beforeEach(async () => {
  ports = await embeddedPorts('local', 'other');
  atMs = ports.clock.nowMs() - 1_000;
});
afterEach(() => ports.close());

async function summarize(name: string, more: Partial<TimedSummary> = {}, { cluster = 'local', namespace = 'default' } = {}): Promise<void> {
  const key = { cluster, kind: 'Job', namespace, name, uid: `uid-of-${name}` };
  const record = await ports.clusters.get(cluster);
  if (!record) throw new Error(`${cluster} is not registered`);
  if (!(await ports.store.readHeads([key]))[0]) await ports.store.createHead(newHead(ports, key, record));
  atMs += 1;
  await ports.store.putSummary({ key, atMs, body: encodeSummary({ state: 'Running', figures: [], fields: {}, sinceMs: atMs, ...more }) });
}

interface Listed {
  items: { name: string; needsPerson?: true; costDollars?: number }[];
}

async function list(query: Record<string, string>): Promise<Listed> {
  const answer = await answerRoute(ports, { method: 'GET', path: ['v1', 'workloads'], query: new URLSearchParams(query), body: undefined });
  if (!('json' in answer)) throw new Error('it is no answer');
  return answer.json as Listed;
}

const names = async (query: Record<string, string>): Promise<string[]> => (await list(query)).items.map(({ name }) => name);

test('trouble needs a person after five minutes, or as the installation is set', async () => {
  const nowMs = ports.clock.nowMs();
  for (const minutes of [1, 6, 20])
    await summarize(`waits-${minutes}`, { state: 'Waiting', reason: 'Unschedulable', troubledSinceMs: nowMs - minutes * MINUTE_MS });
  expect(await names({ needs: 'person' })).toEqual(['waits-20', 'waits-6']);
  ports.troubleLastsMs = 10 * MINUTE_MS;
  expect(await names({ needs: 'person' })).toEqual(['waits-20']);
  expect((await list({ sort: 'need' })).items.map(({ needsPerson }) => needsPerson)).toEqual([true, undefined, undefined]);
});

test('an answer is another one by a change of what it selects alone', async () => {
  const tagOf = async (query: Record<string, string>): Promise<string> =>
    createHash('sha256')
      .update(JSON.stringify(await list(query)))
      .digest('base64url');
  await summarize('mine', {}, { namespace: 'mine' });
  await summarize('theirs', {}, { namespace: 'theirs' });
  await summarize('away', {}, { cluster: 'other' });
  const queries = [{ namespace: 'mine' }, { cluster: 'local' }, { name: 'mine' }];
  const before = await Promise.all(queries.map(tagOf));
  await summarize('away', { state: 'Succeeded' }, { cluster: 'other' });
  expect(await Promise.all(queries.map(tagOf))).toEqual(before);
  await summarize('theirs', { state: 'Failed' }, { namespace: 'theirs' });
  expect(await Promise.all(queries.map(tagOf))).toEqual([before[0], expect.not.stringMatching(before[1] ?? ''), before[2]]);
});

const NOTHING: Spent = {
  passes: 1,
  passMs: 0,
  writes: 0,
  requests: 0,
  writeUnits: 0,
  readUnits: 0,
  fifoRequests: 0,
  fairRequests: 0,
  standardRequests: 0,
  wakesBatches: 0,
  eventsBatches: 0,
  timersBatches: 0,
};

test('pods of a virtual node are found by its name; each says where it is bound', async () => {
  const record = await ports.clusters.get('local');
  if (!record) throw new Error('local is not registered');
  for (const [name, node] of Object.entries({ a: 'edge', b: 'edge', c: 'shore' })) {
    const key = { cluster: 'local', kind: 'VirtualPod', namespace: 'default', name, uid: `uid-of-${name}` };
    await ports.store.createHead(newHead(ports, key, record));
    const summary: TimedSummary = { state: 'Running', figures: [], fields: { nodeName: node }, sinceMs: atMs };
    await ports.store.putSummary({ key, atMs, body: encodeSummary(summary) });
  }
  await summarize('edge');
  expect(await names({ node: 'edge' })).toEqual(['a', 'b']);
  expect((await list({ node: 'shore', kind: 'VirtualPod' })).items).toMatchObject([{ name: 'c', nodeName: 'shore' }]);
  expect(await names({ node: '' })).toEqual([]);
});

test('the dearest come first by cost, each with its cost; it is summed once a minute', async () => {
  for (const name of ['cheap', 'dear', 'free']) await summarize(name);
  expect((await list({})).items[0]).not.toHaveProperty('costDollars');
  await expect(list({ sort: 'cost' })).rejects.toMatchObject({ status: 400, message: /^cost is not counted here/ });
  expect((await list({ cost: 'shown' })).items[0]).not.toHaveProperty('costDollars');
  let sums = 0;
  ports.costs = {
    sinceMs: 0,
    spentSince: async () => {
      sums += 1;
      const rows = [
        { cluster: 'local', kind: 'Job', namespace: 'default', name: 'cheap', ...NOTHING, writeUnits: 10 },
        { cluster: 'local', kind: 'Job', namespace: 'default', name: 'dear', ...NOTHING, writeUnits: 1_000 },
      ];
      return { rows };
    },
  };
  expect(await names({ sort: 'cost' })).toEqual(['dear', 'cheap', 'free']);
  expect(await names({ sort: '-cost' })).toEqual(['free', 'cheap', 'dear']);
  const { items } = await list({ cost: 'shown', name: 'cheap' });
  expect(items[0]?.costDollars).toBeCloseTo(10 * 0.625e-6, 9);
  expect(sums).toBe(1);
  await expect(list({ cost: 'yes' })).rejects.toMatchObject({ status: 400 });
});

test('facets: kinds and namespaces of what else is chosen, with counts; the most frequent of many namespaces', async () => {
  const facets = async (query: Record<string, string>) =>
    ((await list({ facets: 'shown', limit: '1', ...query })) as { facets?: object }).facets;
  for (const name of ['a1', 'a2']) await summarize(name, {}, { namespace: 'a' });
  await summarize('b1', { state: 'Failed' }, { namespace: 'b' });
  const [a, b] = [
    { value: 'a', count: 2 },
    { value: 'b', count: 1 },
  ];
  expect(await facets({})).toEqual({ kinds: [{ value: 'Job', count: 3 }], namespaces: [a, b], namespacesLeftOut: 0 });
  // Another one can be chosen in its place.
  expect(await facets({ namespace: 'b' })).toEqual({ kinds: [{ value: 'Job', count: 1 }], namespaces: [a, b], namespacesLeftOut: 0 });
  expect(await facets({ state: 'Failed' })).toMatchObject({ namespaces: [b] });
  expect(await facets({ kind: 'PyTorchJob' })).toMatchObject({ kinds: [{ value: 'Job', count: 3 }], namespaces: [] });
  expect((await list({ namespace: 'b' })).items).toHaveLength(1);
  expect(await list({})).not.toHaveProperty('facets');
  await expect(list({ facets: 'all' })).rejects.toMatchObject({ status: 400 });
  for (let at = 0; at < 200; at++) await summarize(`c${at}`, {}, { namespace: `c${at}` });
  const many = (await facets({})) as { namespaces: object[]; namespacesLeftOut: number };
  expect(many.namespaces).toHaveLength(200);
  expect(many.namespaces).toContainEqual(a);
  expect(many.namespacesLeftOut).toBe(2);
});
