// A workload's parts in the API: pods in pages of any number, a map of a hundred thousand indexes, what a pass would do.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { absenceOfParts } from '../../../lib/api/detail/absent-parts.ts';
import { childrenOf } from '../../../lib/api/detail/children.ts';
import { firstFallOf, fallsIn } from '../../../lib/api/detail/ends.ts';
import { ownerIn, type Known } from '../../../lib/api/detail/known.ts';
import { podPage, podStatesIn, type PodPage } from '../../../lib/api/detail/pod-pages.ts';
import { mapOf } from '../../../lib/api/detail/workload-map.ts';
import { answerRoute } from '../../../lib/api/routes/route-table.ts';
import { factsFor } from '../../../lib/kinds/facts.ts';
import { shownFor } from '../../../lib/kinds/shown.ts';
import type { WorkloadObject } from '../../../lib/objects/kubernetes.ts';
import { packStates, unpackStates } from '../../../lib/objects/detail/packed-states.ts';
import type { PodFacts } from '../../../lib/objects/pods/pod-facts.ts';
import { initialState, type PassState } from '../../../lib/reconciler/head/pass-state.ts';
import type { PodEntry } from '../../../lib/wire/words/observations.ts';
import { anIndexedJob, aPod, ended, JOB_UID, NOW } from '../../kinds/job/builders.ts';
import { embeddedPorts, know, type EmbeddedPorts } from '../embedded-ports.ts';

const NOW_MS = NOW * 1000;

function knownOf(
  object: WorkloadObject,
  pods: readonly PodFacts[],
  { kind = 'Job', state = {} }: { kind?: string; state?: Partial<PassState> } = {},
): Known {
  const entries = pods.map((child): [string, PodEntry] => [child.uid, { heardAt: '9', byPass: false, presence: 'there', child }]);
  return {
    row: { facts: factsFor(kind), shown: shownFor(kind) },
    head: { key: { cluster: 'local', kind, namespace: 'default', name: 'demo', uid: JOB_UID } } as Known['head'],
    view: {
      era: 0,
      resource: 'pods',
      floor: '0',
      owner: { heardAt: '9', byPass: false, deleted: false, object },
      children: new Map(entries),
    },
    children: [],
    state: { ...initialState(), ...state },
  };
}

const podsOf = (count: number): PodFacts[] =>
  Array.from({ length: count }, (_, at) =>
    aPod({ uid: `u${at}`, name: `demo-${at}`, index: String(at), ...(at % 10 === 0 && { phase: 'Pending' }) }),
  );

describe('pods in pages', () => {
  const known = knownOf(anIndexedJob({ completions: 250, parallelism: 250 }), podsOf(250).toReversed());
  const pageAt = (from?: string): PodPage => {
    const page = podPage(known, {}, { limit: 100, nowMs: NOW_MS, ...(from !== undefined && { from }) });
    if (typeof page === 'string') throw new Error(page);
    return page;
  };

  test('each pod stands on one of them, by its index', () => {
    const names: string[] = [];
    let page = pageAt();
    for (;;) {
      names.push(...page.items.map(({ name }) => name));
      if (page.next === undefined) break;
      page = pageAt(page.next);
    }
    expect(names).toEqual(Array.from({ length: 250 }, (_, at) => `demo-${at}`));
    expect([page.total, page.counts]).toEqual([250, { Pending: 25, Running: 225 }]);
  });

  test('a page goes on where the one before ended, though its last pod has gone', () => {
    const { next = '' } = pageAt();
    known.view.children.delete('u99');
    expect(pageAt(next).items[0]?.name).toBe('demo-100');
  });

  test('by state and index; what is none is refused in a sentence', () => {
    const chosen = podPage(known, { states: ['Pending'], index: '20' }, { limit: 5, nowMs: NOW_MS });
    expect(chosen).toMatchObject({ total: 1, items: [{ name: 'demo-20', state: 'Pending', index: '20' }] });
    expect(podPage(known, {}, { limit: 5, nowMs: NOW_MS, from: 'nonsense' })).toContain('ask without it');
    expect(podPage(known, { index: '250' }, { limit: 5, nowMs: NOW_MS })).toBe('job/demo has no index 250: they go from 0 to 249');
    expect(podPage(known, { type: 'Worker' }, { limit: 5, nowMs: NOW_MS })).toBe('job/demo has no types of replicas: ask without "type"');
    expect(podPage(known, { index: '20', states: ['Failed'] }, { limit: 5, nowMs: NOW_MS })).toMatchObject({ total: 0 });
    const plain = knownOf(anIndexedJob({ completionMode: 'NonIndexed' }), []);
    expect(podPage(plain, { index: '0' }, { limit: 5, nowMs: NOW_MS })).toBe('job/demo has no indexes: ask without "index"');
    expect(podPage(plain, {}, { limit: 5, nowMs: NOW_MS })).toMatchObject({ total: 0 });
    expect(podStatesIn('pending,gone')).toContain('there is no state "gone" of pods');
  });
});

