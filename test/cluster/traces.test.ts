// What is left of a Job is the same, whoever ran it: the built-in controller and Farloop run the same Jobs on one real API server, and then
// their statuses, their pods and their Events are compared, whole; uids, times, versions, addresses and the random part of names masked.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isJobFinished } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job, JobSpec, KubernetesObject, LabelSelector, Pod } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { EVENTS, JOBS, NAMESPACES, PODS, type Resource } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
import type { JobsCluster } from './jobs-cluster.ts';
import { startJobsCluster } from './jobs-cluster.ts';

let cluster: JobsCluster;
beforeAll(async () => {
  cluster = await startJobsCluster({ controllers: '*' });
}, 180_000);
afterAll(async () => await cluster?.stop(), 60_000);

interface Story {
  name: string;
  spec: Partial<JobSpec>;
  runSeconds?: string;
  exitCodes?: string;
  /** Once it is suspended. */
  resumes?: true;
  /** Of its template, and of a pod that is there before it: it adopts that. */
  labels?: Record<string, string>;
}

const indexed = (completions: number, more: Partial<JobSpec> = {}): Partial<JobSpec> => ({
  completionMode: 'Indexed',
  completions,
  parallelism: completions,
  ...more,
});
const onExitCode = (action: string): Partial<JobSpec> => ({
  podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [42] } }] },
});

const adopting = (selector: LabelSelector): Partial<JobSpec> => ({ completions: 2, parallelism: 2, manualSelector: true, selector });

const STORIES: readonly Story[] = [
  { name: 'plain', spec: { completions: 3, parallelism: 3 } },
  { name: 'indexed', spec: indexed(3) },
  { name: 'work-queue', spec: { parallelism: 2 } },
  { name: 'many', spec: { completions: 12, parallelism: 12 } },
  { name: 'limit', spec: { backoffLimit: 0 }, exitCodes: '1' },
  { name: 'fail-job', spec: onExitCode('FailJob'), exitCodes: '42' },
  { name: 'ignored', spec: { backoffLimit: 0, ...onExitCode('Ignore') }, exitCodes: '42,0' },
  { name: 'fail-index', spec: indexed(2, { backoffLimitPerIndex: 3, ...onExitCode('FailIndex') }), exitCodes: '42,0' },
  { name: 'again', spec: indexed(2, { backoffLimitPerIndex: 1 }), exitCodes: '1/0,0' },
  { name: 'success-policy', spec: indexed(2, { parallelism: 1, successPolicy: { rules: [{ succeededIndexes: '0' }] } }) },
  { name: 'deadline', spec: { activeDeadlineSeconds: 3 }, runSeconds: '600' },
  { name: 'suspended', spec: { suspend: true }, resumes: true },
  { name: 'adopts', spec: adopting({ matchLabels: { mine: 'yes' } }), labels: { mine: 'yes' } },
  {
    name: 'adopts-by-values',
    spec: adopting({ matchExpressions: [{ key: 'kin', operator: 'In', values: ['near', 'far'] }] }),
    labels: { kin: 'far' },
  },
];

const jobOf = ({ name, spec, runSeconds = '1', exitCodes, labels }: Story, namespace: string): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace },
  spec: {
    ...spec,
    template: {
      metadata: {
        ...(labels && { labels }),
        annotations: {
          'sim.farloop.dev/run-seconds': runSeconds,
          ...(exitCodes !== undefined && { 'sim.farloop.dev/exit-codes': exitCodes }),
        },
      },
      spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [{ name: 'work', image: 'busybox:1.37' }] },
    },
  },
});

interface Told extends KubernetesObject {
  involvedObject: { kind: string; name: string };
  reason: string;
}
const listed = async <Item extends KubernetesObject>(resource: Resource, namespace: string): Promise<Item[]> =>
  (await cluster.api.list<Item>(resource, { namespace }, cluster.soon())).items;
const isSuspended = ({ status }: Job): boolean =>
  status?.conditions?.some((condition) => condition.type === 'Suspended' && condition.status === 'True') ?? false;

