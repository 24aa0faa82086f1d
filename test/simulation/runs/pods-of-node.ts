// The cluster of a run's node, as small as a run asks of one: pods by name, of which a deleted one goes once its grace period is over.
import type { KubernetesObject, Pod } from '../../../lib/objects/kubernetes.ts';
import { PODS, type Resource } from '../../../lib/objects/resources.ts';
import type { Clock } from '../../../lib/ports/clock.ts';
import type { Answer, Cluster, Deletion, ListAnswer, Named, Patch, PatchTarget } from '../../../lib/ports/cluster.ts';
import { ConflictError, NotFoundError } from '../../../lib/ports/errors.ts';

const keyOf = ({ namespace = '', name = '' }: { namespace?: string | undefined; name?: string | undefined }): string =>
  `${namespace}/${name}`;

/** Calls that a run makes, and no others. */
export type CalledCluster = Pick<Cluster, 'get' | 'list' | 'create' | 'delete' | 'patch'>;

export class PodsOfNode implements CalledCluster {
  readonly #pods = new Map<string, Pod>();
  readonly #clock: Clock;
  #uids = 0;

  constructor(clock: Clock, pods: readonly Pod[]) {
    this.#clock = clock;
    for (const pod of pods) this.#pods.set(keyOf(pod.metadata), structuredClone(pod));
  }

  get all(): Pod[] {
    return [...this.#pods.values()];
  }

  async get<Item extends KubernetesObject>(resource: Resource, target: Named): Promise<Answer<Item>> {
    if (resource.plural === PODS.plural) return this.#answer<KubernetesObject>(this.#found(target)) as Answer<Item>;
    const node: KubernetesObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: target.name, uid: 'of-the-node' } };
    return this.#answer(node) as Answer<Item>;
  }

  async list<Item extends KubernetesObject>(_resource: Resource, { fieldSelector }: { fieldSelector?: string }): Promise<ListAnswer<Item>> {
    const bound = this.all.filter(({ spec: { nodeName = '' } }) => fieldSelector === `spec.nodeName=${nodeName}`);
    return { items: structuredClone(bound) as KubernetesObject[] as Item[], resourceVersion: '1', dateMs: this.#clock.nowMs() };
  }

  async create<Item extends KubernetesObject>(_resource: Resource, object: Item): Promise<Answer<Item>> {
    const key = keyOf(object.metadata);
    if (this.#pods.has(key)) throw new ConflictError(`${key} is there already`, { reason: 'alreadyExists' });
    this.#uids += 1;
    const created = { ...structuredClone(object), metadata: { ...object.metadata, uid: `of-the-cluster-${this.#uids}` } };
    this.#pods.set(key, created as KubernetesObject as Pod);
    return this.#answer(created);
  }

  async delete<Item extends KubernetesObject>(_resource: Resource, target: Deletion): Promise<Answer<Item | undefined>> {
    const pod = this.#found(target, target.uid);
    const graceSeconds = target.gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 0;
    const dateMs = this.#clock.nowMs();
    if (graceSeconds === 0) this.#pods.delete(keyOf(target));
    else if (pod.metadata.deletionTimestamp === undefined) {
      pod.metadata.deletionTimestamp = new Date(dateMs).toISOString();
      void this.#clock.wait(graceSeconds * 1_000).then(() => this.#replace(pod));
    }
    return { object: undefined, dateMs };
  }

  /** Its owner makes another one of that name at once, on another node: an eviction that comes late must not meet it. */
  #replace(pod: Pod): void {
    const { metadata, spec } = pod;
    const { deletionTimestamp: _deleted, ...kept } = metadata;
    this.#pods.set(keyOf(metadata), { ...pod, metadata: { ...kept, uid: `${metadata.uid}-next` }, spec: { ...spec, nodeName: 'other' } });
  }

  async patch<Item extends KubernetesObject>(_resource: Resource, target: PatchTarget, { body }: Patch): Promise<Answer<Item>> {
    const pod = this.#found(target, target.uid);
    pod.status = { ...pod.status, ...(body as Pick<Pod, 'status'>).status };
    return this.#answer<KubernetesObject>(pod) as Answer<Item>;
  }

  #found(target: Named, uid?: string): Pod {
    const pod = this.#pods.get(keyOf(target));
    if (!pod) throw new NotFoundError(`${keyOf(target)} is not there`);
    if (uid !== undefined && pod.metadata.uid !== uid) throw new ConflictError(`${keyOf(target)} has the uid ${pod.metadata.uid}`);
    return pod;
  }

  #answer<Item extends KubernetesObject>(object: Item): Answer<Item> {
    return { object: structuredClone(object), dateMs: this.#clock.nowMs() };
  }
}
