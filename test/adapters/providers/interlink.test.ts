// A provider reached through interLink: the contract on a stand-in of the edge, and what that protocol asks for beyond it.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { InterLinkProvider } from '../../../lib/adapters/providers/interlink.ts';
import type { ContainerState, Pod } from '../../../lib/objects/kubernetes.ts';
import type { Task } from '../../../lib/objects/task.ts';
import { NotDoneError, NotFoundError, TerminalError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { until } from '../../claims.ts';
import { providerContract } from '../../contracts/provider.ts';
import { InterLinkEdge } from '../../interlink-edge.ts';

const FAR = { wallMs: Number.MAX_SAFE_INTEGER, monotonicMs: Number.MAX_SAFE_INTEGER };
const TASK = { uid: 'a', attempt: 1 };
const podOf = (uid: string, spec: object = {}, annotations: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { uid, name: `pod-${uid}`, namespace: 'default', annotations },
  spec: { nodeName: 'hpc', containers: [{ name: 'main', image: 'none' }], ...spec },
});

let edge: InterLinkEdge;
let provider: InterLinkProvider;
beforeAll(async () => {
  edge = await InterLinkEdge.start();
});
afterAll(() => edge.stop());
const open = (): InterLinkProvider =>
  new InterLinkProvider({ address: edge.address, node: 'hpc', auth: { kind: 'none' }, clock: new SystemClock() });

providerContract('interLink', () => {
  edge.reset();
  const [one, other] = [open(), open()];
  return {
    provider: one,
    other,
    podOf,
    until: async (condition) => await until('what the test waits for', condition, 20_000),
    told: [],
    close: () => {
      one.close();
      other.close();
    },
  };
});

