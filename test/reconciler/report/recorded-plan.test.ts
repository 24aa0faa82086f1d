// The flight recorder's snapshots: what a pass decided is decided again from them, and nothing secret is in them.
import { describe, expect, test } from '@jest/globals';
import type { Planned } from '../../../lib/reconciler/pass/pass.ts';
import { CHILDREN_IN_SNAPSHOT, replay, snapshotKindOf, snapshotOf } from '../../../lib/reconciler/report/recorded-plan.ts';
import { EMPTY_HEAD } from '../../../lib/kinds/rows/plan.ts';
import { jobPlanner } from '../../../lib/kinds/job/plan.ts';
import { jobRow } from '../../../lib/kinds/job/row.ts';
import { packSnapshot, unpackSnapshot } from '../../../lib/wire/snapshot.ts';
import { isJobFinished } from '../../../lib/kinds/job/terms/owner-facts.ts';
import { aJob, World } from '../../world/world.ts';
import { jobFacts } from '../../../lib/kinds/job/facts.ts';

const RECORDED_JOB = { ...jobFacts, ...jobRow };

const PLANTED = 'planted-secret-7f3a';

async function aRecordedLife(): Promise<World> {
  const world = new World();
  world.keepsSnapshots = true;
  await world.watch();
  const job = aJob('demo', { completions: 7, parallelism: 3, completionMode: 'Indexed' });
  const [container] = job.spec.template?.spec?.containers ?? [];
  if (container) Object.assign(container, { env: [{ name: 'PASSWORD', value: PLANTED }], args: [PLANTED] });
  job.metadata.annotations = { 'kubectl.kubernetes.io/last-applied-configuration': PLANTED };
  await world.apply(job);
  await world.until(async () => isJobFinished(await world.job('demo')));
  return world;
}

describe('snapshots of passes', () => {
  test('every pass of a Job from its first pod to its end is decided again as it was', async () => {
    const world = await aRecordedLife();
    const kept = world.snapshots.flatMap((snapshot) => snapshot ?? []);
    expect(kept.length).toBeGreaterThanOrEqual(4);
    const replayed = kept.map((snapshot) => replay('Job', snapshot));
    expect(replayed.flatMap(({ differences }) => differences)).toEqual([]);
    expect(replayed.flatMap(({ recorded }) => recorded.actions).filter(({ verb }) => verb === 'create')).toHaveLength(7);
    world.close();
  });

  test('what is decided otherwise is told line by line', async () => {
    const world = await aRecordedLife();
    const [first] = world.snapshots.flatMap((snapshot) => snapshot ?? []);
    if (!first) throw new Error('nothing was recorded');
    const recorded = unpackSnapshot(first, snapshotKindOf('Job'));
    const changed = { ...recorded, owner: { ...recorded.owner, spec: { ...recorded.owner.spec, parallelism: 1 } } };
    const { differences } = replay('Job', packSnapshot(changed, jobRow.recordedTexts));
    expect(differences.filter((line) => line.startsWith('- create demo-'))).toHaveLength(3);
    expect(differences.filter((line) => line.startsWith('+ create demo-'))).toHaveLength(1);
    world.close();
  });

  test('R14: no template, environment value or foreign annotation is in one', async () => {
    const world = await aRecordedLife();
    for (const snapshot of world.snapshots.flatMap((one) => one ?? []))
      expect(JSON.stringify(unpackSnapshot(snapshot, snapshotKindOf('Job')))).not.toContain(PLANTED);
    expect(JSON.stringify(world.passes)).not.toContain(PLANTED);
    world.close();
  });

  test('a workload of more pods than that has none', () => {
    const owner = aJob('large', { completions: 2_000, parallelism: 2_000 });
    const pod = (at: number): object => ({
      uid: `u${at}`,
      name: `p${at}`,
      namespace: 'n',
      resourceVersion: '1',
      labels: {},
      conditions: [],
      containers: [],
    });
    const pods = Array.from({ length: CHILDREN_IN_SNAPSHOT + 1 }, (_, at) => pod(at)) as never[];
    const given = { owner, pods: [], head: EMPTY_HEAD, manages: ['all-jobs'] };
    const plan = jobPlanner.plan(given, new Date(0));
    expect(snapshotOf({ given: { ...given, pods }, nowMs: 0, plan }, RECORDED_JOB)).toBeUndefined();
    expect(snapshotOf({ given, nowMs: 0, plan }, RECORDED_JOB)).toBeInstanceOf(Uint8Array);
  });

  test('a plan that rests on objects read live has none, for it would be replayed without them', () => {
    const owner = aJob('grouped', { completions: 1, parallelism: 1 });
    const given = { owner, pods: [], head: EMPTY_HEAD, manages: ['all-jobs'] };
    const plan = jobPlanner.plan(given, new Date(0));
    const read = new Map([['podgroups.scheduling.k8s.io', { objects: [] }]]);
    const planned = (more: object): Planned => ({ given: { ...given, read }, nowMs: 0, plan: { ...plan, ...more } });
    const rests = [{ outcome: 'acted' }, { actions: [] }, { why: ['what was read says so'] }, { requeueAfterSeconds: 7 }];
    for (const more of rests) expect(snapshotOf(planned(more), RECORDED_JOB)).toBeUndefined();
    expect(snapshotOf(planned({}), RECORDED_JOB)).toBeInstanceOf(Uint8Array);
  });
});
