// Reading and acting by role, in both editions: through the handlers as Lambda calls them, and through the API of a local instance.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSEvent } from 'aws-lambda';
import { handler as api } from '../../functions/api.ts';
import { handler as reconcile } from '../../functions/reconcile.ts';
import { callerIn } from '../../lib/api/asking/caller.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import { serveApi } from '../../lib/cli/local/local-api.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { NotDoneError, TerminalError, UnknownOutcomeError } from '../../lib/ports/errors.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { useRuntime } from '../../lib/runtime.ts';
import { encodeQuestions } from '../../lib/wire/messages.ts';
import { embeddedPorts, know, type EmbeddedPorts } from '../api/embedded-ports.ts';

const API_ROLE = 'AROAAPI';
const WORKLOAD = '/v1/workloads/local/Job/default/demo';
const ARN = 'arn:aws:iam::123456789012:user/ops';

let ports: EmbeddedPorts;
let patched: unknown[];
let refusal: Error | undefined;
/** Of reads of the Job. */
let silence: Error | undefined;
const ending = { signal: new AbortController() };

/** Has one Job. */
const cluster = {
  get: async () => {
    if (silence) throw silence;
    return {
      object: {
        metadata: { name: 'demo', namespace: 'default', uid: 'u', resourceVersion: '7' },
        spec: {
          parallelism: 2,
          template: { spec: { containers: [{ name: 'main', image: 'i', env: [{ name: 'KEY', value: 'hunter2' }] }] } },
        },
        status: { active: 2 },
      },
      dateMs: 0,
    };
  },
  list: async () => ({ items: [], resourceVersion: '1', dateMs: 0 }),
  log: async () => ({ text: '2026-05-01T10:00:00Z hunter2\n', isCut: false }),
  patch: async (_resource: unknown, _target: unknown, { body }: { body: unknown }) => {
    if (refusal) throw refusal;
    patched.push(body);
    return { object: { metadata: {} }, dateMs: 0 };
  },
} as unknown as Cluster;

async function start(given: Partial<Ports> = { actions: 'on' }): Promise<void> {
  const embedded = await embeddedPorts('local');
  ports = Object.assign(embedded, given, { connect: () => cluster });
  const record = await ports.clusters.get('local');
  if (record) await ports.clusters.put({ ...record, actions: true }, record.version);
  await know(ports, { name: 'demo', pods: ['demo-0'], status: { active: 1 } });
  useRuntime({ ports, deadlineReserveMs: 22_000, asker: API_ROLE });
}

beforeEach(() => {
  [patched, refusal, silence] = [[], undefined, undefined];
  ending.signal = new AbortController();
});
afterEach(() => {
  ending.signal.abort();
  ports.close();
});

const recordsOf = (bodies: readonly string[], senderId: string): SQSEvent =>
  ({
    Records: bodies.map((body, at) => ({
      messageId: `m-${at}`,
      receiptHandle: `r-${at}`,
      body,
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(Date.now()), SenderId: `${senderId}:session` },
      messageAttributes: {},
    })),
  }) as unknown as SQSEvent;
const context = { getRemainingTimeInMillis: () => 30_000 } as unknown as Context;

/** Lambda, which gives the queue's messages to `reconcile` while a test runs. */
async function reconcileMeanwhile(): Promise<void> {
  const { signal } = ending.signal;
  while (!signal.aborted) {
    const messages = await ports.queue.receive('wakes', { max: 10, waitSeconds: 1, visibilitySeconds: 30, signal }).catch(() => []);
    if (messages.length === 0) continue;
    await reconcile(
      recordsOf(
        messages.map(({ body }) => body),
        API_ROLE,
      ),
      context,
    );
    const handles = messages.map(({ receiptHandle }) => receiptHandle);
    await ports.queue.delete('wakes', handles).catch(() => {});
  }
}

interface Answered {
  status: number;
  body: Record<string, unknown>;
}

