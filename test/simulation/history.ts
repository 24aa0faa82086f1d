// What has happened to workloads and their children, told by the API servers' own commits: what checks compare with.
import { resourceKeyOf } from '../../lib/objects/child-state.ts';
import type { KubernetesObject, Pod, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import type { KindFacts } from '../../lib/kinds/rows/kind.ts';
import { COMPLETION_INDEX, controllerOf, TRACKING_FINALIZER } from '../../lib/objects/pods/pod-facts.ts';
import type { Change } from '../../lib/sandbox/storage/version.ts';
import type { Call } from './calls.ts';

export type Standing = 'Succeeded' | 'Failed' | 'terminating' | 'active';

export interface PodRecord {
  cluster: string;
  uid: string;
  name: string;
  /** As it is now, or was last. */
  pod: Pod;
  index: string | undefined;
  isGone: boolean;
  createdAtMs: number;
  /** The call that created it, where Farloop did. */
  createdBy: Call | undefined;
  /** Farloop was told that the create succeeded, or heard of the pod in another answer. */
  isKnown: boolean;
  /** Farloop has taken in a relay's report that it succeeded. */
  isKnownDone: boolean;
  /** The API server was restored from a state before it: to that server, and in its era, it never was (R3). */
  isUndone: boolean;
  /** Virtual milliseconds when such a restore made it run again, though it had ended or gone; negative: none did. */
  revivedAtMs: number;
  /** When its finalizer came off: how it stood then. */
  stripped: Standing | undefined;
  /** What its owner had decided by then. */
  strippedUnder: 'failing' | 'succeeding' | undefined;
  /** By another hand than Farloop's. */
  strippedByOthers: boolean;
  /** When what is asked of counts began again, it stood in them, or in none for good. */
  isSettled: boolean;
  /** Its finalizer came off when its labels no longer matched its owner's selector: the owner let it go, and counts it no more. */
  released: boolean;
}

/** A child that is no pod. */
export interface ChildRecord {
  /** `resourceKeyOf` its resource. */
  resource: string;
  object: KubernetesObject;
  isGone: boolean;
  createdBy: Call | undefined;
}

export interface OwnerRecord {
  kind: string;
  cluster: string;
  uid: string;
  name: string;
  /** As it is now, or was last. */
  object: WorkloadObject;
  isGone: boolean;
  finishedAtMs: number | undefined;
  pods: Map<string, PodRecord>;
  /** Other children, by uid. */
  children: Map<string, ChildRecord>;
  /** Most pods that were active at one moment. */
  mostActive: number;
  /** Its counts cannot be compared: the API server lost some of them, and Farloop may not have taken that in yet. */
  isRestored: boolean;
  /** What its status had counted when it could be compared again, as its kind notes it. */
  settled: object | undefined;
  /** Virtual milliseconds when the era began from which on passes know what the server has lost. */
  eraSinceMs: number;
  /** Virtual milliseconds of its server's last step back. */
  restoredAtMs: number;
}

export interface OwnerChange {
  kind: 'owner';
  type: Change['type'];
  record: OwnerRecord;
  before: WorkloadObject | undefined;
  now: WorkloadObject;
  by: Call | undefined;
}

export interface PodChange {
  kind: 'pod';
  type: Change['type'];
  record: PodRecord;
  owner: OwnerRecord | undefined;
  before: Pod | undefined;
  now: Pod;
  by: Call | undefined;
}

export interface ChildChange {
  kind: 'child';
  type: Change['type'];
  record: ChildRecord;
  owner: OwnerRecord | undefined;
  before: KubernetesObject | undefined;
  now: KubernetesObject;
  by: Call | undefined;
}

export type ObjectChange = OwnerChange | PodChange | ChildChange;

/** What the history asks a kind. */
export interface KindOfHistory {
  facts: KindFacts;
  /** A pod has lost its finalizer. @param before as it was until then */
  noteStripped?(this: void, record: PodRecord, owner: OwnerRecord | undefined, before: Pod): void;
  /**
   * A pass of the era after a restore has come to its end: says whether the owner can be compared again from here on, and notes with what.
   * Always, where the kind counts nothing.
   */
  settle?(this: void, record: OwnerRecord): boolean;
}

export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
export const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
export const isActivePod = (pod: Pod): boolean => !isOver(pod) && pod.metadata.deletionTimestamp === undefined;
export const isTerminatingPod = (pod: Pod): boolean => !isOver(pod) && pod.metadata.deletionTimestamp !== undefined;

/** A uid alone names nothing: a cluster made from another one's backup has the same ones. */
const idOf = (cluster: string, uid: string | undefined): string => `${cluster} ${uid}`;

export class History {
  readonly #kinds: readonly KindOfHistory[];
  readonly #owners = new Map<string, OwnerRecord>();
  readonly #pods = new Map<string, PodRecord>();
  readonly #children = new Map<string, ChildRecord>();
  /** Every state of every owner and child that a cluster has ever shown. */
  readonly #committed = new Set<string>();
  readonly #ownersAt: ReadonlyMap<string, KindOfHistory>;
  readonly #childrenAt: ReadonlySet<string>;

  constructor(kinds: readonly KindOfHistory[]) {
    this.#kinds = kinds;
    this.#ownersAt = new Map(kinds.filter(({ facts }) => !facts.isOwnerless).map((kind) => [resourceKeyOf(kind.facts.resource), kind]));
    this.#childrenAt = new Set(kinds.flatMap(({ facts }) => facts.children.map(({ resource }) => resourceKeyOf(resource))));
  }

  /** Of owners and of children other than pods. */
  get resources(): string[] {
    return [...this.#ownersAt.keys(), ...this.#childrenAt];
  }

  get owners(): OwnerRecord[] {
    return [...this.#owners.values()];
  }

  get pods(): PodRecord[] {
    return [...this.#pods.values()];
  }

  /** Whether that cluster has ever had an object of this uid at this version of its own. */
  hasShown(cluster: string, { uid, resourceVersion }: { uid?: string | undefined; resourceVersion?: string | undefined }): boolean {
    return this.#committed.has(`${idOf(cluster, uid)} ${resourceVersion}`);
  }

  owner(cluster: string, uid: string | undefined): OwnerRecord | undefined {
    return this.#owners.get(idOf(cluster, uid));
  }

  pod(cluster: string, uid: string | undefined): PodRecord | undefined {
    return this.#pods.get(idOf(cluster, uid));
  }

  child(cluster: string, uid: string | undefined): ChildRecord | undefined {
    return this.#children.get(idOf(cluster, uid));
  }

  /** @returns what it means, undefined where it is about neither an owner nor a child */
  note(cluster: string, change: Change, by: Call | undefined, nowMs: number): ObjectChange | undefined {
    const { uid, resourceVersion } = change.current.object.metadata;
    this.#committed.add(`${idOf(cluster, uid)} ${resourceVersion}`);
    const ofOwner = this.#ownersAt.get(change.resource);
    if (ofOwner) return this.#noteOwner(cluster, { change, of: ofOwner, by, nowMs });
    if (change.resource === 'pods') return this.#notePod(cluster, change, by, nowMs);
    return this.#childrenAt.has(change.resource) ? this.#noteChild(cluster, change, by) : undefined;
  }

  #noteOwner(
    cluster: string,
    { change, of, by, nowMs }: { change: Change; of: KindOfHistory; by: Call | undefined; nowMs: number },
  ): OwnerChange {
    const { type, current, previous } = change;
    const now = current.object as unknown as WorkloadObject;
    const { uid = '', name = '' } = now.metadata;
    const before = previous?.object as unknown as WorkloadObject | undefined;
    const record = this.owner(cluster, uid) ?? {
      kind: of.facts.kind,
      cluster,
      uid,
      name,
      object: now,
      isGone: false,
      finishedAtMs: undefined,
      pods: new Map(),
      children: new Map(),
      mostActive: 0,
      isRestored: false,
      settled: undefined,
      eraSinceMs: -1,
      restoredAtMs: -1,
    };
    this.#owners.set(idOf(cluster, uid), record);
    doubtOldPass(record, by);
    record.object = now;
    record.isGone = type === 'DELETED';
    if (record.finishedAtMs === undefined && of.facts.isFinished(now)) record.finishedAtMs = nowMs;
    return { kind: 'owner', type, record, before, now, by };
  }

  #noteChild(cluster: string, { type, resource, current, previous }: Change, by: Call | undefined): ChildChange {
    const now = current.object as unknown as KubernetesObject;
    const { uid = '' } = now.metadata;
    const record = this.child(cluster, uid) ?? { resource, object: now, isGone: false, createdBy: by };
    this.#children.set(idOf(cluster, uid), record);
    record.object = now;
    record.isGone = type === 'DELETED';
    const owner = this.owner(cluster, controllerOf(now.metadata.ownerReferences)?.uid);
    owner?.children.set(uid, record);
    return { kind: 'child', type, record, owner, before: previous?.object, now, by };
  }

  #notePod(cluster: string, { type, current, previous }: Change, by: Call | undefined, nowMs: number): PodChange {
    const now = current.object as unknown as Pod;
    const { uid = '', name = '' } = now.metadata;
    const before = previous?.object as unknown as Pod | undefined;
    const record = this.pod(cluster, uid) ?? {
      cluster,
      uid,
      name,
      pod: now,
      index: now.metadata.annotations?.[COMPLETION_INDEX],
      isGone: false,
      createdAtMs: nowMs,
      createdBy: by,
      isKnown: false,
      isKnownDone: false,
      isUndone: false,
      revivedAtMs: -Infinity,
      stripped: undefined,
      strippedUnder: undefined,
      strippedByOthers: false,
      isSettled: false,
      released: false,
    };
    this.#pods.set(idOf(cluster, uid), record);
    const owner = this.owner(cluster, controllerOf(now.metadata.ownerReferences)?.uid);
    if (owner) doubtOldPass(owner, by);
    if (before && isTracked(before) && (!isTracked(now) || type === 'DELETED') && record.stripped === undefined) {
      record.stripped = standingOf(before);
      record.strippedByOthers = by === undefined;
      this.#kinds.find(({ facts }) => facts.kind === owner?.kind)?.noteStripped?.(record, owner, before);
    }
    record.pod = now;
    record.isGone = type === 'DELETED';
    const former = this.owner(cluster, controllerOf(before?.metadata.ownerReferences)?.uid);
    if (former !== owner) former?.pods.delete(uid);
    owner?.pods.set(uid, record);
    if (owner) owner.mostActive = Math.max(owner.mostActive, activeOf(owner).length);
    return { kind: 'pod', type, record, owner, before, now, by };
  }

  /** A pod is whose it was then: one that was released since is its owner's again, and one that was adopted since is nobody's. */
  #rehome(cluster: string, records: readonly OwnerRecord[], uid: string, now: Pod): void {
    const pod = this.pod(cluster, uid);
    if (!pod) return;
    const owner = controllerOf(now.metadata.ownerReferences)?.uid;
    for (const record of records)
      if (record.uid === owner) record.pods.set(uid, pod);
      else record.pods.delete(uid);
    if (owner !== undefined) pod.released = false;
    else Object.assign(pod, { pod: now, isGone: false });
  }

  /** What was heard of pods so far is lost. */
  forgetKnown(): void {
    for (const record of this.pods) Object.assign(record, { isKnown: false, isKnownDone: false });
  }

  /** The server went back: what it has now is all there is. */
  restore(cluster: string, { objects, pods, nowMs }: { objects: readonly KubernetesObject[]; pods: readonly Pod[]; nowMs: number }): void {
    const present = new Map(pods.map((pod) => [pod.metadata.uid ?? '', pod]));
    const others = new Map(objects.map((object) => [object.metadata.uid ?? '', object]));
    const records = this.owners.filter((record) => record.cluster === cluster);
    for (const [uid, now] of present) this.#rehome(cluster, records, uid, now);
    for (const record of records) {
      const owner = others.get(record.uid);
      record.isGone = owner === undefined;
      record.isRestored = true;
      record.settled = undefined;
      record.restoredAtMs = nowMs;
      if (owner) record.object = owner;
      if (!owner || !this.#isFinished(record.kind, owner)) record.finishedAtMs = undefined;
      for (const child of record.children.values()) {
        const now = others.get(child.object.metadata.uid ?? '');
        child.isGone = now === undefined;
        if (now) child.object = now;
      }
      for (const pod of record.pods.values()) {
        const now = present.get(pod.uid);
        pod.isUndone = now === undefined && (pod.isUndone || !pod.isGone);
        if (now && isActivePod(now) && (pod.isGone || isOver(pod.pod))) pod.revivedAtMs = nowMs;
        pod.isGone = now === undefined;
        if (!now) continue;
        pod.pod = now;
        if (isTracked(now)) pod.stripped = undefined;
      }
    }
  }

  #isFinished(kind: string, owner: WorkloadObject): boolean {
    return this.#kinds.find(({ facts }) => facts.kind === kind)?.facts.isFinished(owner) ?? false;
  }

  /** @param eraSinceMs when the era of the pass began that has come to its end */
  settle(record: OwnerRecord, eraSinceMs: number): void {
    const { settle } = this.#kinds.find(({ facts }) => facts.kind === record.kind) ?? {};
    if (settle && !settle(record)) return;
    record.eraSinceMs = eraSinceMs;
    record.isRestored = false;
  }
}

/** A pass of before the new era may still act on what the server has lost. */
function doubtOldPass(record: OwnerRecord, by: Call | undefined): void {
  if (record.settled && (by?.invocation?.beganAtMs ?? Infinity) <= record.eraSinceMs)
    Object.assign(record, { isRestored: true, settled: undefined });
}

/** Pods whose counting can be compared. */
export const comparableOf = ({ pods }: OwnerRecord): PodRecord[] => [...pods.values()].filter(({ isSettled }) => !isSettled);

export function standingOf(pod: Pod): Standing {
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return phase;
  return pod.metadata.deletionTimestamp === undefined ? 'active' : 'terminating';
}

export const livingOf = ({ pods }: OwnerRecord): PodRecord[] => [...pods.values()].filter(({ isGone }) => !isGone);
export const activeOf = (record: OwnerRecord): PodRecord[] => livingOf(record).filter(({ pod }) => isActivePod(pod));
export const childrenOf = ({ children }: OwnerRecord): ChildRecord[] => [...children.values()].filter(({ isGone }) => !isGone);
