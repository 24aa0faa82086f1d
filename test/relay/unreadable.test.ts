// Objects that cannot be read whole are reported all the same: as there, with what their metadata tells, and with why the rest is missing.
import { afterEach, expect, test } from '@jest/globals';
import { isReadLive } from '../../lib/kinds/rows/owner-facts.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { endRelays, start } from './relay-bench.ts';
import { aJob, aPod } from './scripted-source.ts';
import { podListIn, podsIn } from '../wire/told-children.ts';

afterEach(endRelays);

const WHY = 'its status.conditions is longer than 2 MiB, or nested too deep';

/** As an adapter hands it over. */
const unreadablePod = (name: string, job: string): Pod => {
  const { metadata } = aPod(name, job);
  return { metadata, spec: {}, unreadable: WHY } as Pod;
};

test('R19: a pod that cannot be read is told of as there, in a watch and in a list, and as it is once it can be read', async () => {
  const { clock, source, reports, ready, log } = start({ before: (api) => api.put('jobs', aJob('a')) });
  await ready();
  await reports();
  source.put('pods', unreadablePod('a-1', 'a'));
  await clock.advance(1_000);
  const [told] = await reports();
  const facts = { uid: 'uid-a-1', name: 'a-1', tracked: true, controller: { name: 'a' }, phase: '', containers: [], unreadable: WHY };
  expect(told && podsIn(told)).toMatchObject([{ presence: 'there', child: facts }]);
  expect(log).toContainEqual({ level: 'warn', message: 'object cannot be read' });
  source.forget();
  await clock.advance(10_000);
  const listed = (await reports()).findLast(podListIn);
  expect(listed && podsIn(listed)).toMatchObject([{ presence: 'there', child: facts }]);
  source.put('pods', aPod('a-1', 'a'));
  await clock.advance(1_000);
  const again = (await reports()).flatMap(podsIn).at(-1)?.child;
  expect([again?.phase, again?.unreadable]).toEqual(['Running', undefined]);
  source.put('pods', unreadablePod('a-1', 'a'));
  source.remove('pods', 'uid-a-1');
  await clock.advance(1_000);
  expect((await reports()).slice(-1).flatMap(podsIn)).toMatchObject([{ presence: 'deleted', child: { uid: 'uid-a-1' } }]);
});

test('a pod whose owners cannot be read stays with the workload that it was of', async () => {
  const { clock, source, reports, ready } = start({
    before: (api) => {
      api.put('jobs', aJob('a'));
      api.put('pods', aPod('a-1', 'a'));
    },
  });
  await ready();
  await reports();
  const { name, namespace, uid } = aPod('a-1', 'a').metadata;
  const metadata = { name, namespace, uid, finalizers: [TRACKING_FINALIZER] };
  source.put('pods', { metadata, spec: {}, unreadable: 'its metadata.ownerReferences is longer than 2 MiB' } as Pod);
  await clock.advance(1_000);
  const told = await reports();
  expect(told.map(({ owner }) => owner.name)).toEqual(['a']);
  expect(told.flatMap(podsIn)).toMatchObject([{ presence: 'there', child: { name: 'a-1', phase: '' } }]);
});

test('a Job that cannot be read is told of as one that passes read live, and those of others are not told of', async () => {
  const { clock, source, reports, ready } = start({ manages: ['jobs'] });
  await ready();
  await reports();
  const ours = aJob('a', { managedBy: 'farloop.dev/job' });
  source.put('jobs', { ...ours, unreadable: WHY });
  source.put('jobs', { ...aJob('b'), unreadable: WHY });
  source.put('jobs', aJob('c', { managedBy: 'farloop.dev/job' }));
  await clock.advance(1_000);
  // What came behind them came at once.
  const told = await reports();
  expect(told.map(({ owner }) => owner.name)).toEqual(['a', 'c']);
  const object = told[0]?.observed?.object;
  expect(object).toMatchObject({ unreadable: WHY, metadata: { uid: 'uid-a' }, spec: { managedBy: 'farloop.dev/job' } });
  expect(object && isReadLive(object as ReturnType<typeof aJob>)).toBe(true);
  // Whose it is cannot be read any more: it stays ours.
  source.put('jobs', { metadata: ours.metadata, spec: {}, unreadable: 'its JSON cannot be read' });
  await clock.advance(1_000);
  expect((await reports()).map(({ owner }) => owner.name)).toEqual(['a']);
});