async function viaGateway(method: string, path: string, authorizer: object, body?: object): Promise<Answered> {
  const [rawPath = '', rawQueryString = ''] = path.split('?');
  const answer = (await api({
    version: '2.0',
    rawPath,
    rawQueryString,
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method, path: rawPath, sourceIp: '203.0.113.7' }, authorizer },
    ...(body && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  })) as { statusCode: number; body: string };
  return { status: answer.statusCode, body: JSON.parse(answer.body) as Record<string, unknown> };
}

const SUSPEND = { action: 'suspend', token: 'token-of-mine', uid: 'u' };
const READS = [`${WORKLOAD}/logs`, `${WORKLOAD}/events`, `${WORKLOAD}/manifest`, `${WORKLOAD}/passes`];

describe('on AWS', () => {
  test('R15: nobody whom the gateway did not let in reads a log, an event, a manifest, or acts', async () => {
    await start();
    for (const path of READS) expect([path, (await viaGateway('GET', path, {})).status]).toEqual([path, 401]);
    expect((await viaGateway('POST', `${WORKLOAD}/actions`, {}, SUSPEND)).status).toBe(401);
    expect(patched).toEqual([]);
    expect((await ports.queue.depth('wakes')).visible).toBe(0);
  });

  test('R15: with actions=off nothing is done, nothing is asked of the cluster, and the answer names what is missing', async () => {
    await start({});
    const asked = [
      await viaGateway('POST', `${WORKLOAD}/actions`, { iam: { userArn: ARN } }, SUSPEND),
      await viaGateway('POST', `${WORKLOAD}/actions`, { iam: { userArn: ARN } }, { action: 'delete', dryRun: true }),
      await viaGateway('POST', `${WORKLOAD}/manifest`, { iam: { userArn: ARN } }),
    ];
    expect(asked.map(({ status, body }) => [status, body['needs']])).toEqual([
      [403, 'actions=on'],
      [403, 'actions=on'],
      [403, 'actions=on'],
    ]);
    expect((await ports.queue.depth('wakes')).visible).toBe(0);
  });

  test.each([
    [{ iam: { userArn: ARN } }, ARN],
    [{ jwt: { claims: { sub: 'f3a1', email: 'ops@example.org' } } }, 'ops@example.org (f3a1)'],
  ])(
    'whom the gateway names acts through reconcile, once for a token, and stands in the record: %j',
    async (authorizer, by) => {
      await start();
      void reconcileMeanwhile();
      const first = await viaGateway('POST', `${WORKLOAD}/actions`, authorizer, SUSPEND);
      const again = await viaGateway('POST', `${WORKLOAD}/actions`, authorizer, SUSPEND);
      expect([first.status, first.body['result'], first.body['by']]).toEqual([200, 'done', by]);
      expect(again.body).toEqual(first.body);
      expect(patched).toHaveLength(1);
      expect(patched[0]).toMatchObject({ spec: { suspend: true }, metadata: { uid: 'u', resourceVersion: '7' } });
      const { body } = await viaGateway('GET', `${WORKLOAD}/passes`, authorizer);
      expect(body['items']).toMatchObject([{ by, why: [`${by} suspended it`] }]);
    },
    30_000,
  );

  test('R15: a GET, which the gateway lets those make who may only read, never shows values of environments', async () => {
    await start();
    void reconcileMeanwhile();
    const reader = { jwt: { claims: { sub: 'f3a1', scope: 'farloop/read' } } };
    const masked = await viaGateway('GET', `${WORKLOAD}/manifest`, reader);
    expect([masked.status, masked.body['maskedValues'], JSON.stringify(masked.body).includes('hunter2')]).toEqual([200, 1, false]);
    const tried = await viaGateway('GET', `${WORKLOAD}/manifest?values=shown`, reader);
    expect([tried.status, JSON.stringify(tried.body).includes('hunter2')]).toEqual([400, false]);
    const shown = await viaGateway('POST', `${WORKLOAD}/manifest`, { iam: { userArn: ARN } });
    expect([shown.status, JSON.stringify(shown.body).includes('hunter2')]).toEqual([200, true]);
  }, 30_000);

  test('a right that the cluster does not give is named', async () => {
    await start();
    void reconcileMeanwhile();
    refusal = new TerminalError('forbidden', { code: 403, reason: 'Forbidden', said: 'jobs.batch "demo" is forbidden' });
    const { status, body } = await viaGateway('POST', `${WORKLOAD}/actions`, { iam: { userArn: ARN } }, SUSPEND);
    expect([status, body['needs'], body['detail']]).toEqual([
      403,
      'patch jobs in default',
      'local does not let Farloop suspend it: that needs the right to patch jobs in default; give "farloop cluster add local" again with --actions (jobs.batch "demo" is forbidden)',
    ]);
  }, 30_000);

  test('R15: a name that somebody gave themselves never stands without the subject of their token', () => {
    const named = (claims: object): string => callerIn({ jwt: { claims } });
    expect(named({ sub: 'f3a1', preferred_username: 'boss' })).toBe('boss (f3a1)');
    expect(named({ sub: 'f3a1', email: 'x'.repeat(900) })).toMatch(/^x{293} \(f3a1\)$/);
    expect(named({ sub: 'f3a1' })).toBe('f3a1');
    expect(named({ sub: 'f3a1', username: 'f3a1' })).toBe('f3a1');
    expect(named({ client_id: 'ci' })).toBe('ci');
    expect(named({})).toBe('somebody whom the gateway let in');
  });

  test.each([
    [{ iam: { userArn: ARN } }, ARN],
    [{ jwt: { claims: { sub: 'f3a1', email: 'ops@example.org' } } }, 'ops@example.org (f3a1)'],
  ])('R15: who asks learns who that is, and which right is missing where: %j', async (authorizer, name) => {
    await start({});
    expect((await viaGateway('GET', '/v1/me', {})).status).toBe(401);
    const off = (await viaGateway('GET', '/v1/me', authorizer)).body;
    expect(off).toMatchObject({
      name,
      mayAct: false,
      needs: 'actions=on',
      clusters: [{ cluster: 'local', mayAct: false, needs: 'actions=on' }],
    });
    await start();
    const record = await ports.clusters.get('local');
    const { actions: _without, ...other } = record ?? {};
    await ports.clusters.put({ ...other, name: 'other' } as never, 0);
    const on = (await viaGateway('GET', '/v1/me', authorizer)).body;
    expect(on).toMatchObject({
      name,
      mayAct: true,
      clusters: [
        { cluster: 'local', mayAct: true },
        { cluster: 'other', mayAct: false, needs: '--actions' },
      ],
    });
    expect(on['kinds']).toContainEqual({ kind: 'Job', actions: ['suspend', 'resume', 'scale', 'retry', 'delete'] });
    expect(on['kinds']).toContainEqual({ kind: 'VirtualPod', actions: [] });
    expect(on['kinds']).toContainEqual({ kind: 'VirtualNode', actions: ['drain'] });
  });

  test('R15: reconcile takes no action from another function than the API', async () => {
    await start();
    const question = { about: 'action' as const, kind: 'Job', namespace: 'default', name: 'demo', wanted: { action: 'delete' as const } };
    const asked = { ...question, uid: 'u', token: 'token-of-ingest', isDryRun: false, by: 'nobody' };
    const [id, secret] = ['i'.repeat(22), 's'.repeat(44)];
    const untilMs = Date.now() + 20_000;
    const body = encodeQuestions({ look: 'questions', cluster: 'local', id, secret, untilMs, questions: [asked] });
    expect(await reconcile(recordsOf([body], 'AROAINGEST'), context)).toEqual({ batchItemFailures: [] });
    expect(await ports.store.readAnswer('local', id, 0)).toBeUndefined();
  });
});