describe('the map', () => {
  const completions = 100_000;
  const job = anIndexedJob(
    { completions, parallelism: 500 },
    { status: { succeeded: 81_204, completedIndexes: '0-81203', failedIndexes: '99000-99010' } },
  );
  const pods = [
    ...Array.from({ length: 400 }, (_, at) => aPod({ index: String(81_204 + at), startedAt: NOW - (at < 2 ? 2_820 : 40) })),
    ...Array.from({ length: 11 }, (_, at) => aPod({ index: String(99_000 + at), phase: 'Failed', containers: [ended(3, 60)] })),
  ];
  const known = knownOf(job, pods, { state: { ran: { of: 81_204, lengths: '4/21:81204' } } });

  test('of a hundred thousand indexes takes 20 KB at most, in runs or in blocks', () => {
    const map = mapOf(known, { at: 81_205 }, NOW_MS);
    expect(JSON.stringify(map).length).toBeLessThan(20_000);
    expect(map).toMatchObject({ of: 'indexes', counts: { S: 81_204, R: 400, F: 11 }, lagging: 2, at: { index: 81_205, lags: true } });
    const even = anIndexedJob(
      { completions, parallelism: 9 },
      { status: { completedIndexes: Array.from({ length: 50_000 }, (_, at) => at * 2).join(',') } },
    );
    const mixed = mapOf(knownOf(even, pods), {}, NOW_MS);
    expect(JSON.stringify(mixed).length).toBeLessThan(20_000);
    expect(mixed).toMatchObject({ states: { blocks: { size: expect.any(Number) } } });
    const part = mapOf(knownOf(even, pods), { from: 4_000, to: 5_000 }, NOW_MS);
    expect(part).toMatchObject({ states: { ranges: expect.any(String) }, from: 4_000, to: 5_000 });
  });

  test('of an index whose pods are gone it tells how the last of them ended, from the view, or from the fall that passes remember', () => {
    const status = { startTime: new Date((NOW - 7_200) * 1_000).toISOString(), failedIndexes: '3,4,5' };
    const few = anIndexedJob({ completions: 10, parallelism: 2 }, { status });
    const first = { pod: 'demo-4-bcdfg', container: 'main', exitCode: 137, reason: 'OOMKilled', at: NOW - 300 };
    const gone = knownOf(few, [aPod({ uid: 'g', name: 'demo-3-bcdfg', index: '3', phase: 'Failed', containers: [ended(3, 60)] })], {
      state: { fell: { first, lastAt: NOW - 300, followed: 0, withinSeconds: 0 } },
    });
    const entry = gone.view.children.get('g');
    if (entry) gone.view.children.set('g', { ...entry, presence: 'deleted' });
    const at = (index: number) => mapOf(gone, { at: index }, NOW_MS);
    expect(at(3)).toMatchObject({
      at: { state: 'Failed', pods: [], gone: { pod: 'demo-3-bcdfg', container: 'main', exitCode: 3, time: expect.any(String) } },
    });
    expect(at(4)).toMatchObject({ at: { pods: [], gone: { pod: 'demo-4-bcdfg', exitCode: 137, reason: 'OOMKilled' } } });
    expect(at(5)).toMatchObject({ at: { state: 'Failed', pods: [] } });
    expect(at(5)).not.toHaveProperty('at.gone');
  });

  test('names what is out of the ordinary: those that lag first, then those that failed', () => {
    const map = mapOf(known, {}, NOW_MS);
    expect(map).toMatchObject({
      notable: [
        { index: 81_204, lags: true, seconds: 2_820 },
        { index: 81_205 },
        { index: 99_000, state: 'F', exitCode: 3 },
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        {},
        {},
      ],
    });
  });

  test('a part comes out as it is; what is no part is refused in a sentence', () => {
    const map = mapOf(known, { from: 81_200, to: 81_210 }, NOW_MS);
    if (typeof map === 'string' || map.of !== 'indexes') throw new Error('no map');
    expect(packStates(unpackStates(map.states.ranges ?? '', 10) ?? new Uint8Array())).toBe('S4R6');
    expect(mapOf(known, { from: 5, to: 5 }, NOW_MS)).toContain('they go from 0 to 99999');
    expect(mapOf(known, { at: 100_000 }, NOW_MS)).toContain('there is no index 100000');
  });
});