/** Texts that stay the same from run to run. */
function lasting(value: unknown, namespace: string): unknown {
  const passing = new Set(['resourceVersion', 'managedFields', 'creationTimestamp', 'farloop.dev/number']);
  const text = JSON.stringify(value, (key, field: unknown) => (passing.has(key) ? undefined : field));
  return JSON.parse(
    text
      .replaceAll(namespace, '<namespace>')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
      .replaceAll(/"10(\.\d+){3}"/g, '"<address>"')
      .replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}(?=["\s])/g, '-<random>')
      .replaceAll(/\.[0-9a-f]{16}"/g, '.<random>"'),
  );
}

/** In an order of their own: who was first is chance. */
const inOrder = (values: readonly unknown[]): unknown[] =>
  values
    .map((value) => JSON.stringify(value))
    .toSorted()
    .map((text) => JSON.parse(text) as unknown);

/** By Job: it, its pods, what was told of it. */
async function tracesIn(namespace: string): Promise<Map<string, unknown>> {
  const [jobs, pods, events] = [
    await listed<Job>(JOBS, namespace),
    await listed<Pod>(PODS, namespace),
    await listed<Told>(EVENTS, namespace),
  ];
  return new Map(
    jobs.map((job) => {
      const { name, uid } = job.metadata;
      const own = pods.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
      const told = events.filter(({ involvedObject }) => involvedObject.kind === 'Job' && involvedObject.name === name);
      const traces = {
        job,
        pods: inOrder(own.map((pod) => lasting(pod, namespace))),
        told: inOrder(told.map((event) => lasting(event, namespace))),
      };
      return [name ?? '', lasting(traces, namespace)];
    }),
  );
}

/** Runs every story to its end, and until that has been told. */
async function run(namespace: string): Promise<void> {
  await cluster.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, cluster.soon());
  await until(
    'the service account of its pods',
    async () =>
      (await listed({ apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true }, namespace)).length > 0,
    60_000,
  );
  for (const { name, labels } of STORIES) {
    if (!labels) continue;
    const orphan: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `before-${name}`, namespace, labels, annotations: { 'sim.farloop.dev/run-seconds': '5' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.37' }] },
    };
    await cluster.api.create<Pod>(PODS, orphan, cluster.soon());
  }
  // First those that adopt: a pod that ended before its Job came would have another story.
  for (const story of STORIES.toSorted((one, other) => Number(other.labels !== undefined) - Number(one.labels !== undefined)))
    await cluster.api.create<Job>(JOBS, jobOf(story, namespace), cluster.soon());
  const toResume = new Set(STORIES.filter(({ resumes }) => resumes).map(({ name }) => name));
  await until(
    `the end of all in ${namespace}`,
    async () => {
      const jobs = await listed<Job>(JOBS, namespace);
      for (const job of jobs) {
        const { name = '', uid = '' } = job.metadata;
        if (!toResume.has(name) || !isSuspended(job)) continue;
        toResume.delete(name);
        await cluster.api.patch<Job>(
          JOBS,
          { namespace, name, uid },
          { type: 'merge', body: { metadata: { uid }, spec: { suspend: false } } },
          cluster.soon(),
        );
      }
      const told = await listed<Told>(EVENTS, namespace);
      const isTold = ({ metadata: { name } }: Job): boolean =>
        told.some(({ involvedObject, reason }) => involvedObject.name === name && !/^(Successful|Suspended|Resumed)/.test(reason));
      return jobs.every((job) => isJobFinished(job) && isTold(job));
    },
    240_000,
  );
  await until(
    'the last finalizers off',
    async () => (await listed<Pod>(PODS, namespace)).every(({ metadata }) => !metadata.finalizers?.includes(TRACKING_FINALIZER)),
    60_000,
  );
}

test('Jobs, pods and Events are the same, whoever ran them', async () => {
  await run('by-built-in');
  await cluster.controlPlane.stopControllerManager();
  await cluster.controlPlane.startControllerManager({ controllers: '*,-job,-ttl-after-finished-controller' });
  const farloop = cluster.up('state', '--manage', 'all-jobs');
  await farloop.says('farloop ready', 60_000);
  await run('by-farloop');
  const [theirs, ours] = [await tracesIn('by-built-in'), await tracesIn('by-farloop')];
  expect([...theirs.keys()].toSorted()).toEqual(STORIES.map(({ name }) => name).toSorted());
  for (const [name, traces] of theirs) expect([name, ours.get(name)]).toEqual([name, traces]);
  expect((await farloop.end('SIGTERM')).exitCode).toBe(0);
}, 900_000);
