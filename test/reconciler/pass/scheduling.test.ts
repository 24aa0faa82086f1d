// Workload and PodGroup through the whole loop, on a sandbox that serves them; and without the switch, none of it.
import { afterEach, describe, expect, test } from '@jest/globals';
import { POD_GROUPS, SCHEDULING_WORKLOADS, type PodGroup, type SchedulingWorkload } from '../../../lib/objects/job-scheduling.ts';
import type { JobSpec } from '../../../lib/objects/kubernetes.ts';
import { EVENTS, JOBS } from '../../../lib/objects/resources.ts';
import { replay } from '../../../lib/reconciler/report/recorded-plan.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { switchOn } from '../../../lib/sandbox/objects/features.ts';
import type { World as SomeWorld } from '../../world/world.ts';

// Before the tables of resources are read.
switchOn('WorkloadWithJob');
const { aJob, conditionsOf, World } = await import('../../world/world.ts');

let world: SomeWorld;
afterEach(() => world.close());

const MERGE = 'application/merge-patch+json';
const gang = (minCount?: number): JobSpec => ({ scheduling: { schedulingPolicy: { gang: minCount === undefined ? {} : { minCount } } } });

async function begin({ on = true }: { on?: boolean } = {}): Promise<void> {
  world = new World();
  if (on) world.record = { ...world.record, options: { 'workload-with-job': 'on' } };
  await world.watch();
}
const listed = async <Item>(resource: typeof POD_GROUPS): Promise<Item[]> =>
  (await world.as<{ items: Item[] }>('GET', resource, { namespace: 'default' })).items;
const workloads = async (): Promise<SchedulingWorkload[]> => await listed(SCHEDULING_WORKLOADS);
const podGroups = async (): Promise<PodGroup[]> => await listed(POD_GROUPS);
const groupsOfPods = async (): Promise<unknown[]> => (await world.pods()).map(({ spec }) => spec['schedulingGroup']);
const reasons = async (): Promise<string[]> =>
  (await world.as<{ items: { reason: string }[] }>('GET', EVENTS, { namespace: 'default' })).items.map(({ reason }) => reason);
const change = async (spec: JobSpec): Promise<unknown> =>
  await world.as('PATCH', JOBS, { namespace: 'default', name: 'demo', body: { spec }, type: MERGE });