describe('a training job', () => {
  const job = {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'demo', namespace: 'default', uid: JOB_UID, resourceVersion: '9' },
    spec: { pytorchReplicaSpecs: { Worker: { replicas: 2 }, Master: { replicas: 1 } } },
    status: { startTime: new Date(NOW_MS - 600_000).toISOString() },
  } as WorkloadObject;
  const replica = (type: string, index: number, facts: Partial<PodFacts> = {}): PodFacts =>
    aPod({
      name: `demo-${type}-${index}`,
      labels: { 'training.kubeflow.org/replica-type': type, 'training.kubeflow.org/replica-index': String(index) },
      ...facts,
    });
  const fell = (exitCode: number, secondsAgo: number): Partial<PodFacts> => ({
    reasons: [{ reason: 'CrashLoopBackOff', container: 'main' }],
    containers: [{ name: 'main', role: 'container', restarts: 2 }],
    lastEnds: [{ container: 'main', exitCode, ...(exitCode === 137 && { reason: 'OOMKilled' }), finishedAt: NOW - secondsAgo }],
  });
  const pods = [replica('master', 0), replica('worker', 0, fell(1, 50)), replica('worker', 1, fell(137, 59))];
  const known = knownOf(job, pods, { kind: 'PyTorchJob' });

  test('has replicas by type in the order of their start, with ranks, and the one that fell first', () => {
    expect(mapOf(known, {}, NOW_MS)).toMatchObject({
      of: 'replicas',
      types: [
        { type: 'Master', replicas: [{ index: 0, rank: 0, state: 'Running' }] },
        {
          type: 'Worker',
          counts: { BackingOff: 2 },
          replicas: [
            { rank: 1, exitCode: 1 },
            { rank: 2, exitCode: 137, reason: 'CrashLoopBackOff', fellFirst: true },
          ],
        },
      ],
    });
  });

  test('pods are found by type; the first fall has one that followed', () => {
    const page = podPage(known, { type: 'Worker' }, { limit: 9, nowMs: NOW_MS });
    expect(page).toMatchObject({
      total: 2,
      items: [
        { type: 'Worker', index: '0' },
        { type: 'Worker', index: '1' },
      ],
    });
    const { kind } = known.head.key;
    const word = `${kind.toLowerCase()}/demo`;
    expect(podPage(known, { type: 'Frob' }, { limit: 9, nowMs: NOW_MS })).toMatch(
      new RegExp(`^${word} has no replicas of the type Frob: it has .*Worker`),
    );
    expect(absenceOfParts(known, { replica: 'worker-9' }, NOW_MS)).toMatch(
      new RegExp(`^the type Worker of ${word} has no index 9: they go from 0 to \\d$`),
    );
    expect(absenceOfParts(known, { replica: 'worker-1' }, NOW_MS)).toBeUndefined();
    const falls = fallsIn(known, ownerIn(known));
    expect(falls && firstFallOf(falls)).toMatchObject({
      pod: 'demo-worker-1',
      exitCode: 137,
      followed: 1,
      withinSeconds: 9,
      followedExitCode: 1,
    });
    expect(childrenOf(known)).toEqual({ items: [], counts: {}, leftOut: 0 });
  });
});

describe('routes', () => {
  let ports: EmbeddedPorts;
  beforeEach(async () => {
    ports = await embeddedPorts('local');
    await know(ports, { name: 'demo', pods: ['demo-0'], status: { startTime: '2026-05-01T10:00:00Z', active: 1 } });
  });
  afterEach(() => ports.close());
  const get = async (part: string, query = ''): Promise<unknown> =>
    await answerRoute(ports, {
      method: 'GET',
      path: ['v1', 'workloads', 'local', 'Job', 'default', 'demo', part],
      query: new URLSearchParams(query),
      body: undefined,
    });

  test('what a pass would do now, in words and as data; nothing is done', async () => {
    const before = await ports.store.readHead({ cluster: 'local', kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' });
    const { json } = (await get('plan')) as { json: { outcome: string; text: string; actions: { verb: string }[]; reads: string[] } };
    expect(json.outcome).toBe('acted');
    expect(json.actions.map(({ verb }) => verb)).toContain('create');
    expect(json.reads).toContain('the owner');
    expect(json.text).toContain('Job/default/demo acts');
    expect(await ports.store.readHead({ cluster: 'local', kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' })).toEqual(
      before,
    );
  });

  test('bad parameters are refused in a sentence', async () => {
    await expect(get('pods', 'state=Gone')).rejects.toThrow('there is no state "Gone" of pods');
    await expect(get('map', 'at=first')).rejects.toThrow('"at" must be a whole number');
    await expect(get('logs', 'index=7')).rejects.toThrow('job/demo has no indexes: ask without "index"');
    await expect(get('logs', 'replica=worker-1')).rejects.toThrow('job/demo has no types of replicas: ask without "replica"');
    await expect(get('pods', 'continue=x')).rejects.toThrow('ask without it');
  });
});
