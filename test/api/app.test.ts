// The HTTP API as a client meets it: over a socket, on embedded ports.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { request as httpRequest, STATUS_CODES } from 'node:http';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { FullDiskError } from '../../lib/adapters/embedded/sqlite-file.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import type { PassRecord } from '../../lib/ports/recorder.ts';
import { OUT_OF_TIME } from '../../lib/reconciler/acting/actions.ts';
import { NotDoneError } from '../../lib/ports/errors.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import { TOO_OFTEN } from '../../lib/reconciler/planning/parking.ts';
import type { PassState } from '../../lib/reconciler/head/pass-state.ts';
import { aPass } from '../contracts/recorder.ts';
import type { Listening } from '../listening.ts';
import type { EmbeddedPorts } from './embedded-ports.ts';
import { embeddedPorts, giveUp, know, knowGone, type KnownJob } from './embedded-ports.ts';
import { serveApi } from './served-api.ts';

const TOKEN = 'a-token-of-this-test';

let ports: EmbeddedPorts;
let api: Listening;
let url: string;

beforeEach(async () => {
  ports = await embeddedPorts('local', 'staging');
  api = await serveApi(ports, TOKEN, { hosts: ['127.0.0.1', 'localhost'] });
  ({ url } = api);
});

afterEach(async () => {
  await api.stop();
  ports.close();
});

/** `error` is for clients of the version before. */
const aProblem = (status: number, detail: unknown): object => ({
  type: 'about:blank',
  title: STATUS_CODES[status],
  status,
  detail,
  error: detail,
});

async function call(path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` }, ...init });
  return { status: response.status, body: await response.json() };
}

describe('who may ask', () => {
  test('without the token nothing is told', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${TOKEN}` }, { cookie: `token=${TOKEN}` }])
      for (const path of ['/v1/clusters', '/v1/workloads', '/metrics', '/v1/dead-letters', '/nowhere'])
        expect((await fetch(`${url}${path}`, { headers })).status).toBe(401);
    expect((await fetch(`${url}/v1/dead-letters/redrive`, { method: 'POST' })).status).toBe(401);
  });

  test('the page itself and /healthz are open, and hold nothing', async () => {
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('ok\n');
  });

  test('a foreign host name that resolves to this machine is refused', async () => {
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(
        `${url}/v1/clusters`,
        { headers: { host: 'evil.example', authorization: `Bearer ${TOKEN}` } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on('error', reject).end();
    });
    expect(status).toBe(421);
  });

  test('no path leads to other files', async () => {
    for (const path of [
      '/console/constructor',
      '/console/__proto__',
      '/console/..%2fapp.ts',
      '/console/%2e%2e/app.ts',
      '/console/package.json',
      '/..%2f..%2fpackage.json',
      '/console/',
    ])
      expect([401, 404]).toContain((await fetch(`${url}${path}`)).status);
  });

  test('no answer tells where files of this machine lie', async () => {
    const path = '/var/lib/somebody/farloop/store.db';
    const failures = [
      Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT', path }),
      new TypeError(`undefined is not a function at ${path}:1:2`),
      new FullDiskError(path),
      new NotDoneError(`https://127.0.0.1:6443/api/v1/pods did not answer (${path})`),
    ];
    const bodies: string[] = [];
    for (const failure of failures) {
      ports.store.workloads = async () => await Promise.reject(failure);
      const { status, body } = await call('/v1/workloads');
      expect(status).toBe(500);
      bodies.push(JSON.stringify(body));
    }
    expect(bodies.join('\n')).not.toMatch(/var|somebody|store\.db/);
    expect(bodies[2]).toContain('no space left');
    expect(bodies[3]).toContain('https://127.0.0.1:6443/api/v1/pods did not answer (…)');
  });

  test('every answer carries the headers that keep a browser safe', async () => {
    for (const path of ['/', '/v1/clusters', '/console/console.js']) {
      const { headers } = await fetch(`${url}${path}`);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('set-cookie')).toBeNull();
    }
  });
});

