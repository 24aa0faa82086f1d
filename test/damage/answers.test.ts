// Answers of an API server, or of what stands between, that came to harm: each call ends with an answer of the right shape or in one of
// the port's own words; nothing hangs, nothing is thrown elsewhere, a relay goes on. A failure prints the seed that shows it again.
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { POD_FIELDS } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { deadlineIn } from '../../lib/ports/clock.ts';
import { startRelay } from '../../lib/relay/relay.ts';
import { startScriptedServer, type ScriptedServer } from '../adapters/kubernetes/scripted-server.ts';
import { damages, misshapen, type Damage } from './damages.ts';
import { WORDS } from './words.ts';

jest.setTimeout(240_000);

const clock = new SystemClock();
let server: ScriptedServer;
let cluster: KubernetesCluster;

beforeAll(async () => {
  server = await startScriptedServer();
  cluster = new KubernetesCluster({
    access: { server: server.url, caPem: server.caPem, auth: { kind: 'token', token: 't' } },
    clock,
    timeoutMs: 5_000,
  });
});

afterAll(async () => {
  cluster.close();
  await server.stop();
});

const pod = (name: string, resourceVersion: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    uid: `uid-of-${name}`,
    resourceVersion,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'demo' },
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'demo', uid: 'job-uid', controller: true }],
  },
  spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'none' }] },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'main', restartCount: 0, state: {} }],
  },
});
const PAGE = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '20' }, items: [pod('one', '11'), pod('two', '12')] };
const EVENTS = [
  { type: 'ADDED', object: pod('three', '21') },
  { type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '22' } } },
  { type: 'MODIFIED', object: pod('one', '23') },
  { type: 'ERROR', object: { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old' } },
];
const LATER_PAGE = {
  ...PAGE,
  metadata: { resourceVersion: '99999999' },
  items: ['a', 'b', 'c', 'd', 'e'].map((name) => pod(name, '9999')),
};
const ONE = { namespace: 'default', name: 'one' };
const KUBE_SYSTEM = { kind: 'Namespace', metadata: { name: 'kube-system', uid: 'k' } };
const REFUSAL = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code: 409,
  reason: 'Conflict',
  message: 'no',
  details: { name: 'one' },
};

const linesOf = (events: readonly unknown[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('');

/** Sound text, of which bytes or one value are harmed. */
const harmed = (sound: unknown, write: (value: unknown) => string = (value) => JSON.stringify(value)): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    damages.map((damage: Damage) => damage(Buffer.from(write(sound)))),
    misshapen(sound).map((other) => Buffer.from(write(other))),
  );

const answering = (body: Uint8Array, status = 200): void =>
  server.answer((_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', date: new Date(0).toUTCString() }).end(body),
  );

async function inWords<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await call();
  } catch (error) {
    expect(WORDS.some((word) => error instanceof word)).toBe(true);
    expect((error as Error).message).not.toBe('');
    return undefined;
  }
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 2_400; waited++) await clock.wait(25);
  expect(holds()).toBe(true);
}

const deadline = () => deadlineIn(clock, 30_000);

describe('R6: an answer that came to harm', () => {
  test('R6: to a get or a write is an object or one of the known words', async () => {
    await fc.assert(
      fc.asyncProperty(harmed(pod('one', '11')), fc.constantFrom(200, 201, 409, 500, 503), async (body, status) => {
        answering(body, status);
        for (const call of [
          () => cluster.get(PODS, ONE, deadline()),
          () => cluster.create(PODS, pod('one', ''), deadline()),
          () => cluster.delete(PODS, { ...ONE, uid: 'u' }, deadline()),
          () =>
            cluster.patch(
              PODS,
              { ...ONE, uid: 'u' },
              { type: 'json', body: [{ op: 'remove', path: '/metadata/finalizers/0' }] },
              deadline(),
            ),
          () => cluster.patch(JOBS, { ...ONE, uid: 'u', subresource: 'status' }, { type: 'merge', body: { status: {} } }, deadline()),
        ]) {
          const answer = await inWords(call);
          if (answer?.object !== undefined) expect(typeof answer.object.metadata).toBe('object');
        }
      }),
      { numRuns: 120 },
    );
  });

  test('R6: a refusal is one of the known words', async () => {
    await fc.assert(
      fc.asyncProperty(harmed(REFUSAL), fc.constantFrom(403, 404, 409, 410, 422, 429, 500, 504), async (body, status) => {
        answering(body, status);
        expect(await inWords(() => cluster.get(PODS, ONE, deadline()))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  test('R19: to a list is a whole page or nothing', async () => {
    await fc.assert(
      fc.asyncProperty(harmed(PAGE), fc.boolean(), async (body, isStreamed) => {
        answering(body);
        const selection = { limit: 500, ...(isStreamed && { fields: POD_FIELDS }) };
        const page = await inWords(() => cluster.listPage<Pod>(PODS, selection, new AbortController().signal));
        for (const item of page?.items ?? []) expect(typeof item.metadata).toBe('object');
        if (page) expect(page.resourceVersion).toMatch(/^\d+$/);
      }),
      { numRuns: 300 },
    );
  });

  test('R2: to a watch is events in their shape until one is not', async () => {
    await fc.assert(
      fc.asyncProperty(
        harmed(EVENTS, (events) => linesOf(Array.isArray(events) ? events : [events])),
        async (body) => {
          answering(body);
          await inWords(async () => {
            const selection = { resourceVersion: '20', timeoutSeconds: 5, fields: POD_FIELDS };
            for await (const event of cluster.watch<Pod>(PODS, selection, new AbortController().signal))
              expect(event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion).toMatch(/^\d+$/);
          });
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('R13: a relay', () => {
  test('R13: goes on whatever it is answered, and knows the truth as soon as it is told', async () => {
    const queue = EmbeddedQueue.open({ clock });
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const answers = fc.sample(
      fc.tuple(
        harmed(PAGE),
        harmed(EVENTS, (events) => linesOf(Array.isArray(events) ? events : [events])),
      ),
      40,
    );
    let mood: 'sound' | 'harmed' | 'forgetful' = 'sound';
    let at = 0;
    const open = new Set<ServerResponse>();
    server.answer((request, response) => {
      const url = request.url ?? '';
      const [page = Buffer.from('{}'), events = Buffer.from('{}')] = answers[at++ % answers.length] ?? [];
      response.writeHead(200, { 'content-type': 'application/json', date: new Date().toUTCString() });
      if (url.includes('namespaces/kube-system')) return response.end(JSON.stringify(KUBE_SYSTEM));
      const isWatch = url.includes('watch=true');
      if (mood === 'harmed') return response.end(isWatch ? events : page);
      if (!isWatch) return response.end(JSON.stringify(url.includes('/pods') ? LATER_PAGE : { ...LATER_PAGE, items: [] }));
      if (mood === 'forgetful') return response.end(linesOf(EVENTS.slice(-1)));
      open.add(response);
      return response.flushHeaders();
    });
    const relay = startRelay({
      source: cluster,
      queue,
      clock,
      telemetry: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, count: () => {} },
      cluster: 'west',
      manages: ['all-jobs'],
      namespaces: [],
      era: 0,
      options: { firstBackoffMs: 5, longestBackoffMs: 20 },
    });
    try {
      await relay.ready;
      mood = 'harmed';
      const soundCalls = at;
      for (const response of open) response.end();
      await until(() => at >= soundCalls + 50);
      mood = 'forgetful';
      await until(() => relay.status().pods === LATER_PAGE.items.length);
      expect(relay.status().pods).toBe(LATER_PAGE.items.length);
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
      await relay.stop();
      queue.close();
    }
  });
});
