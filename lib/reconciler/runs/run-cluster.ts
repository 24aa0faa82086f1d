// The cluster that a run's node belongs to: its pods take room there, mirror pods show the run's own, and critical pods of the run evict others.
import type { KubernetesObject, Node, Pod, PodStatus } from '../../objects/kubernetes.ts';
import { NODES, PODS } from '../../objects/resources.ts';
import type { Task } from '../../objects/task.ts';
import { hasEnded } from '../../objects/placement/schedulable.ts';
import { virtualPodFacts } from '../../kinds/virtual-pod/facts.ts';
import { NOTHING_KEPT } from '../../kinds/virtual-pod/kept.ts';
import { isShownBy, lostStatus, statusOf, toBeEvicted } from '../../kinds/virtual-pod/task-status.ts';
import { deadlineIn, type Clock, type Deadline } from '../../ports/clock.ts';
import type { Cluster, ListAnswer, ListSelection } from '../../ports/cluster.ts';
import { ConflictError, mayPass, NotFoundError } from '../../ports/errors.ts';
import { hashOf, mirrorNameOf, mirrorOf } from './mirror-pod.ts';

const CALL_MS = 10_000;
/** Pods that are not listed take no room, and nobody decides again on a pod that was admitted beside them. */
const MOST_LISTS = 3;
const LIST_AGAIN_MS = 1_000;

export interface RunClusterGiven {
  cluster: Cluster;
  /** Of the run's node. */
  node: string;
  clock: Clock;
  /** Called once for each reason why something is not shown. A run goes on without it. */
  report: (problem: string) => void;
}

export class RunCluster {
  readonly #cluster: Cluster;
  readonly #node: string;
  readonly #clock: Clock;
  readonly #report: (problem: string) => void;
  readonly #reported = new Set<string>();
  #itsNode: KubernetesObject | undefined;

  constructor({ cluster, node, clock, report }: RunClusterGiven) {
    this.#cluster = cluster;
    this.#node = node;
    this.#clock = clock;
    this.#report = report;
  }

  /** All that are bound to the node and are no mirror pods. @returns undefined: the API server cannot be asked */
  async pods(): Promise<Pod[] | undefined> {
    const selection = { namespace: '', fieldSelector: `spec.nodeName=${this.#node}` };
    let pods: Pod[] | undefined;
    await this.#tried(`no pod of node ${this.#node} can be evicted`, async () => {
      const { items } = await this.#listed(selection);
      pods = items.filter((pod) => hashOf(pod) === undefined);
    });
    return pods;
  }

  async #listed(selection: ListSelection): Promise<ListAnswer<Pod>> {
    for (let lists = 1; ; lists += 1)
      try {
        return await this.#cluster.list<Pod>(PODS, selection, this.#deadline());
      } catch (error) {
        if (!mayPass(error) || lists === MOST_LISTS) throw error;
        await this.#clock.wait(LIST_AGAIN_MS);
      }
  }

  /** As a scheduler evicts: the condition says why, and the pod's own passes end it. It is repeated until the pod is gone. */
  async evict(target: { namespace: string; name: string; uid: string }): Promise<void> {
    await this.#tried(`pod ${target.namespace}/${target.name} cannot be evicted`, async () => {
      const { object } = await this.#cluster.get<Pod>(PODS, target, this.#deadline());
      if (object.metadata.uid !== target.uid || object.metadata.deletionTimestamp !== undefined) return;
      const { conditions } = toBeEvicted(factsOf(object), this.#now());
      await this.#patchStatus(object, { conditions: conditions ?? [] });
      await this.#cluster.delete(PODS, target, this.#deadline());
    });
  }

  /** One that is there already is no error. */
  async createMirror(pod: Pod): Promise<void> {
    await this.#tried(aboutMirror(pod), async () => void (await this.#mirror(pod)));
  }

  /** The mirror pod shows what the provider shows of the task; undefined: it is gone. */
  async show(pod: Pod, task: Task | undefined): Promise<void> {
    await this.#tried(aboutMirror(pod), async () => {
      const mirror = await this.#mirror(pod);
      if (hasEnded(mirror)) return;
      const facts = factsOf(mirror);
      const status = task ? statusOf(facts, task, NOTHING_KEPT, this.#now()) : lostStatus(facts, this.#now());
      if (!isShownBy(status, mirror.status ?? {})) await this.#patchStatus(mirror, status);
    });
  }

  /** As it stands, or a new one: its deletion does not end the pod that it shows. */
  async #mirror(pod: Pod): Promise<Pod> {
    const target = { namespace: pod.metadata.namespace ?? '', name: mirrorNameOf(pod) };
    const known = await this.#found(target);
    if (known && hashOf(known) === undefined) throw new Error(`a pod of the cluster is called ${target.namespace}/${target.name} already`);
    const isOwn = known && hashOf(known) === pod.metadata.uid;
    if (isOwn && known.metadata.deletionTimestamp === undefined) return known;
    // Of an earlier run of the same pod, or deleted by somebody.
    if (known) {
      if (!isOwn && !hasEnded(known)) throw new Error(`${target.namespace}/${target.name} mirrors the pod of another run, which goes on`);
      const { uid = '' } = known.metadata;
      await this.#cluster.delete(PODS, { ...target, uid, gracePeriodSeconds: 0 }, this.#deadline());
    }
    this.#itsNode ??= (await this.#cluster.get<Node>(NODES, { namespace: '', name: this.#node }, this.#deadline())).object;
    const { object } = await this.#cluster.create<Pod>(PODS, mirrorOf(pod, this.#itsNode), this.#deadline());
    return object;
  }

  async #found(target: { namespace: string; name: string }): Promise<Pod | undefined> {
    try {
      return (await this.#cluster.get<Pod>(PODS, target, this.#deadline())).object;
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  async #patchStatus({ metadata: { namespace = '', name = '', uid = '' } }: Pod, status: PodStatus): Promise<void> {
    const target = { namespace, name, uid, subresource: 'status' };
    await this.#cluster.patch(PODS, target, { type: 'merge', body: { status } }, this.#deadline());
  }

  /** A write of somebody else meanwhile is no trouble: the next look tries again. */
  async #tried(doing: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof NotFoundError || error instanceof ConflictError) return;
      const problem = `${doing}: ${error instanceof Error ? error.message : String(error)}`;
      if (this.#reported.has(problem)) return;
      this.#reported.add(problem);
      this.#report(problem);
    }
  }

  #deadline(): Deadline {
    return deadlineIn(this.#clock, CALL_MS);
  }

  #now(): Date {
    return new Date(this.#clock.nowMs());
  }
}

type PodOfNode = Parameters<typeof toBeEvicted>[0];
const factsOf = (pod: Pod): PodOfNode => virtualPodFacts.factsOf(pod) as PodOfNode;

const aboutMirror = ({ metadata: { namespace, name } }: Pod): string => `the API server does not show pod ${namespace}/${name}`;
