// The relay never drops a pod that carries our finalizer, unless somebody else sees to it.
import { describe, expect, test } from '@jest/globals';
import type { Job, ObjectMeta, Pod } from '../../lib/objects/kubernetes.ts';
import { ALL_FACTS } from '../../lib/kinds/facts.ts';
import { jobFacts } from '../../lib/kinds/job/facts.ts';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { RelayCache } from '../../lib/relay/cache/cache.ts';
import type { News } from '../../lib/relay/cache/cached-children.ts';

const FINALIZER = 'batch.kubernetes.io/job-tracking';
const JOB_LABELS = { 'batch.kubernetes.io/controller-uid': 'uid-a', 'batch.kubernetes.io/job-name': 'a' };
const OWNER = { apiVersion: 'batch/v1', kind: 'Job', name: 'a', uid: 'uid-a', controller: true };

const aPod = (metadata: Partial<ObjectMeta> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'uid-p', resourceVersion: '20', finalizers: [FINALIZER], ...metadata },
  spec: { containers: [] },
});
const aJob = (spec: Job['spec'] = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a', namespace: 'default', uid: 'uid-a', resourceVersion: '10' },
  spec,
});

const put = (cache: RelayCache, pod: Pod): News[] => cache.tablesFor({ isPods: true, children: [] }).flatMap((table) => table.put(pod));

/** Kind and uid of the workload that hears of the pod; undefined where nobody does. */
const heardBy = (cache: RelayCache, pod: Pod): string | undefined => {
  const [news] = put(cache, pod);
  return news && `${news.workload.owner.kind} ${news.workload.owner.uid}`;
};

describe('whose a pod with our finalizer is', () => {
  const cases: { name: string; manages?: readonly string[]; job?: Job; jobGone?: true; pod: Pod; heardBy: string | undefined }[] = [
    { name: 'case 156: it names nobody', pod: aPod(), heardBy: 'OrphanPod uid-p' },
    {
      name: 'case 161: a reference that is no controller protects nothing',
      pod: aPod({ ownerReferences: [{ ...OWNER, controller: false }] }),
      heardBy: 'OrphanPod uid-p',
    },
    { name: 'case 157: its owner is there', job: aJob(), pod: aPod({ ownerReferences: [OWNER] }), heardBy: 'Job uid-a' },
    { name: 'case 158: its owner is gone', pod: aPod({ ownerReferences: [OWNER] }), heardBy: 'Job uid-a' },
    {
      name: 'case 159: its owner is managed by somebody else',
      job: aJob({ managedBy: 'example.com/x' }),
      pod: aPod({ ownerReferences: [OWNER] }),
      heardBy: undefined,
    },
    {
      name: 'case 158: its owner was managed by somebody else, and is gone',
      job: aJob({ managedBy: 'example.com/x' }),
      jobGone: true,
      pod: aPod({ ownerReferences: [OWNER] }),
      heardBy: 'Job uid-a',
    },
    {
      name: 'its owner was the built-in controller’s, which looks after what it leaves',
      manages: ['jobs'],
      job: aJob(),
      jobGone: true,
      pod: aPod({ ownerReferences: [OWNER] }),
      heardBy: undefined,
    },
    {
      name: 'case 160: its owner is another kind',
      pod: aPod({ ownerReferences: [{ ...OWNER, apiVersion: 'apps/v1', kind: 'ReplicaSet' }] }),
      heardBy: undefined,
    },
    { name: 'its labels name a Job that may adopt it', job: aJob(), pod: aPod({ labels: JOB_LABELS }), heardBy: 'Job uid-a' },
    { name: 'its labels name a Job that is gone', pod: aPod({ labels: JOB_LABELS }), heardBy: 'Job uid-a' },
    {
      name: 'its labels name a Job of somebody else, which does not own it',
      job: aJob({ managedBy: 'example.com/x' }),
      pod: aPod({ labels: JOB_LABELS }),
      heardBy: 'OrphanPod uid-p',
    },
    {
      name: 'a Job’s own selector chooses it',
      job: aJob({ manualSelector: true, selector: { matchLabels: { app: 'x' } } }),
      pod: aPod({ labels: { app: 'x' } }),
      heardBy: 'Job uid-a',
    },
    { name: 'without our finalizer it is nobody’s', pod: aPod({ finalizers: [] }), heardBy: undefined },
  ];
  test.each(cases)('$name', ({ manages = ['all-jobs'], job, jobGone, pod, heardBy: expected }) => {
    const cache = new RelayCache({ manages, kinds: ALL_FACTS, telemetry: new RecordingTelemetry() });
    if (job) cache.putOwner(jobFacts, job);
    if (job && jobGone) cache.deleteOwner(jobFacts, job);
    expect(heardBy(cache, pod)).toBe(expected);
  });

  test('once the finalizer is off, its workload hears so and is no more', () => {
    const cache = new RelayCache({ manages: ['all-jobs'], kinds: ALL_FACTS, telemetry: new RecordingTelemetry() });
    put(cache, aPod());
    const [news] = put(cache, aPod({ resourceVersion: '21', finalizers: [] }));
    expect(news?.gone?.observation('0')).toMatchObject({ heardAt: '21', presence: 'there', child: { tracked: false } });
    expect([...cache.workloads()]).toEqual([]);
    expect(put(cache, aPod({ resourceVersion: '22', finalizers: [] }))).toEqual([]);
  });
});
