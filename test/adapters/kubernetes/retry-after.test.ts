// R14: for how long an API server asks to be left alone is heard in every answer, whatever was asked.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { EVENTS, JOBS, PODS, type Resource } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { ThrottledError } from '../../../lib/ports/errors.ts';
import type { ScriptedServer } from './scripted-server.ts';
import { refuses, startScriptedServer } from './scripted-server.ts';

const clock = new SystemClock();
const deadline = () => deadlineIn(clock, 20_000);
const target = { namespace: 'n', name: 'p', uid: 'u' };
const { signal } = new AbortController();
let server: ScriptedServer;
let cluster: KubernetesCluster;

beforeAll(async () => {
  server = await startScriptedServer();
  cluster = new KubernetesCluster({ access: { server: server.url, caPem: server.caPem, auth: { kind: 'none' } }, clock, timeoutMs: 2_000 });
});
afterAll(async () => {
  cluster.close();
  await server.stop();
});

const create = async (resource: Resource): Promise<unknown> =>
  await cluster.create(resource, { metadata: { name: 'p', namespace: 'n' } }, deadline());

const CALLS: readonly [string, () => Promise<unknown>][] = [
  ['get', async () => await cluster.get(PODS, target, deadline())],
  ['list', async () => await cluster.list(PODS, { namespace: 'n' }, deadline())],
  ['create', async () => await create(PODS)],
  ['create of an Event', async () => await create(EVENTS)],
  ['delete', async () => await cluster.delete(PODS, target, deadline())],
  ['patch', async () => await cluster.patch(PODS, target, { type: 'strategic', body: {} }, deadline())],
  ['status', async () => await cluster.patch(JOBS, { ...target, subresource: 'status' }, { type: 'merge', body: {} }, deadline())],
  ['page of a list', async () => await cluster.listPage(PODS, { limit: 2, continueToken: 'two' }, signal)],
  [
    'watch',
    async () => {
      for await (const _ of cluster.watch(PODS, { resourceVersion: '1', timeoutSeconds: 5 }, signal)) expect(_).toBeUndefined();
    },
  ],
];

test.each(CALLS)('R14: %s hears Retry-After', async (_, call) => {
  server.answer(refuses(429, { reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } }, { 'retry-after': '17' }));
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ThrottledError);
  expect(error).toMatchObject({ retryAfterSeconds: 17 });
});