describe('workloads', () => {
  test('a list tells where each stands, over all clusters, page by page', async () => {
    for (let number = 0; number < 7; number++) await know(ports, { name: `job-${number}`, cluster: number < 4 ? 'local' : 'staging' });
    const names: string[] = [];
    let path: string | undefined = '/v1/workloads?limit=2';
    let pages = 0;
    while (path !== undefined && pages < 20) {
      const page: { items: { name: string }[]; next?: string } = JSON.parse(JSON.stringify((await call(path)).body));
      names.push(...page.items.map(({ name }) => name));
      path = page.next === undefined ? undefined : `/v1/workloads?limit=2&continue=${page.next}`;
      pages += 1;
    }
    expect(names.toSorted()).toEqual(['job-0', 'job-1', 'job-2', 'job-3', 'job-4', 'job-5', 'job-6']);
    expect(pages).toBeGreaterThan(2);
  });

  /** How often a page of the index is read from now on. */
  function pagesRead(): () => number {
    const workloads = ports.store.workloads.bind(ports.store);
    let read = 0;
    ports.store.workloads = async (...asked) => {
      read += 1;
      return await workloads(...asked);
    };
    return () => read;
  }

  test('one workload is found without a look at all others of its cluster, and none of a name that begins alike', async () => {
    const names = ['demo', 'demo-1', 'demo.a', 'demos', ...Array.from({ length: 60 }, (_, number) => `a-${number}`)];
    for (const name of names) await know(ports, { name });
    await know(ports, { name: 'demo', uid: 'uid-of-before' });
    await know(ports, { name: 'demo', namespace: 'other' });
    const read = pagesRead();
    for (const kind of ['Job', 'job']) {
      const { body } = await call(`/v1/workloads/local/${kind}/default/demo`);
      expect((body as { items: WorkloadKey[] }).items.map(({ name, namespace, uid }) => `${namespace}/${name}/${uid}`).toSorted()).toEqual([
        'default/demo/uid-of-before',
        'default/demo/uid-of-demo',
      ]);
    }
    expect(read()).toBe(2);
    expect((await call(`/v1/workloads/local/Job/default/${'x'.repeat(8_000)}`)).status).toBe(404);
    expect(read()).toBe(2);
  });

  test('a poll that finds nothing new reads the end of the log and the notes of each cluster, and no head', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `job-${at}`);
    for (const name of names) await know(ports, { name, cluster: 'local' });
    const first = await call('/v1/workloads?cluster=local');
    expect(first).toMatchObject({ body: { total: 40, of: 40 } });
    ports.store.meter.reset();
    expect(await call('/v1/workloads?cluster=local')).toEqual(first);
    expect(Object.entries(ports.store.meter.byOperation).map(([operation, { requests }]) => [operation, requests])).toEqual([
      ['summaries', 1],
      ['readNotes', 1],
    ]);
  });

  test('an unchanged answer is 304 to the client that has it, by a tag of its content', async () => {
    await know(ports, { name: 'demo' });
    const ask = async (tag?: string): Promise<Response> =>
      await fetch(`${url}/v1/workloads`, {
        headers: { authorization: `Bearer ${TOKEN}`, ...(tag !== undefined && { 'if-none-match': tag }) },
      });
    const tag = (await ask()).headers.get('etag') ?? '';
    expect(tag).toMatch(/^(W\/)?"[\w-]+"$/);
    const unchanged = await ask(`${tag}, "other"`);
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
    await know(ports, { name: 'another' });
    expect((await ask(tag)).status).toBe(200);
    expect((await fetch(`${url}/v1/workloads`, { headers: { 'if-none-match': tag } })).status).toBe(401);
  });

  test('pages hold as many as their limit, over clusters that have few each', async () => {
    const known = await ports.clusters.get('local');
    if (!known) throw new Error('it is not registered');
    for (let at = 0; at < 12; at++) {
      await ports.clusters.put({ ...known, name: `c${at}` }, 0);
      for (const name of ['one', 'other']) await know(ports, { name, cluster: `c${at}` });
    }
    const sizes: number[] = [];
    let path: string | undefined = '/v1/workloads?limit=5';
    while (path !== undefined) {
      const { items, next } = (await call(path)).body as { items: WorkloadKey[]; next?: string };
      sizes.push(items.length);
      path = next === undefined ? undefined : `/v1/workloads?limit=5&continue=${next}`;
    }
    expect(sizes).toEqual([5, 5, 5, 5, 4]);
  });

  const states: { name: string; job: Omit<KnownJob, 'name'>; state: string }[] = [
    { name: 'not started', job: {}, state: 'Pending' },
    { name: 'started', job: { status: { startTime: '2026-05-01T10:00:01Z', active: 2 }, pods: ['demo-a'] }, state: 'Running' },
    {
      name: 'without an image',
      job: {
        status: { startTime: '2026-05-01T10:00:01Z', active: 1 },
        pods: [
          {
            name: 'demo-a',
            status: { phase: 'Pending', containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ErrImagePull' } } }] },
          },
        ],
      },
      state: 'Waiting',
    },
    { name: 'suspended', job: { spec: { suspend: true } }, state: 'Suspended' },
    {
      name: 'complete',
      job: { status: { succeeded: 3, conditions: [{ type: 'Complete', status: 'True', reason: 'CompletionsReached' }] } },
      state: 'Succeeded',
    },
    {
      name: 'failed',
      job: { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] } },
      state: 'Failed',
    },
    {
      name: 'parked',
      job: { state: { park: { failures: 1, untilMs: Date.now() + 60_000, reason: 'a person must act', generation: 1 } } },
      state: 'Parked',
    },
  ];
  for (const { name, job, state } of states)
    test(`a Job that is ${name} is ${state}`, async () => {
      await know(ports, { name: 'demo', ...job });
      expect(await call('/v1/workloads?name=demo')).toMatchObject({ status: 200, body: { items: [{ name: 'demo', state }] } });
    });

  test('are chosen by state, labels and text', async () => {
    const ended = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };
    await know(ports, { name: 'one', labels: { team: 'a' } });
    await know(ports, { name: 'two', labels: { team: 'b' }, status: ended });
    await know(ports, { name: 'three', status: ended });
    const namesBy = async (query: string): Promise<unknown> => {
      const { status, body } = await call(`/v1/workloads?${query}`);
      return status === 200 ? (body as { items: { name: string }[] }).items.map(({ name }) => name) : { status, ...(body as object) };
    };
    expect(await namesBy('state=failed')).toEqual(['three', 'two']);
    expect(await namesBy('state=Pending,FAILED')).toEqual(['one', 'three', 'two']);
    expect(await namesBy(`label=${encodeURIComponent('team in (a,b)')}&state=Failed`)).toEqual(['two']);
    expect(await namesBy('label=!team')).toEqual(['three']);
    expect(await namesBy('text=BACKOFFLIMIT')).toEqual(['three', 'two']);
    expect(await namesBy('text=default/o')).toEqual(['one']);
    expect(await call('/v1/workloads?state=Failed&limit=1')).toMatchObject({
      body: { items: [{ name: 'three' }], total: 2, totals: { Failed: 2 }, of: 3, next: expect.any(String) },
    });
    expect(await namesBy('state=faild')).toMatchObject({
      status: 400,
      error: expect.stringContaining('there is no state "faild": there are Pending, '),
    });
    expect(await namesBy('label=a+in+(b')).toMatchObject({ status: 400, error: expect.stringContaining('"label" is no label selector') });
  });

  test('one tells its pods, its conditions and what its passes keep', async () => {
    await know(ports, { name: 'demo', pods: ['demo-b', 'demo-a'], status: { startTime: '2026-05-01T10:00:01Z', active: 2 } });
    const { body } = await call('/v1/workloads/local/job/default/demo');
    expect(body).toMatchObject({
      items: [
        {
          state: 'Running',
          active: 2,
          pods: [
            { name: 'demo-a', phase: 'Running' },
            { name: 'demo-b', phase: 'Running' },
          ],
          podsLeftOut: 0,
          passes: { ordinal: 0 },
          head: { era: 0 },
        },
      ],
    });
  });

  const passOf = (key: WorkloadKey, outcome: string, more: Partial<PassRecord> = {}): PassRecord =>
    aPass(Date.now() - 1_000, { key, passId: outcome, outcome, actions: [], nextWakeAtMs: Date.now() + 60_000, ...more });
  const refused = { verb: 'create', target: 'demo-x', why: '', result: 'refused', detail: 'exceeded quota: small' } as const;
  const waits: { code: string; says: string; state?: Partial<PassState>; because: (key: WorkloadKey) => Promise<unknown> }[] = [
    {
      code: 'Parked',
      says: 'a person must act',
      state: { park: { failures: 1, untilMs: Date.now() + 600_000, reason: 'a person must act', generation: 1 } },
      because: async () => {},
    },
    {
      code: 'Unreachable',
      // No pass of it is due.
      says: 'connection refused; tried again when something happens',
      because: () =>
        ports.store.putNote('local', 'reach', JSON.stringify({ downSinceMs: 1, probeAtMs: 0, reason: 'connection refused' }), 0),
    },
    {
      code: 'Forbidden',
      says: 'pods is forbidden',
      because: () => {
        const forbidden = { sinceMs: 1, reason: 'pods is forbidden', uids: [], probeAtMs: { default: 1 } };
        return ports.store.putNote('local', 'reach', JSON.stringify({ downSinceMs: null, probeAtMs: 0, reason: '', forbidden }), 0);
      },
    },
    {
      code: 'RelaySilent',
      says: 'for 11 min',
      because: () => {
        const marker = { session: 's', era: 0, heardAtMs: Date.now() - 600_500, clockOffsetMs: 0, watches: [], suspects: {} };
        return ports.store.putNote('local', 'relay', JSON.stringify(marker), 0);
      },
    },
    {
      code: 'ClusterDrained',
      says: 'none is begun',
      because: async () => {
        const record = await ports.clusters.get('local');
        if (record) await ports.clusters.put({ ...record, draining: true }, record.version);
      },
    },
    {
      code: 'ClusterLeaving',
      says: 'being removed',
      because: async () => {
        const record = await ports.clusters.get('local');
        if (record) await ports.clusters.put({ ...record, leaving: true }, record.version);
      },
    },
    { code: 'WaitsAfterLoss', says: 'left alone', because: (key) => ports.recorder.append(passOf(key, 'unknown')) },
    { code: 'WriteBudgetSpent', says: 'its turn comes', because: (key) => ports.recorder.append(passOf(key, 'throttled')) },
    {
      code: 'RefusedByApiServer',
      says: 'exceeded quota: small',
      state: { hold: { failures: 1, untilMs: Date.now() + 60_000, generation: 0 } },
      because: async (key) => {
        await ports.recorder.append(passOf(key, 'acted', { startedAtMs: Date.now() - 2_000, actions: [refused] }));
        await ports.recorder.append(passOf(key, 'waiting'));
      },
    },
  ];
  waits.push({
    code: 'RefusedByApiServer',
    says: 'refused to delete a pod: denied by a webhook',
    state: { hold: { failures: 1, untilMs: Date.now() + 60_000, generation: 0, verb: 'delete' } },
    because: async (key) => {
      const denied = { ...refused, verb: 'delete', detail: 'denied by a webhook' };
      await ports.recorder.append(passOf(key, 'waiting', { actions: [refused, denied] }));
    },
  });
  waits.push({
    code: 'RefusedByApiServer',
    says: 'refused to delete a pod: the tracking finalizer, which comes off first, may not be taken off demo-x: denied by a policy',
    state: { hold: { failures: 1, untilMs: Date.now() + 60_000, generation: 0, verb: 'delete' } },
    because: async (key) => {
      const denied = { ...refused, verb: 'strip', detail: 'denied by a policy' };
      await ports.recorder.append(passOf(key, 'acted', { startedAtMs: Date.now() - 2_000, actions: [refused, denied] }));
      await ports.recorder.append(passOf(key, 'waiting'));
    },
  });
  const hindrances: [PassRecord['actions'][number]['verb'], string][] = [
    ['strip', 'refused to let the tracking finalizer be taken off demo-x: denied by a webhook; tried again in 60 s'],
    ['adopt', 'refused to adopt demo-x: denied by a webhook'],
    ['delete', 'refused to delete demo-x: denied by a webhook'],
  ];
  for (const [verb, says] of hindrances)
    waits.push({
      code: 'RefusedByApiServer',
      says,
      because: (key) =>
        ports.recorder.append(passOf(key, 'failed', { actions: [{ ...refused, verb, detail: 'denied by a webhook' }], error: 'denied' })),
    });
  const unanswered = { ...refused, result: 'unknown', detail: 'failed calling webhook' } as const;
  waits.push({
    code: 'RefusedByApiServer',
    says: 'refused to create a pod: failed calling webhook',
    state: { hold: { failures: 1, untilMs: Date.now() + 60_000, generation: 0 } },
    because: (key) => ports.recorder.append(passOf(key, 'acted', { actions: [unanswered] })),
  });
  const silences: [string, Partial<PassRecord>, string][] = [
    [
      'unknown',
      { actions: [{ ...unanswered, verb: 'strip' }] },
      'asked to let the tracking finalizer be taken off demo-x: failed calling webhook',
    ],
    ['unknown', { actions: [{ ...unanswered, verb: 'status', target: 'status' }] }, 'asked to write the status: failed calling webhook'],
    [
      'notDone',
      { actions: [{ ...unanswered, result: 'notDone', detail: 'connection refused' }] },
      'asked to create demo-x: connection refused',
    ],
    ['unknown', { nextWakeAtMs: Date.now() - 10 }, 'asked to tell what there is: no answer in time; tried again in 0 s'],
  ];
  for (const [outcome, more, says] of silences)
    waits.push({
      code: 'RefusedByApiServer',
      says: `the API server gave no good answer when ${says}`,
      because: (key) => ports.recorder.append(passOf(key, outcome, { error: 'no answer in time', ...more })),
    });
  test.each(waits)('one that waits tells why: $code', async ({ code, says, state = {}, because }) => {
    const key = await know(ports, { name: 'demo', state });
    await because(key);
    const { body } = await call('/v1/workloads/local/Job/default/demo');
    const { items } = body as { items: { reasons: { code: string; text: string }[] }[] };
    const reasons = items[0]?.reasons ?? [];
    expect(reasons.find((reason) => reason.code === code)?.text).toContain(says);
    expect(reasons.map((reason) => reason.code)).not.toContain('AboutToStartPods');
  });

  test('a pass that came to its own end in the midst of its work blames nobody', async () => {
    const key = await know(ports, { name: 'demo' });
    await ports.recorder.append(passOf(key, 'notDone', { error: OUT_OF_TIME }));
    const { body } = await call('/v1/workloads/local/Job/default/demo');
    const { items } = body as { items: { reasons: { code: string }[] }[] };
    expect(items[0]?.reasons.map(({ code }) => code)).not.toContain('RefusedByApiServer');
  });

  test('a finished Job of a cluster that is being removed is not said to be deleted soon', async () => {
    const ended = { type: 'Complete', status: 'True', reason: 'CompletionsReached', lastTransitionTime: new Date().toISOString() };
    await know(ports, { name: 'demo', spec: { ttlSecondsAfterFinished: 300 }, status: { conditions: [ended] } });
    const record = await ports.clusters.get('local');
    if (record) await ports.clusters.put({ ...record, leaving: true }, record.version);
    const { body } = await call('/v1/workloads/local/Job/default/demo');
    const [item] = (body as { items: { reasons: { code: string }[] }[] }).items;
    expect(item?.reasons.map(({ code }) => code)).toEqual(['Completed', 'ClusterLeaving']);
  });

  test('of a Job that is gone is told that its pods are let go, and what keeps them', async () => {
    const key = await know(ports, { name: 'demo', pods: ['demo-a', 'demo-b'] });
    await knowGone(ports, key, { finalizer: TRACKING_FINALIZER });
    const strip = { ...refused, verb: 'strip', target: 'demo-a', detail: 'denied by a webhook' };
    await ports.recorder.append(passOf(key, 'waiting', { actions: [strip] }));
    const { body } = await call('/v1/workloads/local/Job/default/demo');
    const [item] = (body as { items: { reasons: { code: string; text: string }[] }[] }).items;
    expect(item?.reasons).toMatchObject([
      { code: 'RefusedByApiServer', text: expect.stringContaining('let the tracking finalizer be taken off demo-a: denied by a webhook') },
      { code: 'LettingPodsGo', text: 'the Job is gone: the tracking finalizer comes off 2 pods of it', pods: ['demo-a', 'demo-b'] },
    ]);
  });

  test('of a pod that no Job owns is told that it is let go', async () => {
    const record = await ports.clusters.get('local');
    if (!record) throw new Error('it is not registered');
    await createHead(ports, { cluster: 'local', kind: 'OrphanPod', namespace: 'default', name: 'lost', uid: 'u' }, record);
    const { body } = await call('/v1/workloads/local/OrphanPod/default/lost');
    expect(body).toMatchObject({
      items: [{ state: 'Orphan', reasons: [{ code: 'LettingPodsGo', text: expect.stringContaining('no Job owns') }] }],
    });
  });

  test('a pass that planned too often is told of as what it is: what was refused it on the way is tried again when its hold is over', async () => {
    const hold = { failures: 1, untilMs: Date.now() + 30_000, generation: 0 };
    const key = await know(ports, { name: 'demo', state: { hold } });
    await ports.recorder.append(passOf(key, 'failed', { actions: [refused], error: TOO_OFTEN, nextWakeAtMs: Date.now() + 10_000 }));
    const { body } = await call('/v1/workloads/local/Job/default/demo');
    const [item] = (body as { items: { reasons: { code: string; remainingSeconds?: number }[] }[] }).items;
    const refusals = (item?.reasons ?? []).filter(({ code }) => code === 'RefusedByApiServer');
    expect(refusals.map(({ remainingSeconds = 0 }) => remainingSeconds > 20)).toEqual([true]);
  });

  test('one is told of by its own passes, not by those of a former uid, found by one search for all of its name', async () => {
    const [healthy, former] = [await know(ports, { name: 'demo' }), await know(ports, { name: 'demo', uid: 'uid-of-before' })];
    await ports.recorder.append(passOf(healthy, 'waiting', { startedAtMs: Date.now() - 60_000 }));
    const strip = { ...refused, verb: 'strip', detail: 'denied by a webhook' };
    for (let again = 0; again < 6; again++)
      await ports.recorder.append(passOf(former, 'failed', { actions: [strip], error: 'denied by a webhook' }));
    const passes = ports.recorder.passes.bind(ports.recorder);
    let searches = 0;
    ports.recorder.passes = async (...asked) => {
      searches += 1;
      return await passes(...asked);
    };
    const { body } = await call('/v1/workloads/local/Job/default/demo');
    const { items } = body as { items: { uid: string; reasons: { code: string }[] }[] };
    const told = items.map(({ uid, reasons }) => [uid, reasons.some(({ code }) => code === 'RefusedByApiServer')]);
    expect(Object.fromEntries(told)).toEqual({ [healthy.uid]: false, [former.uid]: true });
    expect(searches).toBe(1);
  });

  test('its passes come newest first', async () => {
    const key = await know(ports, { name: 'demo' });
    const pass = { key, durationMs: 5, outcome: 'acted', why: [], saw: {}, actions: [] };
    const nowMs = Date.now();
    await ports.recorder.append({ ...pass, passId: 'first', startedAtMs: nowMs - 2_000 });
    await ports.recorder.append({ ...pass, passId: 'second', startedAtMs: nowMs - 1_000, nextWakeAtMs: nowMs });
    const { body } = await call('/v1/workloads/local/Job/default/demo/passes');
    expect(body).toMatchObject({ items: [{ passId: 'second', nextWakeTime: new Date(nowMs).toISOString() }, { passId: 'first' }] });
  });

  test('a pass comes by its id, with its snapshot where there is one', async () => {
    const key = await know(ports, { name: 'demo' });
    const pass = { key, passId: 'one', startedAtMs: Date.now(), durationMs: 5, outcome: 'acted', why: [], saw: {}, actions: [] };
    await ports.recorder.append(pass, () => Uint8Array.of(1, 2, 3));
    expect(await call('/v1/passes/one')).toMatchObject({ status: 200, body: { pass: { passId: 'one' }, snapshot: 'AQID' } });
    expect(await call('/v1/passes/other')).toMatchObject({ status: 404 });
  });

  test.each([
    ['/v1/workloads?stat=failed', 'there is no parameter "stat" here: there are cluster, kind, namespace, name, node, state, '],
    ['/v1/workloads?state=failed&state=running', '"state" may be given once only'],
    ['/v1/workloads?page=1&continue=eAB5', '"page" and "continue" both say where to begin: give one of them'],
    ['/v1/workloads/local/Job/default/demo?uid=1', 'there is no parameter "uid" here: this takes none'],
    ['/v1/workloads/local/Job/default/demo/pods?index=last', '"index" must be a whole number, as in index=4711'],
    ['/v1/stream?since=1', 'there is no parameter "since" here: this takes none'],
    ['/metrics?format=text', 'there is no parameter "format" here: this takes none'],
  ])('%s is refused, with the parameters that are possible', async (path, says) => {
    await know(ports, { name: 'demo' });
    expect(await call(path)).toEqual({ status: 400, body: aProblem(400, expect.stringContaining(says)) });
  });

  test('the log of a pod that the workload does not have is refused, not empty', async () => {
    await know(ports, { name: 'demo', pods: ['demo-0'] });
    const says = 'job/demo has no pod called demo-9: "farloop explain job/demo" tells of its pods';
    expect(await call('/v1/workloads/local/Job/default/demo/logs?pod=demo-9')).toEqual({ status: 404, body: aProblem(404, says) });
  });

  const refusals = [
    { name: 'one that is not there', path: '/v1/workloads/local/Job/default/nowhere', status: 404 },
    { name: 'a limit that is none', path: '/v1/workloads?limit=many', status: 400 },
    { name: 'a limit that is too high', path: '/v1/workloads?limit=1001', status: 400 },
    { name: 'a mark that no answer gave', path: '/v1/workloads?continue=e30', status: 400 },
    { name: 'a path that is none', path: '/v2/workloads', status: 404 },
    { name: 'a path that is not encoded', path: '/v1/workloads/%zz', status: 400 },
    { name: 'a queue that is none', path: '/v1/dead-letters?queue=letters', status: 404 },
  ];
  for (const { name, path, status } of refusals)
    test(`${name}: ${status}, in a sentence`, async () => {
      expect(await call(path)).toEqual({ status, body: aProblem(status, expect.stringMatching(/^.{10,}$/)) });
    });

  test('a refusal is a problem document, beside the member that clients of the version before read', async () => {
    for (const [path, status] of [
      ['/v1/nowhere', 404],
      ['/v1/workloads?limit=0', 400],
    ] as const) {
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
      expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(await response.json()).toEqual(aProblem(status, expect.any(String)));
    }
    const outside = await fetch(`${url}/v1/clusters`);
    expect([outside.headers.get('content-type'), await outside.json()]).toEqual([
      'application/problem+json; charset=utf-8',
      aProblem(401, expect.stringContaining('a token is needed')),
    ]);
  });

  test('another method: 405', async () => {
    expect((await call('/v1/workloads', { method: 'DELETE' })).status).toBe(405);
  });
});