describe('farloop up', () => {
  async function ask(path: string, init: { token?: string; body?: object } = {}): Promise<Answered> {
    const { url, token, close } = await serveApi({ port: 0, answer: async (request) => await answerRoute(ports, request) });
    try {
      const answer = await fetch(`${url}${path}`, {
        method: init.body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${init.token ?? token}` },
        ...(init.body && { body: JSON.stringify(init.body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    } finally {
      await close();
    }
  }

  test('R15: without the token nobody reads a log, an event, a manifest, or acts', async () => {
    await start({ actions: 'on', lookUp: () => cluster });
    for (const path of READS) expect([path, (await ask(path, { token: 'none' })).status]).toEqual([path, 401]);
    expect((await ask(`${WORKLOAD}/actions`, { token: 'none', body: SUSPEND })).status).toBe(401);
    expect(patched).toEqual([]);
  });

  test('its holder reads, and acts only where --actions is on', async () => {
    await start({ lookUp: () => cluster });
    const [manifest] = [await ask(`${WORKLOAD}/manifest`)];
    expect([manifest.status, JSON.stringify(manifest.body).includes('hunter2')]).toEqual([200, false]);
    const refused = await ask(`${WORKLOAD}/actions`, { body: SUSPEND });
    expect([refused.status, refused.body['needs']]).toEqual([403, 'actions=on']);
    ports.actions = 'on';
    const done = await ask(`${WORKLOAD}/actions`, { body: SUSPEND });
    expect([done.status, done.body['result']]).toEqual([200, 'done']);
    expect(patched).toHaveLength(1);
  });

  test('a right that the cluster does not give is that of the user of the kubeconfig', async () => {
    await start({ actions: 'on', lookUp: () => cluster });
    refusal = new TerminalError('forbidden', { code: 403, reason: 'Forbidden', said: 'jobs.batch "demo" is forbidden' });
    const { status, body } = await ask(`${WORKLOAD}/actions`, { body: SUSPEND });
    expect([status, body['needs'], body['detail']]).toEqual([
      403,
      'patch jobs in default',
      'local does not let Farloop suspend it: that needs the right to patch jobs in default; give it to the user of its kubeconfig (jobs.batch "demo" is forbidden)',
    ]);
  });

  test('R6: where the cluster does not answer a read, nothing was done; once a write was begun, that is not known', async () => {
    await start({ actions: 'on', lookUp: () => cluster });
    silence = new UnknownOutcomeError('GET https://192.0.2.1: no answer within 10 s');
    const sentence = 'local cannot be asked about job/demo: GET https://192.0.2.1: no answer within 10 s';
    const told = async (path: string, body?: object): Promise<unknown[]> => {
      const answer = await ask(path, body && { body });
      return [answer.status, answer.body['detail']];
    };
    expect(await told(`${WORKLOAD}/events`)).toEqual([503, sentence]);
    expect(await told(`${WORKLOAD}/manifest`)).toEqual([503, sentence]);
    expect(await told(`${WORKLOAD}/actions`, { action: 'suspend', dryRun: true })).toEqual([503, sentence]);
    expect(await told(`${WORKLOAD}/actions`, SUSPEND)).toEqual([503, `${sentence}; nothing was done`]);
    [silence, refusal] = [undefined, new UnknownOutcomeError('PATCH https://192.0.2.1: no answer within 10 s')];
    expect(await told(`${WORKLOAD}/actions`, SUSPEND)).toEqual([504, expect.stringContaining('it is not known whether it was done')]);
    silence = new NotDoneError('GET https://192.0.2.1: nothing listens there');
    expect(await told(`${WORKLOAD}/actions`, SUSPEND)).toEqual([
      503,
      'local cannot be asked about job/demo: GET https://192.0.2.1: nothing listens there',
    ]);
  });

  test('a body that asks for nothing that there is is refused in one sentence', async () => {
    await start({ actions: 'on', lookUp: () => cluster });
    for (const body of [
      { action: 'explode' },
      { action: 'scale', replicas: -1 },
      { ...SUSPEND, token: 'a b' },
      { ...SUSPEND, filter: 'all' },
    ])
      expect((await ask(`${WORKLOAD}/actions`, { body })).body['detail']).toMatch(/^the body must be JSON as in/);
    const without = await ask(`${WORKLOAD}/actions`, { body: { action: 'suspend' } });
    expect([without.status, without.body['detail']]).toEqual([400, expect.stringMatching(/^an action needs "token"/)]);
    expect((await ask(`${WORKLOAD}/actions`, { body: { ...SUSPEND, padding: 'x'.repeat(100_000) } })).status).toBe(413);
    expect(patched).toEqual([]);
  });
});
