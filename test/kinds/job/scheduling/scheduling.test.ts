// Workload and PodGroup of a Job (section 18): which is missing, what they say, and which pods name the group.
import { describe, expect, test } from '@jest/globals';
import type { PodGroup, SchedulingWorkload } from '../../../../lib/objects/job-scheduling.ts';
import type { Job, JobSpec, JobStatus, ObjectMeta } from '../../../../lib/objects/kubernetes.ts';
import { isNewJob, nextSchedulingStep, schedulingModeOf, type SchedulingObjects } from '../../../../lib/kinds/job/scheduling/scheduling.ts';
import { schedulingActions } from '../../../../lib/kinds/job/scheduling/scheduling-actions.ts';
import type { JobSnapshot } from '../../../../lib/kinds/job/scheduling/scheduling-plan.ts';
import { jobPlanner } from '../../../../lib/kinds/job/plan.ts';
import { aCondition, aJob, aSnapshot, at, JOB_UID, now } from '../builders.ts';
import { actionsOf } from '../outcome.ts';

const NOTHING: SchedulingObjects = { workloads: [], podGroups: [] };
const aNewJob = (spec: JobSpec = {}, metadata: ObjectMeta = {}): Job => ({
  ...aJob({ completions: 5, ...spec }, { metadata }),
  status: {},
});
const parent = { apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', name: 'set', uid: 'set-uid', controller: true };
const child = (annotations?: Record<string, string>): Job =>
  aNewJob({}, { ownerReferences: [parent], ...(annotations && { annotations }) });
const TEMPLATE = { 'scheduling.k8s.io/group-template-name': 'workers' };

/** What there is once all steps are taken. */
function everything(job: Job): { workload: SchedulingWorkload; podGroup: PodGroup } {
  const [workload, podGroup] = schedulingActions(job, NOTHING, 0).actions.flatMap((action) =>
    action.verb === 'create' ? [action.object] : [],
  );
  const stored = (object: object | undefined, uid: string) =>
    structuredClone({ ...object, metadata: { ...(object as Job).metadata, uid } });
  return { workload: stored(workload, 'w') as SchedulingWorkload, podGroup: stored(podGroup, 'g') as PodGroup };
}
const foundFor = (job: Job): SchedulingObjects => {
  const { workload, podGroup } = everything(job);
  return { workloads: [workload], podGroups: [podGroup] };
};
const ownedBy = <Item extends SchedulingWorkload | PodGroup>(item: Item, uid: string): Item => ({
  ...item,
  metadata: { ...item.metadata, ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'demo', uid, controller: true }] },
});

describe('mode', () => {
  const template = { spec: { containers: [], schedulingGroup: { podGroupName: 'own' } } };
  test.each<[string, Job, string]>([
    ['a Job of its own', aNewJob(), 'workload and pod group'],
    ['a group that the user gave', aNewJob({ template }), 'none'],
    ['a controller that says nothing', child(), 'none'],
    ['a controller that names a template', child(TEMPLATE), 'pod group only'],
  ])('%s: %s', (_, job, mode) => expect(schedulingModeOf(job)).toBe(mode));

  test.each<[string, JobStatus, number, boolean]>([
    ['new', {}, 0, true],
    ['with a pod', {}, 1, false],
    ['started', { startTime: at(0) }, 0, false],
    ['with a success', { succeeded: 1 }, 0, false],
    ['with a failure', { failed: 1 }, 0, false],
    ['suspended once', { conditions: [aCondition('Suspended', 'False')] }, 0, false],
  ])('%s: new or not', (_, status, pods, wanted) => expect(isNewJob({ ...aJob(), status }, pods)).toBe(wanted));
});

