// What people, and programs of other people, do in a story.
import type { Job } from '../../../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../../../lib/objects/resources.ts';
import { NAMESPACE, type SimApiServer } from '../../api-server.ts';

export function aJob(name: string, spec: Partial<Job['spec']> = {}): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: NAMESPACE },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none' }] } }, ...spec },
  };
}

export const apply = (job: Job) => (api: SimApiServer) =>
  api.as('POST', JOBS, { namespace: job.metadata.namespace ?? NAMESPACE, body: job });
const MERGE = 'application/merge-patch+json';
export const change = (name: string, spec: Partial<Job['spec']>) => (api: SimApiServer) =>
  api.as('PATCH', JOBS, { name, body: { spec }, type: MERGE });
export const remove =
  (name: string, propagationPolicy = 'Background') =>
  (api: SimApiServer) =>
    api.as('DELETE', JOBS, { name, body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy } });

/** Of another program: the Job cannot go before that lets it. */
const HOLD = 'example.com/hold';
export const withFinalizer = (job: Job): Job => ({ ...job, metadata: { ...job.metadata, finalizers: [HOLD] } });

export function letGo(name: string): (api: SimApiServer) => Promise<unknown> {
  return async (api) => {
    const finalizers = api.job(name)?.metadata.finalizers?.filter((each) => each !== HOLD);
    if (finalizers) await api.as('PATCH', JOBS, { name, body: { metadata: { finalizers } }, type: MERGE });
  };
}

export async function deleteFirstPod(api: SimApiServer): Promise<void> {
  const pod = api.pods().find(({ status }) => status?.phase === 'Running');
  if (pod) await api.as('DELETE', PODS, { name: pod.metadata.name ?? '', body: { kind: 'DeleteOptions', apiVersion: 'v1' } });
}

/** As an older API server would store it: a mode that nobody here knows. */
export function breakMode(name: string): (api: SimApiServer) => Promise<unknown> {
  return async (api) => {
    const job = api.job(name);
    if (!job) return;
    const { storage } = api;
    storage.put('jobs.batch', `${NAMESPACE}/${name}`, {
      ...(job as unknown as Parameters<typeof storage.put>[2]),
      metadata: { ...job.metadata, generation: (job.metadata.generation ?? 1) + 1 },
      spec: { ...job.spec, completionMode: 'Sorted' },
    });
  };
}

/** A Job with pods that another controller has made for it. */
export function applyWithPods(job: Job, names: readonly string[]): (api: SimApiServer) => Promise<unknown> {
  return async (api) => {
    await apply(job)(api);
    const { name = '', uid, namespace } = api.job(job.metadata.name ?? '')?.metadata ?? {};
    const { template, selector } = api.job(name)?.spec ?? {};
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true, blockOwnerDeletion: true }];
    for (const each of names) {
      const metadata = { name: each, namespace, labels: selector?.matchLabels, ownerReferences, finalizers: [TRACKING_FINALIZER] };
      await api.as('POST', PODS, { body: { apiVersion: 'v1', kind: 'Pod', metadata, spec: template?.spec } });
    }
  };
}

export const labelPod = (name: string) => (api: SimApiServer) =>
  api.as('PATCH', PODS, { name, body: { metadata: { labels: { 'example.com/seen': 'yes' } } }, type: MERGE });

/** All watches end, and what they would go on from is forgotten. */
export async function forgetWatches(api: SimApiServer): Promise<void> {
  api.compact();
  api.breakOff();
}

/** A pod with the tracking finalizer, made by hand. */
export function stray(name: string, labels: Record<string, string>): (api: SimApiServer) => Promise<unknown> {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/none' }] };
  const metadata = { name, namespace: 'default', labels, finalizers: [TRACKING_FINALIZER] };
  return (api) => api.as('POST', PODS, { namespace: 'default', body: { apiVersion: 'v1', kind: 'Pod', metadata, spec } });
}

export function removePod(name: string): (api: SimApiServer) => Promise<unknown> {
  return async (api) => await api.as('DELETE', PODS, { name, body: { kind: 'DeleteOptions', apiVersion: 'v1' } });
}

/** Its Job's selector does not find it any more: it is released, and another one takes its place. */
export async function relabelFirstPod(api: SimApiServer): Promise<void> {
  const pod = api.pods().find(({ status, metadata }) => status?.phase === 'Running' && metadata.ownerReferences !== undefined);
  const labels = { 'batch.kubernetes.io/controller-uid': 'another' };
  if (pod) await api.as('PATCH', PODS, { name: pod.metadata.name ?? '', body: { metadata: { labels } }, type: MERGE });
}
