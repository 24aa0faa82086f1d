// Providers that are reached by HTTP: the contract by the two examples, each a process that runs pods, and what a provider may answer that is no answer.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { HttpProvider, type HttpProviderOptions } from '../../../lib/adapters/providers/http.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { ResolvedPod } from '../../../lib/objects/environment/sources.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { NotDoneError, NotFoundError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { providerContract, type ProviderUnderTest } from '../../contracts/provider.ts';
import { until } from '../../claims.ts';
import { startExampleProvider, type ExampleProvider } from '../../example-provider.ts';

const FAR = { wallMs: Number.MAX_SAFE_INTEGER, monotonicMs: Number.MAX_SAFE_INTEGER };
const clock = new SystemClock();

const podOf = (uid: string, more: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { uid, name: `pod-${uid}`, namespace: 'default' },
  spec: { nodeName: 'edge', restartPolicy: 'Never', containers: [{ name: 'main', image: 'none', command: ['sleep', '1000'] }], ...more },
});

const providerAt = (address: string, node = 'edge', more: Partial<HttpProviderOptions> = {}): HttpProvider =>
  new HttpProvider({ address, node, auth: { kind: 'none' }, clock, pollMs: 50, ...more });

describe.each([
  { language: 'Node', command: 'node', file: 'examples/virtual-node/provider/provider.mjs' },
  { language: 'Python', command: 'python3', file: 'examples/virtual-node/provider/provider.py' },
])('the example in $language', ({ language, command, file }) => {
  let example: ExampleProvider;
  let number = 0;
  beforeAll(async () => {
    example = await startExampleProvider(command, file);
  }, 60_000);
  afterAll(async () => await example?.stop());

  providerContract(language, (): ProviderUnderTest => {
    // One provider for all tests: each has names and a node of its own.
    number += 1;
    const node = `edge-${number}`;
    const told: string[] = [];
    const provider = providerAt(example.address, node);
    const other = providerAt(example.address, 'other');
    provider.onChange(({ uid }) => told.push(uid));
    return {
      provider,
      other,
      podOf: (uid) => {
        const pod = podOf(uid, { nodeName: node });
        return { ...pod, metadata: { ...pod.metadata, namespace: `n${number}` } };
      },
      until: async (condition) => await until('what the test waits for', condition, 20_000),
      told,
      close: () => {
        provider.close();
        other.close();
      },
    };
  });

  test("a container gets its environment, and its exit code is the pod's", async () => {
    const provider = providerAt(example.address);
    const pod = podOf(`exits-${language}`, {
      containers: [{ name: 'main', command: ['sh', '-c', 'exit $CODE'], env: [{ name: 'CODE', value: '7' }] }],
    });
    const task = { uid: pod.metadata.uid ?? '', attempt: 1 };
    await provider.start(task, pod, FAR);
    await until('the end', async () => (await provider.look([task], FAR))[0]?.hasEnded === true);
    expect((await provider.look([task], FAR))[0]?.status).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 7, reason: 'Error' } } }],
    });
    provider.close();
  });

  test('a pod that has ended gives its name to the next one, and nobody is shown files of volumes', async () => {
    const provider = providerAt(example.address);
    const pod = (uid: string): ResolvedPod => ({
      ...podOf(uid, { containers: [{ name: 'main', command: ['true'] }] }),
      metadata: { namespace: 'default', name: 'again', uid },
      volumeContents: [{ name: 'login', files: [{ path: 'password', mode: 420, data: 'aHVudGVyMg==' }] }],
    });
    for (const uid of [`first-${language}`, `second-${language}`]) {
      const task = { uid, attempt: 1 };
      await provider.start(task, pod(uid), FAR);
      await until('the end', async () => (await provider.look([task], FAR))[0]?.hasEnded === true);
    }
    expect(JSON.stringify(await example.pods())).not.toContain('aHVudGVyMg==');
    await provider.forget({ uid: `second-${language}`, attempt: 1 }, FAR);
    expect((await example.pods()).map(({ metadata }) => metadata.name)).not.toContain('again');
    provider.close();
  });
});

