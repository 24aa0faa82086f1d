// Watches the pods, services and training jobs of a namespace, and remembers all that were ever made.
import type { TrainingJob } from '../../lib/kinds/training/terms/job-types.ts';
import type { Pod, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { PODS, type Resource } from '../../lib/objects/resources.ts';
import type { ClusterSource } from '../../lib/ports/cluster.ts';
import { follow, type Heard } from '../follow.ts';

export const SERVICES: Resource = { apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true };

export interface Seen<Item = WorkloadObject> {
  /** As last seen. */
  object: Item;
  isGone: boolean;
  /** Whether it was ever seen to have failed. */
  hasFailed: boolean;
}

export class Witness {
  /** By name; each in the order in which its namesakes were made. */
  readonly pods = new Map<string, Map<string, Seen<Pod>>>();
  readonly services = new Map<string, Map<string, Seen>>();
  /** Training jobs by name. */
  readonly jobs = new Map<string, TrainingJob>();
  /** What ended listening, when nobody asked it to. */
  failure: unknown;
  podsMade = 0;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>[];

  constructor(source: ClusterSource, namespace: string, kinds: readonly Resource[]) {
    const { signal } = this.#ending;
    const listen = (resource: Resource, heard: Heard): Promise<void> =>
      follow(source, { resource, namespace }, heard, signal).catch((error: unknown) => {
        if (!signal.aborted) this.failure = error;
      });
    this.#running = [
      listen(PODS, (pod, type) => {
        if (this.#note(this.pods, pod as Pod, type === 'DELETED')) this.podsMade += 1;
      }),
      listen(SERVICES, (service, type) => this.#note(this.services, service, type === 'DELETED')),
      ...kinds.map((resource) =>
        listen(resource, (job, type) => {
          if (type === 'DELETED') this.jobs.delete(job.metadata.name ?? '');
          else this.jobs.set(job.metadata.name ?? '', job as TrainingJob);
        }),
      ),
    ];
  }

  /** The one of that name that there is. */
  pod(name: string): Pod | undefined {
    return [...(this.pods.get(name)?.values() ?? [])].find(({ isGone }) => !isGone)?.object;
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#running);
  }

  /** @returns whether it was not known */
  #note<Item extends WorkloadObject>(all: Map<string, Map<string, Seen<Item>>>, object: Item, isGone: boolean): boolean {
    const { name = '', uid = '' } = object.metadata;
    const namesakes = all.get(name) ?? new Map<string, Seen<Item>>();
    const known = namesakes.get(uid);
    const hasFailed = known?.hasFailed === true || (object.status && 'phase' in object.status && object.status.phase === 'Failed') === true;
    namesakes.set(uid, { object, isGone, hasFailed });
    all.set(name, namesakes);
    return known === undefined;
  }
}
