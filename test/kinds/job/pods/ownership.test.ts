// Worked cases of ownership, of pods without a living owner, and of conditions.
import { describe, expect, test } from '@jest/globals';
import type { LabelSelector } from '../../../../lib/objects/kubernetes.ts';
import { podFactsOf, type PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { withCondition } from '../../../../lib/kinds/job/terms/conditions.ts';
import { orphanPodPlanner } from '../../../../lib/kinds/orphan-pod/orphan-pod.ts';
import { jobPlanner } from '../../../../lib/kinds/job/plan.ts';
import { aCondition, aJob, anIndexedJob, aPod, at, JOB_UID } from '../builders.ts';
import { actionsOf, outcomeOf, planOf } from '../outcome.ts';

const orphan = (facts: Parameters<typeof aPod>[0] = {}) => {
  const { controller: _, ...pod } = aPod({ tracked: false, ...facts });
  return pod;
};

const GONE = { key: { kind: 'Job', namespace: 'default', name: 'a', uid: 'a' }, nowMs: 0 };

describe('ownership', () => {
  test('case 142: adopt, and use in this pass', () => {
    const pod = orphan();
    const plan = planOf({ job: aJob({ parallelism: 1, completions: 1 }), pods: [pod] });
    expect(actionsOf(plan, 'patch')).toMatchObject([
      {
        purpose: 'adopt',
        uid: pod.uid,
        type: 'strategic',
        patch: {
          metadata: {
            uid: pod.uid,
            finalizers: ['batch.kubernetes.io/job-tracking'],
            ownerReferences: [
              { apiVersion: 'batch/v1', kind: 'Job', name: 'demo', uid: JOB_UID, controller: true, blockOwnerDeletion: true },
            ],
          },
        },
      },
    ]);
    expect(outcomeOf(plan)).toMatchObject({ creates: 0, status: '1/0/0/0/0' });
  });

  test('a pod that had ended is adopted, counted and stripped', () => {
    const plan = planOf({ job: aJob({ parallelism: 1, completions: 1 }), pods: [orphan({ phase: 'Succeeded' })] });
    expect(actionsOf(plan, 'patch').map(({ purpose }) => purpose)).toEqual(['adopt', 'strip']);
    expect(plan.status.succeeded).toBe(1);
  });

  test('case 143: a Job that is being deleted adopts nothing', () => {
    const plan = planOf({ job: aJob({}, { metadata: { deletionTimestamp: at(-1) } }), pods: [orphan(), aPod()] });
    expect(actionsOf(plan, 'patch').map(({ purpose }) => purpose)).toEqual(['strip']);
    expect(plan.status.active).toBe(1);
  });

  test.each([
    ['being deleted', { deletedAt: 1 }],
    ['of another namespace', { namespace: 'other' }],
    ['with other labels', { labels: { app: 'x' } }],
  ])('an orphan %s is left alone', (_, facts) => {
    const plan = planOf({ job: aJob({ parallelism: 1 }), pods: [orphan(facts)] });
    expect(outcomeOf(plan)).toMatchObject({ creates: 1, status: '1/0/0/0/0', strips: 0 });
  });

  test('case 144: release', () => {
    const pod = aPod({ labels: { moved: 'yes' } });
    const plan = planOf({ job: aJob({ parallelism: 1, completions: 1 }), pods: [pod] });
    expect(actionsOf(plan, 'patch')).toMatchObject([
      {
        purpose: 'release',
        patch: {
          metadata: {
            uid: pod.uid,
            ownerReferences: [{ $patch: 'delete', uid: JOB_UID }],
            '$deleteFromPrimitiveList/finalizers': ['batch.kubernetes.io/job-tracking'],
          },
        },
      },
    ]);
    expect(outcomeOf(plan)).toMatchObject({ creates: 1, status: '1/0/0/0/0' });
  });

  describe('section 7: the index label counts as any other, though facts keep the index once', () => {
    const INDEX = 'batch.kubernetes.io/job-completion-index';
    const labels = { app: 'x' };
    // As pods of a view do, they share the labels that they have in common.
    const own = ['0', '1'].map((index) => aPod({ labels, index }));
    const orphans = ['0', '1'].map((index) => orphan({ labels, index }));

    test('facts of a pod with both leave the label out', () => {
      const metadata = { labels: { ...labels, [INDEX]: '1' }, annotations: { [INDEX]: '1' } };
      expect(podFactsOf({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [] } })).toMatchObject({ labels, index: '1' });
    });

    test.each<{ name: string; selector: LabelSelector; kept: string[] }>([
      { name: 'it exists', selector: { matchLabels: labels, matchExpressions: [{ key: INDEX, operator: 'Exists' }] }, kept: ['0', '1'] },
      {
        name: 'it does not exist',
        selector: { matchLabels: labels, matchExpressions: [{ key: INDEX, operator: 'DoesNotExist' }] },
        kept: [],
      },
      { name: 'it is one of a list', selector: { matchExpressions: [{ key: INDEX, operator: 'In', values: ['1', '2'] }] }, kept: ['1'] },
      { name: 'it is none of a list', selector: { matchExpressions: [{ key: INDEX, operator: 'NotIn', values: ['1'] }] }, kept: ['0'] },
      { name: 'it is this one', selector: { matchLabels: { [INDEX]: '0' } }, kept: ['0'] },
    ])('a selector by which $name', ({ selector, kept }) => {
      const job = anIndexedJob({ parallelism: 2, completions: 2, manualSelector: true, selector });
      const purposesOf = (pods: readonly PodFacts[]): Record<string, string> => {
        const patches = actionsOf(planOf({ job, pods }), 'patch');
        return Object.fromEntries(patches.map(({ uid, purpose }) => [pods.find((pod) => pod.uid === uid)?.index, purpose]));
      };
      const others = ['0', '1'].filter((index) => !kept.includes(index));
      expect(purposesOf(own)).toEqual(Object.fromEntries(others.map((index) => [index, 'release'])));
      expect(purposesOf(orphans)).toEqual(Object.fromEntries(kept.map((index) => [index, 'adopt'])));
    });
  });

  test('case 145: another owner', () => {
    const pod = aPod({ controller: { apiVersion: 'batch/v1', kind: 'Job', name: 'demo', uid: 'other' } });
    expect(outcomeOf(planOf({ job: aJob({ parallelism: 1 }), pods: [pod] }))).toMatchObject({ creates: 1, strips: 0, status: '1/0/0/0/0' });
  });

  test('a selector that cannot be read parks the Job', () => {
    const job = aJob({ selector: { matchExpressions: [{ key: 'a', operator: 'Like', values: ['b'] }] } });
    expect(planOf({ job })).toMatchObject({
      actions: [],
      outcome: 'parked',
      why: [expect.stringContaining("couldn't convert Job selector")],
    });
  });

  test('cases 156, 158: finalizers of pods without a living owner come off', () => {
    const [tracked, free] = [orphan({ tracked: true }), orphan()];
    expect(jobPlanner.afterOwner({ pods: [tracked, free], children: new Map(), ...GONE }).actions).toMatchObject([
      { verb: 'patch', purpose: 'letGo', uid: tracked.uid },
    ]);
    const owned = aPod({});
    expect(jobPlanner.afterOwner({ pods: [owned], children: new Map(), ...GONE }).actions).toMatchObject([
      { verb: 'patch', purpose: 'strip', uid: owned.uid },
    ]);
  });

  test('cases 156, 160, 161: a pod that names no Job is let go; what another kind controls is left to it', () => {
    const pods = [
      orphan({ tracked: true }),
      aPod({ controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'r' } }),
      orphan({ tracked: false }),
    ];
    expect(orphanPodPlanner.afterOwner({ pods, children: new Map(), ...GONE }).actions).toMatchObject([
      { verb: 'patch', purpose: 'letGo', uid: pods[0]?.uid },
    ]);
  });

  test('cases 157, 159: while the Job runs its pods keep theirs; one managed by somebody else is left alone', () => {
    expect(outcomeOf(planOf({ job: aJob({ parallelism: 1, completions: 1 }), pods: '1R' })).strips).toBe(0);
    expect(planOf({ job: aJob({ managedBy: 'example.com/x' }), pods: '1S' })).toMatchObject({ actions: [], outcome: 'notOurs' });
  });

  test.each([
    ['being deleted', { deletedAt: 1 }],
    ['with other labels', { labels: { app: 'x' } }],
  ])('section 19: an orphan with the finalizer, %s, is let go by the Job that hears of it', (_, facts) => {
    const pod = orphan({ tracked: true, ...facts });
    const plan = planOf({ job: aJob({ parallelism: 1 }), pods: [pod] });
    expect(actionsOf(plan, 'patch')).toMatchObject([
      { purpose: 'letGo', patch: { metadata: { uid: pod.uid, resourceVersion: pod.resourceVersion } } },
    ]);
  });

  test('section 19: a finished Job lets orphans go with its own', () => {
    const job = aJob({}, { status: { conditions: [aCondition('Complete', 'True')] } });
    const plan = planOf({ job, pods: [orphan({ tracked: true }), aPod({ phase: 'Succeeded' })] });
    expect(actionsOf(plan, 'patch').map(({ purpose }) => purpose)).toEqual(['letGo', 'strip']);
  });
});

describe('conditions', () => {
  const wanted = { type: 'Failed', status: 'True', reason: 'R', message: 'm' } as const;

  test('case 162: an entry of the type is replaced', () => {
    expect(withCondition([aCondition('Failed', 'False')], wanted, at(0))).toEqual([
      { ...wanted, lastProbeTime: at(0), lastTransitionTime: at(0) },
    ]);
  });
  test('case 163: a False one is never added', () => expect(withCondition([], { ...wanted, status: 'False' }, at(0))).toEqual([]));
  test('case 164: an equal one keeps its times', () => {
    const list = [aCondition('Failed', 'True', 'R', 'm')];
    expect(withCondition(list, wanted, at(0))).toBe(list);
  });
});