describe('answers', () => {
  let server: Server | undefined;
  let provider: HttpProvider | undefined;
  const calls: string[] = [];
  const bodies: string[] = [];
  const close = (): void => {
    provider?.close();
    server?.closeAllConnections();
    server?.close();
  };
  afterEach(() => {
    close();
    calls.length = 0;
    bodies.length = 0;
  });

  type Answer = (method: string, path: string) => { status?: number; headers?: Record<string, string>; body?: unknown } | undefined;

  /** `undefined`: no answer comes. */
  async function openWith(answer: Answer, path = '', more: Partial<HttpProviderOptions> = {}): Promise<HttpProvider> {
    close();
    server = createServer((request, response) => {
      const call = `${request.method} ${request.url}`;
      calls.push(call);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => bodies.push(Buffer.concat(chunks).toString()));
      const given = answer(request.method ?? '', request.url ?? '');
      if (!given) return;
      const { status = 200, headers = { 'content-type': 'application/json' }, body = {} } = given;
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    provider = providerAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, 'edge', more);
    return provider;
  }
  const failureOf = async (
    answer: Answer,
    call: (from: HttpProvider) => Promise<unknown> = async (from) => await from.health(FAR),
  ): Promise<unknown> => {
    const from = await openWith(answer);
    return await call(from).then(
      () => undefined,
      (error: unknown) => error,
    );
  };
  const start = async (from: HttpProvider): Promise<unknown> => await from.start({ uid: 'a', attempt: 1 }, podOf('a'), FAR);
  const onCreate =
    (given: ReturnType<Answer>): Answer =>
    (method) =>
      method === 'GET' ? { status: 404, body: 'no' } : given;

  test.each([
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, 'GET /v1/pods answers with text/html: expected JSON'],
    ['no list', { body: { kind: 'Pod' } }, 'GET /v1/pods answers with something that is no list of pods'],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://169.254.169.254/' } },
      'GET /v1/pods answered 302, which leads elsewhere: give the address that answers itself',
    ],
    [
      'nothing that is known',
      { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>' },
      'GET /v1/pods answered 404 with a page',
    ],
    ['9 MB', { body: { items: ['x'.repeat(9 * 1024 * 1024)] } }, 'GET /v1/pods answers with more than 8 MB'],
  ])('a list that is %s: one sentence', async (_name, given, message) => {
    const error = await failureOf(() => given);
    expect(error).toMatchObject({ message });
    // It says nothing about a pod.
    expect(error).not.toBeInstanceOf(NotFoundError);
    expect(calls).toEqual(['GET /v1/pods']);
  });

  test('pods of other nodes, and what is no pod, are passed over', async () => {
    const items = [
      podOf('a'),
      podOf('b', { nodeName: 'far' }),
      { metadata: { name: 'c' } },
      7,
      { ...podOf('d'), status: { phase: 'Running', containerStatuses: 'none', conditions: [7] } },
    ];
    const from = await openWith(() => ({ body: { items } }));
    const { tasks } = await from.list({ limit: 10 }, FAR);
    expect(tasks.map(({ uid, status }) => [uid, status])).toEqual([
      ['a', {}],
      ['d', { phase: 'Running', conditions: [] }],
    ]);
  });

  test.each([
    [400, TerminalError, 'boom'],
    [429, ThrottledError, 'boom'],
    [403, NotDoneError, 'boom'],
    [500, UnknownOutcomeError, 'boom'],
  ])("a create that is answered %i: the text is the provider's own", async (status, kind, body) => {
    const error = await failureOf(onCreate({ status, headers: {}, body }), start);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ message: 'boom' });
  });

  test('R5: a pod of the same uid is not created again, whatever a lost answer was', async () => {
    const from = await openWith(() => ({ body: podOf('a') }));
    await from.start({ uid: 'a', attempt: 1 }, podOf('a'), FAR);
    expect(calls).toEqual(['GET /v1/pods/default/pod-a']);
  });

  test('R1: a pod of that name on another node stays as it is, also one that has ended', async () => {
    const theirs = { ...podOf('z', { nodeName: 'far' }), metadata: { ...podOf('a').metadata, uid: 'z' }, status: { phase: 'Succeeded' } };
    const error = await failureOf((method) => (method === 'GET' ? { body: theirs } : {}), start);
    expect(error).toBeInstanceOf(NotDoneError);
    expect(error).toMatchObject({ message: expect.stringContaining('the provider has a pod called default/pod-a of another node, far') });
    expect(calls).toEqual(['GET /v1/pods/default/pod-a']);
  });

  test('R5: another pod of that name must have ended first, and is removed then', async () => {
    const former = { ...podOf('z'), metadata: { ...podOf('a').metadata, uid: 'z' } };
    const error = await failureOf(() => ({ body: { ...former, status: { phase: 'Running' } } }), start);
    expect(error).toBeInstanceOf(NotDoneError);
    expect(error).toMatchObject({ message: 'the provider still runs another pod called default/pod-a' });
    const from = await openWith(() => ({ body: { ...former, status: { phase: 'Succeeded' } } }));
    calls.length = 0;
    await start(from);
    expect(calls).toEqual(['GET /v1/pods/default/pod-a', 'POST /v1/deletePod', 'POST /v1/createPod']);
  });

  test('a pod that has ended is deleted there once nobody asks for it any more; that this fails stops nothing', async () => {
    const pod = { ...podOf('a'), status: { phase: 'Succeeded' } };
    const from = await openWith((method, path) => (path === '/v1/deletePod' ? { status: 500 } : { body: { items: [pod] } }));
    await from.forget({ uid: 'a', attempt: 1 }, FAR);
    await from.forget({ uid: 'none', attempt: 1 }, FAR);
    expect(calls).toEqual(['GET /v1/pods', 'POST /v1/deletePod', 'GET /v1/pods']);
  });

  test('what volumes hold travels beside the pod, and the objects that it comes from do not', async () => {
    const from = await openWith((method) => (method === 'GET' ? { status: 404, body: 'no such pod' } : {}));
    const volumeContents = [{ name: 'settings', files: [{ path: 'a', mode: 420, data: 'YQ==' }] }];
    const pod = { ...podOf('a'), volumeContents, sources: [{ metadata: { name: 'settings' }, data: { a: 'a' } }] };
    await from.start({ uid: 'a', attempt: 1 }, pod, FAR);
    expect(bodies.filter((body) => body !== '').map((body) => JSON.parse(body) as object)).toEqual([
      { ...podOf('a'), 'farloop.dev/volumes': volumeContents },
    ]);
  });

  test('one that tells of changes is listened to, and asked less often; after it was away it is asked to tell again', async () => {
    const told: string[] = [];
    let isAway = false;
    const from = await openWith(
      (_method, path) => {
        if (path !== '/v1/pods') return {};
        return isAway ? { status: 503, body: 'away' } : { body: { items: [{ ...podOf('a'), status: { phase: 'Running' } }] } };
      },
      '',
      { isTold: true },
    );
    from.onChange(({ uid }) => told.push(uid));
    const askedToTell = (): string[] =>
      bodies.filter((body) => body.startsWith('{"url"')).map((body) => (JSON.parse(body) as { url: string }).url);
    await from.health(FAR);
    await until('it is asked to tell', () => askedToTell().length === 1);
    told.length = 0;
    const [url = ''] = askedToTell();
    const post = async (to: string, body: unknown): Promise<number> =>
      (await fetch(to, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })).status;
    expect(await post(url, podOf('a'))).toBe(200);
    expect(told).toEqual(['a']);
    // Another node's, nonsense, and somebody who does not know the path.
    expect(await post(url, podOf('b', { nodeName: 'far' }))).toBe(200);
    expect(await post(url, '<html>')).toBe(400);
    expect(await post(new URL('/notify/x', url).href, podOf('a'))).toBe(404);
    expect(told).toEqual(['a']);
    isAway = true;
    await expect(from.health(FAR)).rejects.toThrow('away');
    isAway = false;
    await from.health(FAR);
    await until('it is asked to tell again', () => askedToTell().length === 2);
    await until(
      'its former address is closed',
      async () =>
        await fetch(url).then(
          () => false,
          () => true,
        ),
    );
  });

  test('one that was started anew between two polls is asked to tell again, at the same address', async () => {
    const from = await openWith(
      (_method, path) => (path === '/v1/pods' ? { body: { items: [{ ...podOf('a'), status: { phase: 'Running' } }] } } : {}),
      '',
      { isTold: true, toldPollMs: 100 },
    );
    from.onChange(() => {});
    await from.health(FAR);
    const asked = (): string[] => bodies.filter((body) => body.startsWith('{"url"'));
    await until('it is asked again and again', () => asked().length >= 3);
    expect(new Set(asked()).size).toBe(1);
  });

  test('one that could not be asked to tell at first is asked again', async () => {
    let isBusy = true;
    const from = await openWith(
      (_method, path) => {
        if (path === '/v1/notifyPods' && isBusy) return { status: 503, body: 'busy' };
        return path === '/v1/pods' ? { body: { items: [{ ...podOf('a'), status: { phase: 'Running' } }] } } : {};
      },
      '',
      { isTold: true, pollMs: 20, toldPollMs: 100 },
    );
    const told: string[] = [];
    from.onChange(({ uid }) => told.push(uid));
    await from.health(FAR);
    const asked = (): string[] => bodies.filter((body) => body.startsWith('{"url"'));
    await until('it is asked once', () => asked().length === 1);
    isBusy = false;
    await until('it is asked again', () => asked().length >= 2);
    told.length = 0;
    const { url } = JSON.parse(asked().at(-1) ?? '') as { url: string };
    expect((await fetch(url, { method: 'POST', body: JSON.stringify(podOf('a')) })).status).toBe(200);
    expect(told).toEqual(['a']);
  });

  const logOf = async (from: HttpProvider, wanted: object): Promise<string> => {
    const chunks: Uint8Array[] = [];
    const signal = new AbortController().signal;
    for await (const chunk of from.logs({ uid: 'a', attempt: 1 }, { container: 'main', ...wanted }, signal)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  test.each([
    [{}, ''],
    [{ follow: true, previous: true, timestamps: true }, '?previous=true&timestamps=true&follow=true'],
    [{ tailLines: 0, limitBytes: 3, sinceMs: 0 }, '?tailLines=0&limitBytes=3&sinceTime=1970-01-01T00%3A00%3A00.000Z'],
  ])('a log is asked for as of a kubelet: %j', async (wanted, query) => {
    const from = await openWith((_method, path) => (path === '/v1/pods' ? { body: { items: [podOf('a')] } } : { body: 'one\ntwo\n' }));
    // One that gives more than it was asked for changes nothing.
    expect(await logOf(from, wanted)).toBe('limitBytes' in wanted ? 'one' : 'one\ntwo\n');
    expect(calls).toEqual(['GET /v1/pods', `GET /v1/containerLogs/default/pod-a/main${query}`]);
  });

  test.each([
    [404, NotFoundError],
    [400, TerminalError],
    [500, UnknownOutcomeError],
  ])('a log that is answered %i', async (status, kind) => {
    const from = await openWith((_method, path) => (path === '/v1/pods' ? { body: { items: [podOf('a')] } } : { status, body: 'boom' }));
    await expect(logOf(from, {})).rejects.toThrow(kind);
  });

  test('figures that are some', async () => {
    const time = '2026-05-01T10:00:00Z';
    const containers = [
      { name: 'main', startTime: time, cpuSeconds: 1.5, cpuCores: -1, memoryBytes: 'much' },
      { name: 'helper', startTime: '0001-01-01T00:00:00Z' },
      { name: 7, cpuSeconds: 1 },
      'none',
    ];
    const from = await openWith(() => ({
      body: { items: [{ uid: 'a', time, containers }, { uid: 'b', time: 'now', containers }, { uid: 'c', time }, 7] },
    }));
    expect(await from.figures(FAR)).toEqual([
      {
        uid: 'a',
        atMs: Date.parse(time),
        containers: [{ name: 'main', startedAtMs: Date.parse(time), cpuSeconds: 1.5 }, { name: 'helper' }],
      },
    ]);
  });

  test.each([404, 501])('one that measures nothing (%i) has no figures; one that fails is no such one', async (status) => {
    expect(await (await openWith(() => ({ status, body: 'no' }))).figures(FAR)).toEqual([]);
    await expect((await openWith(() => ({ status: 500, body: 'boom' }))).figures(FAR)).rejects.toThrow('boom');
  });

  test('R17: nothing is sent after the deadline', async () => {
    const from = await openWith(() => ({ body: { items: [] } }));
    await expect(from.start({ uid: 'a', attempt: 1 }, podOf('a'), { wallMs: 0, monotonicMs: 0 })).rejects.toThrow(NotDoneError);
    expect(calls).toEqual([]);
  });

  test('looks that come together are one list, and each is answered by one that was asked for no sooner', async () => {
    const from = await openWith(() => ({ body: { items: [podOf('a')] } }));
    const looks = Array.from({ length: 50 }, async () => await from.look([{ uid: 'a', attempt: 1 }], FAR));
    expect((await Promise.all(looks)).every(([task]) => task?.uid === 'a')).toBe(true);
    expect(calls).toEqual(['GET /v1/pods']);
  });

  test('its address may have a path', async () => {
    const from = await openWith(() => ({ body: { items: [] } }), '/edge/');
    expect(await from.health(FAR)).toEqual({});
    expect(calls).toEqual(['GET /edge/v1/pods']);
  });
});
