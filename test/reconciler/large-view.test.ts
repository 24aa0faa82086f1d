// Jobs of every size in the store: the view in items of the width that the size asks for, the head small, a storm writes neighbours
// only, and what is planned from it has its indexes as intervals.
import { describe, expect, test } from '@jest/globals';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import type { Job } from '../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import { jobPlanner } from '../../lib/kinds/job/plan.ts';
import { EMPTY_HEAD } from '../../lib/kinds/rows/plan.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import { readView, writeView } from '../../lib/reconciler/view/view-access.ts';
import { ViewMemory } from '../../lib/reconciler/view/view-memory.ts';
import type { PodObservation } from '../../lib/wire/words/observations.ts';
import { anIndexedJob, aPod, now } from '../kinds/job/builders.ts';
import { actionsOf, writtenBy } from '../kinds/job/outcome.ts';
import { namesIn } from '../contracts/store/workloads.ts';

const KEY: WorkloadKey = { cluster: 'west', kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-1' };
const RECORD = {
  name: 'west',
  era: 0,
  manages: ['all-jobs'],
  namespaces: [],
  senders: [],
  budget: { writesPerSecond: 1, burst: 1 },
  version: 1,
};
/** What a message brings at once. */
const EVENTS_AT_ONCE = 500;

const podOf = (index: number, phase: string): PodFacts =>
  aPod({ uid: `pod-${index}`, name: `demo-${index}`, index: String(index), number: 0, phase, resourceVersion: '1' });
const observed = (index: number, version: number, phase: string): PodObservation => ({
  heardAt: String(version),
  presence: 'there',
  child: podOf(index, phase),
});

describe.each([
  { indexes: 500, width: 40 },
  { indexes: 5_000, width: 104 },
  { indexes: 100_000, width: 400 },
])('a Job of $indexes indexes', ({ indexes, width }) => {
  const job: Job = anIndexedJob({ completions: indexes, parallelism: indexes });

  test(`lies in items of ${width} slots, and is planned from as intervals`, async () => {
    const clock = new VirtualClock();
    const store = EmbeddedStore.open({ clock });
    const created = await createHead({ store, clock }, KEY, RECORD);
    const owner = { heardAt: '1', deleted: false, object: job };
    await writeView(store, created, { owner, resource: 'pods', children: [], byPass: false }, { era: 0 });
    const headNow = async () => (await store.readHead(KEY)) ?? created;
    const whole = { floor: '2', slots: 'all' as const };
    // All run; then the first of them end, as many as a message tells of.
    const running = Array.from({ length: indexes }, (_, index) => observed(index, 2, 'Running'));
    await writeView(store, await headNow(), { resource: 'pods', children: running, whole, byPass: false }, { era: 0 });
    expect(namesIn(await headNow())).toEqual([`pods/${width}/0-${Math.ceil(indexes / width) - 1}`]);
    expect((await store.read(KEY)).items).toHaveLength(Math.ceil(indexes / width));

    const versionsOf = async (): Promise<Map<string, number>> =>
      new Map((await store.read(KEY)).items.map(({ name, version }) => [name, version]));
    const before = await versionsOf();
    const storm = Array.from({ length: Math.min(EVENTS_AT_ONCE, indexes / 2) }, (_, at) => observed(at, 3, 'Succeeded'));
    await writeView(store, await headNow(), { resource: 'pods', children: storm, byPass: false }, { era: 0 });
    const written = [...(await versionsOf())].filter(([name, version]) => before.get(name) !== version);
    expect(written).toHaveLength(Math.ceil(storm.length / width));

    const memory = new ViewMemory();
    const { part, hasMissingItem, pods } = await readView(store, await headNow(), 0, memory);
    expect(hasMissingItem).toBe(false);
    expect(part.children.size).toBe(indexes);
    const plan = jobPlanner.plan({ owner: job, pods: pods ?? [], head: EMPTY_HEAD, manages: ['all-jobs'] }, now);
    expect(plan.status).toMatchObject({
      succeeded: storm.length,
      completedIndexes: `0-${storm.length - 1}`,
      active: indexes - storm.length,
    });
    expect(actionsOf(plan, 'patch')).toHaveLength(storm.length);

    // Every other one ends: single numbers only where there are holes.
    const failed = Array.from({ length: 5 }, (_, at) => observed(storm.length + at * 2, 4, 'Succeeded'));
    await writeView(store, await headNow(), { resource: 'pods', children: failed, byPass: false }, { era: 0 });
    const later = await readView(store, await headNow(), 0, memory);
    const next = jobPlanner.plan(
      { owner: { ...job, status: plan.status }, pods: later.pods ?? [], head: EMPTY_HEAD, manages: ['all-jobs'] },
      now,
    );
    const last = storm.length;
    expect(writtenBy(next).at(-1)?.completedIndexes).toBe(`0-${last},${[2, 4, 6, 8].map((at) => last + at).join(',')}`);
    store.close();
  }, 120_000);
});
