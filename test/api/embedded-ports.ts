// Ports in memory for tests of what stands on them, with one registered cluster that nobody answers for.
import { EmbeddedClusters } from '../../lib/adapters/embedded/clusters.ts';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { EmbeddedRecorder } from '../../lib/adapters/embedded/recorder.ts';
import { SilentTelemetry } from '../world/recording-telemetry.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { jobFactsOf } from '../../lib/kinds/job/terms/owner-facts.ts';
import type { Job, JobSpec, JobStatus, Pod, PodStatus } from '../../lib/objects/kubernetes.ts';
import { podFactsOf } from '../../lib/objects/pods/pod-facts.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import type { ClusterRecord } from '../../lib/ports/clusters.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import type { QueueName } from '../../lib/ports/queue.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import { encodeState, initialState } from '../../lib/reconciler/head/pass-state.ts';
import type { PassState } from '../../lib/reconciler/head/pass-state.ts';
import { storedSummary } from '../../lib/reconciler/summary/stored-summary.ts';
import { encodeSummary } from '../../lib/reconciler/summary/summary.ts';
import { readView, writeView } from '../../lib/reconciler/view/view-access.ts';

export interface EmbeddedPorts extends Ports {
  queue: EmbeddedQueue;
  recorder: EmbeddedRecorder;
  store: EmbeddedStore;
  close: () => void;
}

export async function embeddedPorts(...clusters: string[]): Promise<EmbeddedPorts> {
  const clock = new SystemClock();
  const [queue, recorder, store] = [EmbeddedQueue.open(), EmbeddedRecorder.open(), EmbeddedStore.open()];
  const ports: EmbeddedPorts = {
    changes: () => store.changes,
    clock,
    clusters: EmbeddedClusters.open(),
    connect: () => {
      throw new Error('there is no cluster in this test');
    },
    queue,
    recorder,
    store,
    telemetry: new SilentTelemetry(),
    close: () => {
      for (const part of [queue, recorder, store]) part.close();
    },
  };
  for (const name of clusters)
    await ports.clusters.put(
      { name, era: 0, manages: ['all-jobs'], namespaces: [], senders: ['local'], budget: { writesPerSecond: 100, burst: 200 } },
      0,
    );
  return ports;
}

/** Delivers what lies in a queue as often as it is delivered before it is given up: dead letters, all of it. */
export async function giveUp({ queue }: Ports, name: QueueName): Promise<void> {
  for (let receive = 0; receive < 12; receive++) await queue.receive(name, { max: 10, waitSeconds: 0, visibilitySeconds: 0 });
}

export interface KnownJob {
  cluster?: string;
  namespace?: string;
  name: string;
  uid?: string;
  creationTime?: string;
  labels?: Record<string, string>;
  spec?: Partial<JobSpec>;
  status?: JobStatus;
  /** Names of running pods, or pods that stand otherwise. */
  pods?: (string | { name: string; status: PodStatus; index?: number })[];
  state?: Partial<PassState>;
}

/** Puts a Job and its pods into the view, as if a relay had told of them. */
export async function know(ports: Ports, known: KnownJob): Promise<WorkloadKey> {
  const {
    cluster = 'local',
    namespace = 'default',
    name,
    uid = `uid-of-${name}`,
    creationTime = '2026-05-01T10:00:00Z',
    labels: own,
    spec = {},
    status = {},
    pods = [],
    state = {},
  } = known;
  const key: WorkloadKey = { cluster, kind: 'Job', namespace, name, uid };
  const record = await ports.clusters.get(cluster);
  if (!record) throw new Error(`${cluster} is not registered`);
  const head = await createHead(ports, key, record);
  const job: Job = {
    metadata: { name, namespace, uid, resourceVersion: '10', creationTimestamp: creationTime, ...(own && { labels: own }) },
    spec: {
      parallelism: 2,
      completions: 3,
      selector: { matchLabels: { 'job-name': name } },
      ...spec,
      template: { spec: { containers: [] } },
    },
    status,
  };
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }];
  const labels = { 'job-name': name };
  const observed = pods.map((given): Pod => {
    const pod = typeof given === 'string' ? { name: given, status: { phase: 'Running' } } : given;
    const metadata = {
      name: pod.name,
      namespace,
      uid: `uid-of-${pod.name}`,
      resourceVersion: '11',
      creationTimestamp: creationTime,
      labels,
      ownerReferences,
    };
    const index = 'index' in pod ? pod.index : undefined;
    return {
      metadata: { ...metadata, ...(index !== undefined && { annotations: { 'batch.kubernetes.io/job-completion-index': String(index) } }) },
      spec: { containers: [] },
      status: pod.status,
    };
  });
  await writeView(
    ports.store,
    head,
    {
      owner: { heardAt: '10', deleted: false, object: jobFactsOf(job) },
      resource: 'pods',
      children: observed.map((pod) => ({ heardAt: '11', presence: 'there', child: podFactsOf(pod) })),
      byPass: false,
    },
    { era: 0 },
  );
  await ports.store.updateHead(key, {}, { state: encodeState({ ...initialState(), ...state }) });
  await sumUp(ports, key, record);
  return key;
}

/** As a pass does when it ends. */
async function sumUp(ports: Ports, key: WorkloadKey, record: ClusterRecord): Promise<void> {
  const summary = await storedSummary(ports, key, { record });
  if (summary) await ports.store.putSummary({ key, atMs: ports.clock.nowMs(), body: encodeSummary(summary) });
}

/** As if a relay told that the Job is deleted, and that its pods carry the finalizer. */
export async function knowGone(ports: Ports, key: WorkloadKey, { finalizer }: { finalizer: string }): Promise<void> {
  const head = await ports.store.readHead(key);
  if (!head) throw new Error('it is not known');
  const { part } = await readView(ports.store, head, 0);
  const { owner, children } = part;
  if (!owner) throw new Error('it has no owner');
  await writeView(
    ports.store,
    head,
    {
      owner: { heardAt: '20', deleted: true, object: owner.object },
      resource: 'pods',
      children: [...children.values()].map(({ child: pod }) => ({
        heardAt: '20',
        presence: 'there',
        child: podFactsOf({
          metadata: { name: pod.name, namespace: pod.namespace, uid: pod.uid, resourceVersion: '20', finalizers: [finalizer] },
          spec: { containers: [] },
        }),
      })),
      byPass: false,
    },
    { era: 0 },
  );
  const record = await ports.clusters.get(key.cluster);
  if (record) await sumUp(ports, key, record);
}