describe('an edge', () => {
  beforeEach(() => {
    edge.reset();
    provider = open();
  });
  afterEach(() => provider.close());
  const taskNow = async (): Promise<Task | undefined> => (await provider.look([TASK], FAR))[0];

  describe('gives logs', () => {
    const questions: { Opts: Record<string, unknown> }[] = [];
    beforeEach(async () => {
      questions.length = 0;
      edge.instead = (call, body) => {
        if (call === 'GET /getLogs') questions.push(JSON.parse(body) as { Opts: Record<string, unknown> });
        return undefined;
      };
      await provider.start(TASK, podOf('a'), FAR);
    });
    const logOf = async (wanted: object, signal = new AbortController().signal): Promise<string> => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of provider.logs(TASK, { container: 'main', ...wanted }, signal)) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };

    test.each([
      [{}, 'one\ntwo\nthree\n', { Tail: 0, Bytes: 0, SinceTime: '0001-01-01T00:00:00Z', Follow: false }],
      [{ tailLines: 2 }, 'two\nthree\n', { Tail: 2, Bytes: 0 }],
      [{ limitBytes: 5 }, 'one\nt', { Tail: 0, Bytes: 5 }],
      // Its edge takes one of the two: the other is ours.
      [{ tailLines: 2, limitBytes: 5 }, 'two\nt', { Tail: 2, Bytes: 0 }],
      [{ sinceMs: Date.parse('2999-01-01T00:00:00Z') }, '', { SinceSeconds: 0, SinceTime: '2999-01-01T00:00:00.000Z' }],
    ])('%j', async (wanted, text, opts) => {
      expect(await logOf(wanted)).toBe(text);
      expect(questions).toMatchObject([{ Namespace: 'default', PodName: 'pod-a', PodUID: 'a', ContainerName: 'main', Opts: opts }]);
    });

    test('no lines at all are asked of nobody, and no earlier ones by their time', async () => {
      expect(await logOf({ tailLines: 0 })).toBe('');
      expect(questions).toEqual([]);
      const followed = logOf({ tailLines: 0, follow: true });
      await until('it is asked', () => questions.length === 1);
      expect(Date.parse(String(questions[0]?.Opts['SinceTime']))).toBeGreaterThan(Date.now() - 60_000);
      edge.becomes('a', { terminated: { exitCode: 0 } });
      expect(await followed).toBe('');
    });

    test('until the container has ended, or the reader goes', async () => {
      const followed = logOf({ follow: true });
      await until('it is asked', () => questions.length === 1);
      edge.becomes('a', { terminated: { exitCode: 0 } });
      expect(await followed).toBe('one\ntwo\nthree\n');
      edge.becomes('a', { running: {} });
      const going = new AbortController();
      const left = logOf({ follow: true }, going.signal);
      await until('it is asked again', () => questions.length === 2);
      going.abort();
      expect('one\ntwo\nthree\n').toContain(await left);
    });

    test('of no run before, and of no other pod', async () => {
      await expect(logOf({ previous: true })).rejects.toThrow(NotFoundError);
      await expect(
        provider.logs({ uid: 'z', attempt: 1 }, { container: 'main' }, new AbortController().signal)[Symbol.asyncIterator]().next(),
      ).rejects.toThrow('pod not found');
    });
  });

  test('gets the pod with what its volumes and environment come from, and its annotations untouched', async () => {
    const volumes = [
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'access', projected: { sources: [] } },
    ];
    const volumeContents = [
      { name: 'settings', files: [{ path: 'a', mode: 420, data: 'QQ==' }] },
      { name: 'access', files: [{ path: 'token', mode: 420, data: Buffer.from('t0k3n').toString('base64') }] },
    ];
    const sources = [
      { kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' }, data: { a: 'A' } },
      { kind: 'Secret', metadata: { name: 'login', namespace: 'default' }, data: { p: 'cA==' } },
    ];
    const pod = podOf('a', { volumes }, { 'slurm-job.vk.io/flags': '--time=1' });
    await provider.start(TASK, { ...pod, volumeContents, sources }, FAR);
    const [job] = edge.jobs.get('a') ?? [];
    expect(job?.created).toEqual({
      pod,
      configmaps: [{ apiVersion: 'v1', ...sources[0] }],
      secrets: [{ apiVersion: 'v1', ...sources[1] }],
      persistentvolumes: [],
      projectedvolumesmaps: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'access', namespace: 'default' }, data: { token: 't0k3n' } },
      ],
      jobscriptURL: '',
    });
  });

  test('a file that is no text arrives byte by byte', async () => {
    const volumes = [{ name: 'keys', projected: { sources: [] } }];
    const volumeContents = [{ name: 'keys', files: [{ path: 'store.p12', mode: 420, data: '/wCA' }] }];
    await provider.start(TASK, { ...podOf('a', { volumes }), volumeContents }, FAR);
    const [job] = edge.jobs.get('a') ?? [];
    expect(job?.created).toMatchObject({ projectedvolumesmaps: [{ data: {}, binaryData: { 'store.p12': '/wCA' } }] });
  });

  test('R5: a create whose answer was lost is not repeated once the edge knows the pod', async () => {
    edge.instead = (call) => (call === 'POST /create' ? 'cut' : undefined);
    await expect(provider.start(TASK, podOf('a'), FAR)).rejects.toThrow(UnknownOutcomeError);
    edge.instead = () => undefined;
    await provider.start(TASK, podOf('a'), FAR);
    expect(edge.jobs.get('a')).toHaveLength(1);
    expect(edge.calls).toEqual(['GET /status', 'POST /create', 'GET /status']);
  });

  test('a status without a job and without containers is one of a pod that it does not know', async () => {
    edge.instead = (call) =>
      call === 'GET /status'
        ? { status: 200, body: JSON.stringify([{ name: 'pod-a', namespace: 'default', UID: 'a', JID: '', containers: [] }]) }
        : undefined;
    expect(await taskNow()).toBeUndefined();
    await provider.start(TASK, podOf('a'), FAR);
    expect(edge.jobs.get('a')).toHaveLength(1);
  });

  const ended = (exitCode: number): ContainerState => ({ terminated: { exitCode } });
  test.each([
    ['waits', { waiting: { reason: 'Queued', message: 'in the partition debug' } }, 'Pending', false],
    ['runs', { running: { startedAt: '2026-01-01T00:00:00Z' } }, 'Running', false],
    ['is done', ended(0), 'Succeeded', true],
    ['has failed', ended(3), 'Failed', true],
  ] as const)("a pod that %s: its phase follows from its containers'", async (_what, state, phase, hasEnded) => {
    edge.begins = state;
    await provider.start(TASK, podOf('a'), FAR);
    expect(await taskNow()).toMatchObject({ hasEnded, status: { phase, containerStatuses: [{ name: 'main', state }] } });
  });

  test('one of two containers that has ended leaves the pod running; an init container that failed ends it', async () => {
    await provider.start(TASK, podOf('a', { containers: [{ name: 'one' }, { name: 'two' }], initContainers: [{ name: 'first' }] }), FAR);
    const [job] = edge.jobs.get('a') ?? [];
    if (!job) throw new Error('no job');
    job.states.containers = [ended(0), { running: {} }];
    expect(await taskNow()).toMatchObject({ hasEnded: false, status: { phase: 'Running' } });
    job.states.initContainers = [ended(1)];
    job.states.containers = [{ waiting: {} }, { waiting: {} }];
    expect(await taskNow()).toMatchObject({ hasEnded: true, status: { phase: 'Failed' } });
  });

  test("Go's zero time is no time", async () => {
    edge.begins = { running: { startedAt: '0001-01-01T00:00:00Z' } };
    await provider.start(TASK, podOf('a'), FAR);
    expect((await taskNow())?.status.containerStatuses?.[0]?.state).toEqual({ running: {} });
  });

  test('a pod that it does not know is missing only while the edge is well', async () => {
    edge.instead = (call) => (call === 'POST /pinglink' ? { status: 503, body: 'the batch system is away' } : undefined);
    await expect(taskNow()).rejects.toThrow('the batch system is away');
    await expect(provider.health(FAR)).rejects.toThrow('the batch system is away');
    edge.instead = () => undefined;
    expect(await taskNow()).toBeUndefined();
    expect(await provider.health(FAR)).toEqual({});
  });

  test('a pod that nobody asks for any more is forgotten there; that this fails stops nothing', async () => {
    await provider.start(TASK, podOf('a'), FAR);
    await provider.forget(TASK, FAR);
    expect(edge.jobs.size).toBe(0);
    await provider.forget(TASK, FAR);
  });

  test('an update is refused in one sentence', async () => {
    await provider.start(TASK, podOf('a'), FAR);
    await expect(provider.update(TASK, podOf('a'), FAR)).rejects.toThrow(TerminalError);
  });

  test('the pods of one moment are one status', async () => {
    await Promise.all(Array.from({ length: 40 }, async () => await provider.list({ limit: 10 }, FAR)));
    expect(edge.calls).toEqual(['GET /status']);
  });

  test.each([
    ['a page', { status: 200, body: '<html>' }, 'GET /status answers with a text: expected JSON'],
    ['an object', { status: 200, body: '{}' }, 'GET /status answers with something that is no list of statuses'],
    ['nonsense of pods', { status: 200, body: '[1, {"UID": 5}, null]' }, undefined],
    ['that there is no such call', { status: 404, body: 'nothing here' }, 'nothing here'],
  ])('an edge that answers %s', async (_what, answer, says) => {
    edge.instead = (call) => (call === 'GET /status' ? answer : undefined);
    if (says === undefined) expect((await provider.list({ limit: 10 }, FAR)).tasks).toEqual([]);
    else {
      const error: unknown = await provider.list({ limit: 10 }, FAR).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(Error);
      expect((error as Error).message).toBe(says);
      expect(error instanceof NotDoneError || error instanceof UnknownOutcomeError).toBe(true);
    }
  });
});