describe('Workload and PodGroup of a Job', () => {
  test('are made before its pods, which name the group; the Job ends as ever', async () => {
    await begin();
    world.keepsSnapshots = true;
    await world.apply(aJob('demo', { parallelism: 2, completions: 3, ...gang() }));
    await world.until(async () => (await world.pods()).length === 2, { play: false, seconds: 5 });
    const [workload] = await workloads();
    const [podGroup] = await podGroups();
    expect(podGroup).toMatchObject({
      metadata: {
        ownerReferences: [
          { kind: 'Job', controller: true },
          { kind: 'Workload', uid: workload?.metadata.uid },
        ],
      },
      spec: { schedulingPolicy: { gang: { minCount: 2 } }, workloadRef: { workloadName: workload?.metadata.name } },
    });
    expect(await groupsOfPods()).toEqual(Array.from({ length: 2 }, () => ({ podGroupName: podGroup?.metadata.name })));
    expect(await reasons()).toEqual(expect.arrayContaining(['WorkloadCreated', 'PodGroupCreated', 'SuccessfulCreate']));
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
    expect(await workloads()).toHaveLength(1);
    expect(await podGroups()).toHaveLength(1);
    expect((await world.job('demo')).status).toMatchObject({ succeeded: 3 });
    const recorded = world.snapshots.flatMap((snapshot) => snapshot ?? []);
    expect(recorded.length).toBeGreaterThan(1);
    expect(recorded.flatMap((snapshot) => replay('Job', snapshot).differences)).toEqual([]);
  });

  test('of a Job that begins suspended, too', async () => {
    await begin();
    await world.apply(aJob('demo', { suspend: true, ...gang() }));
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Suspended'), { play: false });
    expect(await podGroups()).toHaveLength(1);
    await change({ suspend: false });
    await world.until(async () => (await world.pods()).length === 1, { play: false });
    expect(await groupsOfPods()).not.toContain(undefined);
  });

  test('a changed size reaches both', async () => {
    await begin();
    await world.apply(aJob('demo', { parallelism: 3, completions: 3, completionMode: 'Indexed', ...gang(2) }));
    await world.until(async () => (await world.pods()).length === 3, { play: false });
    await change(gang(3));
    await world.until(async () => (await podGroups())[0]?.spec.schedulingPolicy.gang?.minCount === 3, { play: false, seconds: 5 });
    expect((await workloads())[0]?.spec.podGroupTemplates[0]?.schedulingPolicy).toEqual({ gang: { minCount: 3 } });
  });

  test('R5: a pass that dies between the two, or whose answer is lost, makes neither twice', async () => {
    await begin();
    let lost = 0;
    world.cluster.interference.after = ({ verb, plural }) => {
      if (verb === 'create' && plural !== 'pods' && plural !== 'events' && ++lost <= 2) throw new Error('the process dies here');
    };
    await world.apply(aJob('demo', { parallelism: 1, completions: 1, ...gang() }));
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'), { seconds: 300 });
    expect(lost).toBeGreaterThanOrEqual(2);
    expect(await workloads()).toHaveLength(1);
    expect(await podGroups()).toHaveLength(1);
  });

  test('a refusal is told, nothing starts, and it goes on once it is granted', async () => {
    await begin();
    world.cluster.interference.before = ({ verb, plural }) => {
      if (verb === 'create' && plural === 'workloads') throw new TerminalError('exceeded quota', { code: 422, causes: [] });
    };
    await world.apply(aJob('demo', { ...gang() }));
    await world.elapse(5, { play: false });
    expect(await world.pods()).toEqual([]);
    expect((await world.job('demo')).status?.startTime).toBeUndefined();
    expect(world.passes.at(-1)).toMatchObject({ outcome: 'parked' });
    expect(await reasons()).toContain('FailedWorkloadCreate');
    world.cluster.interference.before = () => {};
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'), { seconds: 300 });
    expect(await podGroups()).toHaveLength(1);
  });

  test('what cannot be made a group is told and parked: nothing starts', async () => {
    await begin();
    const parent = { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', name: 'set', uid: 'set-uid', controller: true };
    const annotations = { 'scheduling.k8s.io/group-template-name': 'workers' };
    const job = aJob('demo');
    await world.apply({ ...job, metadata: { ...job.metadata, annotations, ownerReferences: [parent] } });
    await world.elapse(5, { play: false });
    expect(await world.pods()).toEqual([]);
    expect(world.passes.at(-1)).toMatchObject({ outcome: 'parked' });
    expect(await reasons()).toEqual(['FailedWorkloadCompilation']);
  });

  test('a Job that had started without runs on with plain pods', async () => {
    await begin({ on: false });
    await world.apply(aJob('demo', { parallelism: 1, completions: 3, ...gang() }));
    await world.until(async () => (await world.pods()).length === 1, { play: false });
    world.record = { ...world.record, options: { 'workload-with-job': 'on' } };
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
    expect(await workloads()).toEqual([]);
    expect([...world.podsEver.values()].filter(({ spec }) => spec['schedulingGroup'] !== undefined)).toEqual([]);
  });

  test('off: nothing of it is made or asked for', async () => {
    await begin({ on: false });
    await world.apply(aJob('demo', gang()));
    await world.until(async () => conditionsOf(await world.job('demo')).includes('Complete'));
    expect(await workloads()).toEqual([]);
    expect(world.cluster.calls.filter(({ plural }) => plural === 'workloads' || plural === 'podgroups')).toEqual([]);
  });

  test('the API server refuses what it should', async () => {
    await begin();
    await expect(world.apply(aJob('demo', { parallelism: 2, ...gang(3) }))).rejects.toThrow(/422.*minCount/);
    await world.apply(aJob('demo', { parallelism: 2, suspend: true, ...gang(1) }));
    await expect(change({ scheduling: { schedulingPolicy: { basic: {} } } })).rejects.toThrow(/422/);
    await change(gang(2));
  });
});
