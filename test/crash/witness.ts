// Watches a cluster on its own connection and remembers what Farloop did there: who was created, when it last did anything.
import type { Job, KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import { JOBS, PODS } from '../../lib/objects/resources.ts';
import type { ClusterSource } from '../../lib/ports/cluster.ts';
import { follow } from '../follow.ts';
import { startRunningTime } from '../running-time.ts';

export class Witness {
  /** uids of all pods ever seen, by Job name. */
  readonly created = new Map<string, Set<string>>();
  readonly jobs = new Map<string, Job>();
  readonly time = startRunningTime();
  /** By that time, when each thing was seen that only Farloop does, the latest last. */
  readonly progressMs: number[] = [];
  readonly #tracked = new Map<string, boolean>();
  readonly #statuses = new Map<string, string>();
  readonly #ending = new AbortController();
  readonly #running: Promise<void>[];

  constructor(source: ClusterSource, namespace: string) {
    const { signal } = this.#ending;
    this.#running = [
      follow(source, { resource: PODS, namespace }, (pod) => this.#sawPod(pod), signal),
      follow(source, { resource: JOBS, namespace }, (job) => this.#sawJob(job as Job), signal),
    ];
  }

  async stop(): Promise<void> {
    this.time.stop();
    this.#ending.abort();
    await Promise.allSettled(this.#running);
  }

  #sawPod({ metadata }: KubernetesObject): void {
    const uid = metadata.uid ?? '';
    const job = metadata.labels?.['job-name'] ?? '';
    const known = this.created.get(job) ?? new Set();
    const tracked = metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
    if (!known.has(uid) || this.#tracked.get(uid) !== tracked) this.progressMs.push(this.time.ms());
    this.#tracked.set(uid, tracked);
    this.created.set(job, known.add(uid));
  }

  #sawJob(job: Job): void {
    const name = job.metadata.name ?? '';
    const status = JSON.stringify(job.status);
    if (this.#statuses.get(name) !== status && job.status?.startTime) this.progressMs.push(this.time.ms());
    this.#statuses.set(name, status);
    this.jobs.set(name, job);
  }
}
