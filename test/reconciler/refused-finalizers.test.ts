// A pod whose finalizer may not come off is not deleted where it must come off first: that concerns this pod alone, and all else goes on.
import { afterEach, expect, test } from '@jest/globals';
import type { JobSpec, JobStatus, Pod } from '../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS, PODS } from '../../lib/objects/resources.ts';
import { TerminalError } from '../../lib/ports/errors.ts';
import { runningPods } from '../world/right.ts';
import { aJob, conditionsOf, World, type WorldOptions } from '../world/world.ts';

const FINALIZER = 'batch.kubernetes.io/job-tracking';
let world: World;
afterEach(() => world.close());

async function running(pods: number, spec: Partial<JobSpec>, options: WorldOptions = {}): Promise<Pod[]> {
  world = new World(options);
  return await runningPods(world, pods, spec);
}

/** As a policy does that keeps them as they are. */
function refuse(methods: string[], pods: readonly Pod[], code = 403): void {
  const names = new Set(pods.map(({ metadata }) => metadata.name));
  world.interposer = ({ port, method, args, phase }) => {
    if (port !== 'cluster' || !methods.includes(method) || args[0] !== PODS || phase !== 'before') return;
    if (names.has((args[1] as { name: string }).name))
      throw new TerminalError('denied by policy', { code, reason: 'Forbidden', causes: [] });
  };
}

const change = async (spec: Partial<JobSpec>): Promise<unknown> =>
  await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: { spec }, type: 'application/merge-patch+json' });
const statusOf = async (): Promise<JobStatus> => (await world.job('demo')).status ?? {};
const nameOf = ({ metadata }: Pod): string => metadata.name ?? '';

async function namesOf(isSo: (pod: Pod) => boolean): Promise<string[]> {
  return (await world.pods()).filter(isSo).map(nameOf);
}
const isKept = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(FINALIZER) ?? false;
const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

async function eventsOf(reason: string): Promise<number> {
  const { items } = await world.as<{ items: { reason: string }[] }>('GET', EVENTS, { namespace: 'default' });
  return items.filter((event) => event.reason === reason).length;
}

test.each([403, 422])(
  'sections 8.21, 12.3: surplus pods that may not lose the finalizer, as %i says, stay; what ends is counted',
  async (code) => {
    const [first, second, ...surplus] = await running(4, { completions: 10 });
    if (!first || !second) throw new Error('no pods run');
    refuse(['patch'], surplus, code);
    const before = world.passes.length;
    await change({ parallelism: 1 });
    await world.end(first, 0);
    await world.end(second, 0);
    await world.elapse(20, { play: false });
    expect(await statusOf()).toMatchObject({ active: 2, terminating: 0, ready: 2, succeeded: 2 });
    expect(await namesOf(isKept)).toEqual(surplus.map(nameOf));

    await world.elapse(580, { play: false });
    expect((await statusOf()).active).toBe(2);
    expect(await namesOf(isGoing)).toEqual([]);
    // After 1, 2, 4, … 60 s, and with what has happened at first.
    expect(world.passes.length - before).toBeLessThan(30);
    expect(await eventsOf('FailedDelete')).toBe(0);

    world.interposer = undefined;
    await world.elapse(70, { play: false });
    expect(await statusOf()).toMatchObject({ active: 1, terminating: 1 });
    expect(await namesOf(isGoing)).toHaveLength(1);
  },
);

test('sections 8.21, 12.3: of a suspended Job one pod that may not lose the finalizer stays; the others go, and it is told', async () => {
  const pods = await running(3, {});
  refuse(['patch'], pods.slice(0, 1));
  await change({ suspend: true });
  await world.elapse(30, { play: false });
  expect(await statusOf()).toMatchObject({ active: 1, terminating: 2 });
  expect(conditionsOf(await world.job('demo'))).toEqual(['Suspended']);
  expect(await eventsOf('Suspended')).toBe(1);

  world.interposer = undefined;
  await world.elapse(70, { play: false });
  expect(await namesOf(isGoing)).toEqual(pods.map(nameOf));
  const { active, failed } = await statusOf();
  expect({ active, failed }).toEqual({});
});

const LEADER_SUFFICES: Partial<JobSpec> = { completionMode: 'Indexed', successPolicy: { rules: [{ succeededIndexes: '0' }] } };

/** The pod of index 0, and all others. */
async function leaderAndWorkers(pods: number, options: WorldOptions = {}): Promise<[Pod, Pod[]]> {
  const all = await running(pods, LEADER_SUFFICES, options);
  const { 0: leader, 1: workers = [] } = Object.groupBy(all, ({ metadata }) =>
    metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === '0' ? 0 : 1,
  );
  if (!leader?.[0]) throw new Error('no leader runs');
  return [leader[0], workers];
}

test('section 8.17: a success ends the pods that it needs no more, also one that may not lose the finalizer', async () => {
  const [leader, workers] = await leaderAndWorkers(3);
  refuse(['patch'], workers.slice(1));
  await world.end(leader, 0);
  await world.elapse(5, { play: false });
  expect(await namesOf(isGoing)).toEqual(workers.map(nameOf));
  expect(await namesOf(isKept)).toEqual(workers.slice(1).map(nameOf));
  expect(await statusOf()).toMatchObject({ succeeded: 1, completedIndexes: '0', terminating: 2 });

  await world.elapse(60);
  expect(conditionsOf(await world.job('demo'))).toEqual(['SuccessCriteriaMet', 'Complete']);
});

test('section 8.17: more pods than are deleted at once go, though none of them may lose the finalizer', async () => {
  const [leader, workers] = await leaderAndWorkers(40, { writesPerSecond: 20 });
  await world.elapse(20, { play: false });
  refuse(['patch'], workers);
  await world.end(leader, 0);
  await world.elapse(20, { play: false });
  expect(await namesOf(isGoing)).toHaveLength(39);
});

test('section 8.17: of a success whose pod may neither lose the finalizer nor be deleted the others are done with', async () => {
  const [leader, workers] = await leaderAndWorkers(3);
  refuse(['patch', 'delete'], workers.slice(1));
  await world.end(leader, 0);
  await world.elapse(60, { play: false });
  expect(await namesOf(isGoing)).toEqual(workers.slice(0, 1).map(nameOf));
  expect(await namesOf(isKept)).toEqual(workers.slice(1).map(nameOf));
  expect(await statusOf()).toMatchObject({ succeeded: 1, active: 1, terminating: 1 });

  world.interposer = undefined;
  await world.elapse(120);
  expect(conditionsOf(await world.job('demo'))).toEqual(['SuccessCriteriaMet', 'Complete']);
});

test('R14: a finalizer that may not come off holds up no creates that the write budget had cut short', async () => {
  world = new World({ writesPerSecond: 20 });
  await world.watch();
  await world.apply(aJob('demo', { parallelism: 60, completions: 100 }));
  await world.until(async () => (await world.pods()).length >= 10, { play: false });
  const [ended] = (await world.pods()) as [Pod];
  refuse(['patch'], [ended]);
  await world.end(ended, 0);
  await world.elapse(60, { play: false });
  const { active, uncountedTerminatedPods } = (await world.job('demo')).status ?? {};
  expect({ active, uncountedTerminatedPods }).toEqual({ active: 60, uncountedTerminatedPods: { succeeded: [ended.metadata.uid] } });
});