describe('steps', () => {
  const job = aNewJob({ scheduling: { schedulingPolicy: { gang: {} } } });
  const found = foundFor(job);
  const [workload] = found.workloads;
  const [podGroup] = found.podGroups;
  if (!workload || !podGroup) throw new Error('nothing was made');
  const started: Job = { ...job, status: { startTime: at(-5) } };
  const two = {
    ...workload,
    spec: { ...workload.spec, podGroupTemplates: [...workload.spec.podGroupTemplates, { name: 'x', schedulingPolicy: {} }] },
  };

  test.each<[string, Job, SchedulingObjects, number, object]>([
    ['nothing there', job, NOTHING, 0, { step: 'create', object: { kind: 'Workload' }, created: { reason: 'WorkloadCreated' } }],
    [
      'the Workload there',
      job,
      { ...found, podGroups: [] },
      0,
      { step: 'create', object: { kind: 'PodGroup' }, created: { reason: 'PodGroupCreated' } },
    ],
    ['both there', job, found, 0, { step: 'done', group: { uid: 'g' } }],
    ['both there, and the Job runs', started, found, 3, { step: 'done', group: { uid: 'g' } }],
    ['it has started without', started, NOTHING, 2, { step: 'done', group: undefined }],
    ['it has started with a Workload alone', started, { ...found, podGroups: [] }, 2, { step: 'done', group: undefined }],
    ['two Workloads', job, { ...found, workloads: [workload, workload] }, 0, { step: 'done', group: undefined }],
    ['two groups', job, { ...found, podGroups: [podGroup, podGroup] }, 0, { step: 'done', group: undefined }],
    [
      'a Workload of another Job of that name',
      job,
      { ...found, workloads: [ownedBy(workload, 'other')] },
      0,
      { step: 'done', group: undefined },
    ],
    ['a group of another Job', job, { ...found, podGroups: [ownedBy(podGroup, 'other')] }, 0, { step: 'done', group: undefined }],
    ['a Workload of two templates', job, { ...found, workloads: [two] }, 0, { step: 'fail' }],
    ['of a controller that has none yet', child(TEMPLATE), NOTHING, 0, { step: 'fail' }],
  ])('%s', (_, given, objects, pods, wanted) => expect(nextSchedulingStep(given, objects, pods)).toMatchObject(wanted));

  test('a changed size is told to the Workload first, then to the group', () => {
    const grown: Job = { ...started, spec: { ...job.spec, parallelism: 4, scheduling: { schedulingPolicy: { gang: { minCount: 3 } } } } };
    const { actions, group } = schedulingActions(grown, found, 2);
    expect(actions).toMatchObject([
      {
        verb: 'patch',
        kind: 'Workload',
        patch: { spec: { podGroupTemplates: [{ name: 'demo-pgt-0', schedulingPolicy: { gang: { minCount: 3 } } }] } },
      },
      { verb: 'patch', kind: 'PodGroup', patch: { spec: { schedulingPolicy: { gang: { minCount: 3 } } } } },
    ]);
    expect(group).toMatchObject({ uid: 'g' });
  });

  test('a Job whose controller has the Workload makes its group alone, of the template that is named', () => {
    const theirs: SchedulingWorkload = {
      metadata: { name: 'set-w', namespace: 'default', uid: 'w' },
      spec: {
        controllerRef: { apiGroup: 'jobset.x-k8s.io', kind: 'JobSet', name: 'set' },
        podGroupTemplates: [
          { name: 'drivers', schedulingPolicy: { basic: {} } },
          { name: 'workers', schedulingPolicy: { gang: { minCount: 2 } } },
        ],
      },
    };
    const one = child({ ...TEMPLATE, 'scheduling.k8s.io/parent-compositepodgroup': 'set-root' });
    const { actions } = schedulingActions(one, { workloads: [theirs], podGroups: [] }, 0);
    expect(actions).toMatchObject([
      {
        verb: 'create',
        object: {
          kind: 'PodGroup',
          metadata: { ownerReferences: [{ kind: 'Job', uid: JOB_UID, controller: true }] },
          spec: {
            workloadRef: { workloadName: 'set-w', templateName: 'workers' },
            parentCompositePodGroupName: 'set-root',
            schedulingPolicy: { gang: { minCount: 2 } },
          },
        },
      },
      { verb: 'event', reason: 'PodGroupCreated' },
    ]);
  });
});

describe('what is made', () => {
  test('a Workload with one template, basic where nothing is said', () => {
    const template = { spec: { containers: [], priorityClassName: 'high' } };
    const { workload } = everything(aNewJob({ template }));
    expect(workload).toMatchObject({
      apiVersion: 'scheduling.k8s.io/v1beta1',
      metadata: { namespace: 'default', ownerReferences: [{ kind: 'Job', name: 'demo', uid: JOB_UID, controller: true }] },
      spec: {
        controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'demo' },
        podGroupTemplates: [{ name: 'demo-pgt-0', schedulingPolicy: { basic: {} }, priorityClassName: 'high' }],
      },
    });
    expect(workload.metadata.name).toMatch(/^demo-[bcdfghjklmnpqrstvwxz2456789]{8,10}$/);
  });

  test.each([
    [{}, 4, 4],
    [{}, 0, 1],
    [{ minCount: 2 }, 4, 2],
  ])('a gang of %j with parallelism %d is of %d', (gang, parallelism, minCount) => {
    const { workload, podGroup } = everything(aNewJob({ parallelism, scheduling: { schedulingPolicy: { gang } } }));
    expect(workload.spec.podGroupTemplates[0]?.schedulingPolicy).toEqual({ gang: { minCount } });
    expect(podGroup.spec.schedulingPolicy).toEqual({ gang: { minCount } });
  });

  test('the group carries all else of the template, and names Job and Workload as its owners', () => {
    const rest = {
      schedulingConstraints: { topology: [{ key: 'zone' }] },
      disruptionMode: { all: {} },
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'g' }],
    };
    const { workload, podGroup } = everything(aNewJob({ scheduling: { schedulingPolicy: { basic: {} }, ...rest } }));
    expect(podGroup.spec).toMatchObject({ ...rest, workloadRef: { workloadName: workload.metadata.name, templateName: 'demo-pgt-0' } });
    expect(
      podGroup.metadata.ownerReferences?.map(({ kind, controller, blockOwnerDeletion }) => [kind, controller, blockOwnerDeletion]),
    ).toEqual([
      ['Job', true, true],
      ['Workload', undefined, undefined],
    ]);
    expect(podGroup.metadata.name).toMatch(new RegExp(`^${workload.metadata.name}-demo-pgt-0-[bcdfghjklmnpqrstvwxz2456789]{8,10}$`));
  });

  test('long names are cut evenly, and stay apart', () => {
    const [a, b] = ['a', 'b'].map((uid) => everything(aNewJob({}, { name: 'x'.repeat(253), uid })));
    for (const { workload, podGroup } of [a, b].flatMap((one) => one ?? [])) {
      expect(workload.metadata.name).toHaveLength(253);
      expect(podGroup.metadata.name).toHaveLength(253);
    }
    expect(a?.podGroup.metadata.name).not.toBe(b?.podGroup.metadata.name);
  });

  test('pods name the group, and have it as an owner that does not control them', () => {
    const grouped: JobSnapshot = { ...aSnapshot(aNewJob()), schedulingGroup: { name: 'group', uid: 'g' } };
    const plan = jobPlanner.plan(grouped, now);
    for (const { object } of actionsOf(plan, 'create'))
      expect(object).toMatchObject({
        metadata: {
          ownerReferences: [
            { kind: 'Job', controller: true },
            { apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'PodGroup', name: 'group', uid: 'g' },
          ],
        },
        spec: { schedulingGroup: { podGroupName: 'group' } },
      });
  });
});
