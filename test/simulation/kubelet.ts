// Runs pods as a scenario says: bound and started, ended with a code, ended when deleted. And people, who do things at set times.
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { findFacts } from '../../lib/kinds/facts.ts';
import { COMPLETION_INDEX, controllerOf } from '../../lib/objects/pods/pod-facts.ts';
import { PODS } from '../../lib/objects/resources.ts';
import type { Change } from '../../lib/sandbox/storage/version.ts';
import type { SimApiServer } from './api-server.ts';
import type { Scheduler } from './scheduler.ts';

/** How a pod fares; `exitCode` undefined: it runs until it is deleted. */
export interface Fate {
  startsAfterMs: number;
  runsMs: number;
  exitCode: number | undefined;
  /** From its deletion on; a second unless told. */
  endsAfterMs?: number;
}

/** @param nth which pod of its owner it is, from 0, in the order of creation (where a pod has a place of its own: of that place) */
export type FateOf = (pod: Pod, nth: number) => Fate;

const ENDS_AFTER_MS = 1_000;

export class Kubelet {
  readonly #api: SimApiServer;
  readonly #scheduler: Scheduler;
  readonly #fateOf: FateOf;
  readonly #virtualNode: string | undefined;
  readonly #fates = new Map<string, Fate>();
  readonly #counts = new Map<string, number>();
  readonly #ending = new Set<string>();

  /** @param virtualNode whose pods run elsewhere */
  constructor(api: SimApiServer, scheduler: Scheduler, { fateOf, virtualNode }: { fateOf: FateOf; virtualNode?: string }) {
    this.#api = api;
    this.#scheduler = scheduler;
    this.#fateOf = fateOf;
    this.#virtualNode = virtualNode;
  }

  /** After the server was set back: everything is looked at anew. */
  resync(): void {
    this.#ending.clear();
    for (const pod of this.#api.pods()) this.#look(pod, true);
  }

  see({ type, resource, current }: Change): void {
    if (resource === 'pods' && type !== 'DELETED') this.#look(current.object as unknown as Pod, type === 'ADDED');
  }

  #look(pod: Pod, isNew: boolean): void {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (this.#virtualNode !== undefined && pod.spec.nodeName === this.#virtualNode) return;
    if (deletionTimestamp !== undefined) {
      if (this.#ending.has(uid)) return;
      this.#ending.add(uid);
      this.#later(this.#fates.get(uid)?.endsAfterMs ?? ENDS_AFTER_MS, pod, (now) => this.#endDeleted(now));
      return;
    }
    if (!isNew) return;
    const fate = this.#fate(pod);
    const phase = pod.status?.phase;
    if (phase === 'Pending') this.#later(fate.startsAfterMs, pod, (now) => this.#start(now, fate));
    else if (phase === 'Running') this.#endLater(pod, fate);
  }

  #fate(pod: Pod): Fate {
    const { uid = '', name = '', annotations = {} } = pod.metadata;
    const known = this.#fates.get(uid);
    if (known) return known;
    const owner = controllerOf(pod.metadata.ownerReferences);
    const isNamedAgain = findFacts(owner?.kind ?? '')?.pods?.namesAreReused ?? false;
    const series = `${owner?.uid} ${isNamedAgain ? name : (annotations[COMPLETION_INDEX] ?? '')}`;
    const nth = this.#counts.get(series) ?? 0;
    this.#counts.set(series, nth + 1);
    const fate = this.#fateOf(pod, nth);
    this.#fates.set(uid, fate);
    return fate;
  }

  /** With the pod as it then is, if it still is. */
  #later(ms: number, pod: Pod, act: (now: Pod) => Promise<void>): void {
    const { name = '', namespace = '', uid } = pod.metadata;
    this.#scheduler.after(ms, () => {
      const now = this.#api.storage.get('pods', `${namespace}/${name}`)?.object as unknown as Pod | undefined;
      if (now?.metadata.uid === uid) void act(now as Pod);
    });
  }

  async #start(pod: Pod, fate: Fate): Promise<void> {
    if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase !== 'Pending') return;
    const { name = '', namespace = '' } = pod.metadata;
    const target = { kind: 'Node', name: 'node-1' };
    if (!pod.spec.nodeName) {
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
      await this.#api.as('POST', PODS, { namespace, name, subresource: 'binding', body });
    }
    await this.#status(pod, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: this.#api.time() }] });
    this.#endLater(pod, fate);
  }

  #endLater(pod: Pod, { runsMs, exitCode }: Fate): void {
    if (exitCode === undefined) return;
    this.#later(runsMs, pod, async (now) => {
      if (now.metadata.deletionTimestamp === undefined && now.status?.phase === 'Running') await this.#end(now, exitCode);
    });
  }

  async #end(pod: Pod, exitCode: number): Promise<void> {
    const finishedAt = this.#api.time();
    const name = pod.spec.containers[0]?.name ?? 'main';
    const state = { terminated: { exitCode, finishedAt } };
    await this.#status(pod, {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [{ name, image: 'none', imageID: '', ready: false, restartCount: 0, state }],
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: finishedAt }],
    });
  }

  async #endDeleted(pod: Pod): Promise<void> {
    const { name = '', namespace = '' } = pod.metadata;
    if (pod.status?.phase === 'Running') await this.#end(pod, 137);
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 };
    await this.#api.as('DELETE', PODS, { namespace, name, body });
  }

  async #status(pod: Pod, status: object): Promise<void> {
    const { name = '', namespace = '' } = pod.metadata;
    await this.#api.as('PATCH', PODS, { namespace, name, subresource: 'status', body: { status }, type: 'application/merge-patch+json' });
  }
}
