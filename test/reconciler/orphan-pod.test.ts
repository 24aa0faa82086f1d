// The cleaner of orphans' finalizers, through the whole loop: without it these pods could never go away.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Job, LabelSelector, ObjectMeta, Pod } from '../../lib/objects/kubernetes.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import { TerminalError } from '../../lib/ports/errors.ts';
import { aJob, conditionsOf, World } from '../world/world.ts';

const FINALIZER = 'batch.kubernetes.io/job-tracking';
const MERGE = 'application/merge-patch+json';
let world: World;
beforeEach(async () => {
  world = new World();
  await world.watch();
});
afterEach(() => world.close());

async function aPod(metadata: Partial<ObjectMeta>): Promise<Pod> {
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stray', namespace: 'default', finalizers: [FINALIZER], ...metadata },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none' }] },
  };
  return await world.as<Pod>('POST', PODS, { namespace: 'default', body });
}
const remove = async (name: string): Promise<unknown> =>
  await world.as('DELETE', PODS, { namespace: 'default', name, body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 } });
const finalizersOf = async (name: string): Promise<string[] | undefined> => {
  const pod = (await world.pods()).find(({ metadata }) => metadata.name === name);
  return pod && (pod.metadata.finalizers ?? []);
};
const isForgotten = async (): Promise<boolean> => (await world.store.workloads('west', { limit: 10 })).keys.length === 0;
const anOwner = (reference: object) => ({ apiVersion: 'batch/v1', kind: 'Job', name: 'lost', uid: 'lost', controller: true, ...reference });