describe('clusters and queues', () => {
  test('a cluster whose relay was never heard of waits; its silence is told once it was', async () => {
    const watches = [{ resource: 'pods', ageMs: 4_000, resourceVersion: '12' }];
    const heardAtMs = Date.now() - 300_000;
    const marker = { session: 's', era: 0, heardAtMs, clockOffsetMs: 0, watches, suspects: {} };
    await ports.store.putNote('staging', 'relay', JSON.stringify(marker), 0);
    const { body } = await call('/v1/clusters');
    expect(body).toMatchObject({
      items: [
        { name: 'local', state: 'Waiting' },
        { name: 'staging', state: 'Silent', relay: { silentForSeconds: 300, watches: [{ resource: 'pods', ageSeconds: 304 }] } },
      ],
    });
    const silence = { downSinceMs: heardAtMs, probeAtMs: 0, reason: 'Unauthorized' };
    await ports.store.putNote('staging', 'reach', JSON.stringify(silence), 0);
    expect((await call('/v1/clusters')).body).toMatchObject({
      items: [
        { name: 'local', states: [{ state: 'Waiting' }] },
        {
          name: 'staging',
          state: 'Unreachable',
          states: [{ reason: expect.stringContaining('Unauthorized'), sinceTime: new Date(heardAtMs).toISOString() }, { state: 'Silent' }],
        },
      ],
    });
    const metrics = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
    expect(metrics).toContain('farloop_watch_age_seconds{cluster="staging",resource="pods"} 304\n');
    expect(metrics).toContain('farloop_cluster_state{cluster="staging",state="Unreachable"} 1\n');
    expect(metrics).toContain('farloop_queue_messages{queue="wakes",state="visible"} 0\n');
  });

  test('what fails here is answered with its sentence and stands in the log; what was asked wrongly does not', async () => {
    const telemetry = new RecordingTelemetry();
    Object.assign(ports, { telemetry });
    Object.assign(ports.clusters, { list: () => Promise.reject(new Error('the table is away')) });
    expect(await call('/v1/workloads?text=in-a-query')).toEqual({ status: 500, body: aProblem(500, 'the table is away') });
    expect((await call('/v1/nowhere')).status).toBe(404);
    expect(telemetry.lines).toMatchObject([
      { level: 'error', message: 'request failed', fields: { method: 'GET', path: '/v1/workloads' } },
    ]);
  });

  test('a dead letter is shown and goes back, once', async () => {
    await ports.queue.send('timers', [{ body: 'not a timer' }]);
    await giveUp(ports, 'timers');
    const listed = await call('/v1/dead-letters?queue=timers');
    expect(listed.body).toMatchObject({
      items: [{ queue: 'timers', bytes: 11, problem: 'the timer is no JSON', body: 'not a timer' }],
    });
    const redrive = { method: 'POST', body: '{}' };
    expect(await call('/v1/dead-letters/redrive', redrive)).toEqual({ status: 200, body: { redriven: 1 } });
    expect(await call('/v1/dead-letters/redrive', redrive)).toEqual({ status: 200, body: { redriven: 0 } });
    expect(await ports.queue.depth('timers')).toMatchObject({ visible: 1, dead: 0 });
  });

  test('a body that is too large or no JSON is refused', async () => {
    expect((await call('/v1/dead-letters/redrive', { method: 'POST', body: '{' })).status).toBe(400);
    expect((await call('/v1/dead-letters/redrive', { method: 'POST', body: '["all"]' })).status).toBe(400);
    expect((await call('/v1/dead-letters/redrive', { method: 'POST', body: ' '.repeat(70_000) })).status).toBe(413);
  });
});
