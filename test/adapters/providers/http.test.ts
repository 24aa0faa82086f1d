// Providers that are reached by HTTP: the contract by the two examples, each a process that runs pods, and what a provider may answer that is no answer.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { HttpProvider } from '../../../lib/adapters/providers/http.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
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

const providerAt = (address: string, node = 'edge'): HttpProvider =>
  new HttpProvider({ address, node, auth: { kind: 'none' }, clock, pollMs: 50 });

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
});

describe('answers', () => {
  let server: Server | undefined;
  let provider: HttpProvider | undefined;
  const calls: string[] = [];
  afterEach(() => {
    provider?.close();
    server?.closeAllConnections();
    server?.close();
    calls.length = 0;
  });

  type Answer = (method: string, path: string) => { status?: number; headers?: Record<string, string>; body?: unknown } | undefined;

  /** `undefined`: no answer comes. */
  async function openWith(answer: Answer, path = ''): Promise<HttpProvider> {
    server = createServer((request, response) => {
      const call = `${request.method} ${request.url}`;
      calls.push(call);
      const given = answer(request.method ?? '', request.url ?? '');
      if (!given) return;
      const { status = 200, headers = { 'content-type': 'application/json' }, body = {} } = given;
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    provider = providerAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
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