describe('finalizers of orphans', () => {
  test('case 156: a pod that names nobody loses it, and is forgotten', async () => {
    await aPod({});
    await world.until(async () => (await finalizersOf('stray'))?.length === 0, { seconds: 5, play: false });
    await world.until(isForgotten, { seconds: 20, play: false });
    expect(world.passes.at(-1)).toMatchObject({ key: { kind: 'OrphanPod' }, outcome: 'gone' });
  });

  test('case 161: a reference that is no controller protects nothing', async () => {
    // Its owner does not exist, so the garbage collector wants it gone.
    await aPod({ ownerReferences: [anOwner({ controller: false })] });
    await world.until(async () => (await finalizersOf('stray')) === undefined, { seconds: 5, play: false });
    expect(await finalizersOf('stray')).toBeUndefined();
  });

  test('case 158: its Job is gone', async () => {
    await aPod({ ownerReferences: [anOwner({})], labels: { 'batch.kubernetes.io/controller-uid': 'lost' } });
    await world.until(async () => (await finalizersOf('stray')) === undefined, { seconds: 5, play: false });
    await world.until(isForgotten, { seconds: 20, play: false });
    expect(world.passes.at(-1)).toMatchObject({ key: { kind: 'Job' }, outcome: 'gone' });
  });

  test.each([
    ['with both labels', ['controller-uid', 'batch.kubernetes.io/controller-uid']],
    ['of before the prefix', ['controller-uid']],
  ])('case 158: its Job is deleted, and nobody had told of the pod, one %s: the live list finds it', async (_, keys) => {
    await world.apply(aJob('demo', { suspend: true }));
    await world.elapse(2, { play: false });
    const { uid = '' } = (await world.job('demo')).metadata;
    world.keepBack('Pod');
    await aPod({ labels: Object.fromEntries(keys.map((key) => [key, uid])), ownerReferences: [anOwner({ name: 'demo', uid })] });
    await world.as('DELETE', JOBS, {
      namespace: 'default',
      name: 'demo',
      body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
    });
    await world.until(async () => (await finalizersOf('stray')) === undefined, { seconds: 10, play: false });
    expect(await finalizersOf('stray')).toBeUndefined();
  });

  test('case 160: one that belongs to another kind keeps it', async () => {
    await aPod({ ownerReferences: [anOwner({ apiVersion: 'apps/v1', kind: 'ReplicaSet' })] });
    await world.elapse(10, { play: false });
    expect(await finalizersOf('stray')).toEqual([FINALIZER]);
  });

  test('one that is being deleted goes away', async () => {
    await aPod({});
    await remove('stray');
    await world.until(async () => (await world.pods()).length === 0, { seconds: 5, play: false });
    expect(world.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('R8: one that found an owner meanwhile keeps it', async () => {
    const pod = await aPod({});
    await world.apply(aJob('demo', { suspend: true }));
    const { uid = '' } = (await world.job('demo')).metadata;
    let isAdopted = false;
    world.interposer = async ({ port, method, phase }) => {
      if (isAdopted || port !== 'cluster' || method !== 'patch' || phase !== 'before') return;
      isAdopted = true;
      const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'demo', uid, controller: true }];
      await world.as('PATCH', PODS, {
        namespace: 'default',
        name: pod.metadata.name ?? '',
        body: { metadata: { ownerReferences } },
        type: MERGE,
      });
    };
    await world.report();
    await world.run();
    expect(isAdopted).toBe(true);
    expect(await finalizersOf('stray')).toEqual([FINALIZER]);
  });

  test('R14, R11: a refusal is not asked for again and again', async () => {
    await aPod({});
    world.interposer = ({ port, method, phase }) => {
      if (port === 'cluster' && method === 'patch' && phase === 'before') throw new TerminalError('not you', { code: 403 });
    };
    await world.elapse(120, { play: false });
    const tries = world.passes.filter(({ key }) => key.kind === 'OrphanPod').length;
    expect(tries).toBeLessThan(12);
    world.interposer = undefined;
    await world.until(async () => (await finalizersOf('stray'))?.length === 0, { seconds: 120, play: false });
  });
});

describe('an orphan that a Job might have adopted', () => {
  test('one being deleted is let go, though the labels are right', async () => {
    await world.apply(aJob('demo', { completions: 1 }));
    await world.until(async () => (await world.pods()).length === 1, { play: false });
    const { uid = '' } = (await world.job('demo')).metadata;
    await aPod({ labels: { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': 'demo' } });
    await remove('stray');
    await world.until(async () => (await finalizersOf('stray')) === undefined, { seconds: 10, play: false });
    expect(await finalizersOf('stray')).toBeUndefined();
  });

  test('one of a finished Job is let go', async () => {
    await world.apply(aJob('demo'));
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
    const { uid = '' } = (await world.job('demo')).metadata;
    await aPod({ labels: { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': 'demo' } });
    await world.until(async () => (await finalizersOf('stray'))?.length === 0, { seconds: 10, play: false });
    expect((await world.job('demo')).status?.succeeded).toBe(1);
  });

  const mine = { mine: 'yes' };
  const aJobOfMine = (selector: LabelSelector) => {
    const job = aJob('demo', { manualSelector: true, selector, completions: 2, parallelism: 2 });
    return { ...job, spec: { ...job.spec, template: { ...job.spec.template, metadata: { labels: mine } } } };
  };
  const adopted = async (): Promise<boolean> =>
    (await world.pods()).some(({ metadata }) => metadata.name === 'stray' && metadata.ownerReferences?.[0]?.name === 'demo');

  const selectors: [name: string, selector: LabelSelector][] = [
    ['labels', { matchLabels: mine }],
    ['a list of values', { matchExpressions: [{ key: 'mine', operator: 'In', values: ['yes', 'no'] }] }],
    [
      'a label that is there and one that is not',
      {
        matchExpressions: [
          { key: 'mine', operator: 'Exists' },
          { key: 'other', operator: 'DoesNotExist' },
        ],
      },
    ],
    ['labels and values that are not', { matchLabels: mine, matchExpressions: [{ key: 'mine', operator: 'NotIn', values: ['no'] }] }],
    ['nothing, so all', {}],
  ];

  test.each(selectors)('section 7: one that was there before its Job is adopted at once by %s, and counts', async (_, selector) => {
    await aPod({ labels: mine, finalizers: [] });
    await world.apply(aJobOfMine(selector) as Job);
    await world.until(adopted, { seconds: 3, play: false });
    await world.until(async () => (await world.pods()).length === 2, { seconds: 3, play: false });
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 2 });
    expect(world.podsEver.size).toBe(2);
  });

  test('section 7: a selector may ask for the index label: each index gets one pod, and keeps it', async () => {
    const index = 'batch.kubernetes.io/job-completion-index';
    const job = aJobOfMine({ matchLabels: mine, matchExpressions: [{ key: index, operator: 'Exists' }] }) as Job;
    const template = { ...job.spec.template, metadata: { labels: { ...mine, [index]: '0' } } };
    await world.apply({ ...job, spec: { ...job.spec, completionMode: 'Indexed', template } } as Job);
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 2, completedIndexes: '0,1' });
    expect(world.podsEver.size).toBe(2);
  });

  test.each(selectors)('section 7: a running pod whose finalizer somebody took off is still found by %s', async (_, selector) => {
    const job = aJobOfMine(selector) as Job;
    await world.apply({ ...job, spec: { ...job.spec, completions: 1, parallelism: 1 } });
    await world.until(async () => (await world.pods()).length === 1, { play: false });
    const [pod] = await world.pods();
    await world.startPod(pod as Pod);
    await world.elapse(8, { play: false });
    const { name = '' } = pod?.metadata ?? {};
    await world.as('PATCH', PODS, { namespace: 'default', name, body: { metadata: { finalizers: null } }, type: MERGE });
    await world.elapse(3, { play: false });
    const demo = { namespace: 'default', name: 'demo' };
    // By another hand: now the pods are listed live.
    await world.as('PATCH', JOBS, { ...demo, subresource: 'status', body: { status: { active: 0, ready: 0 } }, type: MERGE });
    await world.elapse(8, { play: false });
    expect(await world.pods()).toHaveLength(1);
    expect((await world.job('demo')).status).toMatchObject({ active: 1, ready: 1 });
  });
});
