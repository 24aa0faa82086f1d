// The relay's cache of children other than pods, by workload: of each child its metadata and the part that its planner compares.
import { childStateOf, OversizedPartError } from '../../kinds/rows/child.ts';
import type { ChildFacts, KindFacts } from '../../kinds/rows/kind.ts';
import { childText, isSameChild, presenceOf, resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { KubernetesObject, ObjectMeta } from '../../objects/kubernetes.ts';
import { hidesOwners } from '../../objects/unreadable.ts';
import { isNewer, newest } from '../../objects/values/resource-version.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { digestOf } from '../../wire/words/digest.ts';
import type { ChildObservation, PartsDigest } from '../../wire/words/observations.ts';
import type { CachedChildren, ChildKey, News, Workloads } from './cached-children.ts';
import { isNamed, type OwnVersion, type Workload } from './cached-workload.ts';
import { named } from './project.ts';

interface KnownChild {
  workload: Workload;
  version: string;
  list: number;
  namespace: string;
  name: string;
  /** Undefined: its part is larger than a message can carry. */
  state: ChildState | undefined;
}

export interface ChildTableSetup {
  kind: KindFacts;
  child: ChildFacts;
  workloads: Workloads;
  telemetry: Pick<Telemetry, 'warn' | 'count'>;
}

/** All children of one row, of all workloads. */
export class ChildTable implements CachedChildren {
  readonly child: ChildFacts;
  readonly kind: KindFacts;
  readonly resource: string;
  readonly isCounted = false;
  readonly bytesEach = 60;
  readonly #workloads: Workloads;
  readonly #telemetry: ChildTableSetup['telemetry'];
  readonly #children = new Map<string, KnownChild>();
  readonly #byWorkload = new Map<Workload, Set<string>>();

  constructor({ kind, child, workloads, telemetry }: ChildTableSetup) {
    this.kind = kind;
    this.child = child;
    this.resource = resourceKeyOf(child.resource);
    this.#workloads = workloads;
    this.#telemetry = telemetry;
  }

  get isSelected(): boolean {
    return this.child.watch !== undefined;
  }

  isOf(kind: string): boolean {
    return this.kind.kind === kind;
  }

  has(workload: Workload): boolean {
    return this.#byWorkload.has(workload);
  }

  holds(workload: Workload, key: ChildKey): boolean {
    return this.#stateIn(workload, key) !== undefined;
  }

  observe(workload: Workload, key: ChildKey, floor: string): ChildObservation | undefined {
    const child = this.#stateIn(workload, key);
    return child && { heardAt: newest(child.resourceVersion, floor), presence: 'there', child };
  }

  #stateIn(workload: Workload, uid: ChildKey): ChildState | undefined {
    const known = this.#children.get(String(uid));
    return known?.workload === workload ? known.state : undefined;
  }

  keysOf(workload: Workload): Iterable<string> {
    return this.#byWorkload.get(workload) ?? [];
  }

  isWhole(workload: Workload): boolean {
    for (const uid of this.keysOf(workload)) if (!this.#children.get(uid)?.state) return false;
    return true;
  }

  /** @returns an empty list if the part that its planner compares is unchanged */
  put(object: KubernetesObject, list?: number): News[] {
    const { metadata } = object;
    const { uid = '', resourceVersion: version = '0' } = metadata;
    const before = this.#children.get(uid);
    if (before && list !== undefined) before.list = list;
    if (!isNamed(metadata) || (list === undefined && before && isNewer(before.version, version))) return [];
    // If its owners cannot be read, the child stays with its workload.
    const workload = hidesOwners(object) ? before?.workload : this.#workloadOf(metadata);
    const state = workload && this.#stateOf(object);
    const news: News[] = [];
    if (before && before.workload !== workload) {
      this.#remove(uid, before);
      if (before.state) news.push(this.#gone(before.workload, 'left', { ...before.state, resourceVersion: version }));
    }
    if (!workload) return news;
    if (before?.workload === workload) {
      const isSame = before.state && state && isSameChild(before.state, state);
      before.version = version;
      before.state = state;
      if (isSame) return news;
    } else this.#add(uid, { workload, version, list: list ?? 0, namespace: metadata.namespace ?? '', name: metadata.name ?? '', state });
    workload.changed = true;
    return state ? [...news, { workload, table: this, key: uid }] : news;
  }

  delete(object: KubernetesObject): News[] {
    const { metadata } = object;
    const { uid = '', resourceVersion: version = '0' } = metadata;
    const before = this.#children.get(uid);
    if (!isNamed(metadata) || (before && isNewer(before.version, version))) return [];
    const workload = before?.workload ?? this.#workloadOf(metadata);
    const state = workload && (this.#stateOf(object) ?? before?.state);
    if (before) this.#remove(uid, before);
    if (!workload || !state) return [];
    workload.changed = true;
    const news = this.#gone(workload, this.isSelected ? 'left' : 'deleted', { ...state, resourceVersion: version });
    this.#workloads.dropIfEmpty(workload);
    return [news];
  }

  endList(list: number, namespace: string | undefined): void {
    for (const [uid, known] of this.#children)
      if (known.list !== list && (namespace === undefined || known.namespace === namespace)) this.#remove(uid, known);
  }

  forgetOf(workload: Workload): void {
    for (const uid of this.keysOf(workload)) {
      const known = this.#children.get(uid);
      if (known) this.#remove(uid, known);
    }
  }

  knows(metadata: ObjectMeta): boolean {
    const known = this.#children.get(metadata.uid ?? '');
    if (known) return !isNewer(metadata.resourceVersion ?? '0', known.version);
    const membership = named(this.child.membershipOf(metadata), this.kind);
    return !isNamed(metadata) || !membership || !this.#isOurs(membership);
  }

  *until(version: string, namespace: string | undefined): Generator<OwnVersion> {
    for (const [uid, known] of this.#children)
      if (!isNewer(known.version, version) && (namespace === undefined || known.namespace === namespace))
        yield { uid, namespace: known.namespace, name: known.name, version: known.version };
  }

  digestOf(workload: Workload): PartsDigest {
    const members = this.#statesOf(workload).map((state) => ({ uid: state.uid, resourceVersion: childText(state) }));
    return { resource: this.resource, revision: this.child.revision, digest: digestOf(members) };
  }

  /** Which children exist, without their parts (trap 10). */
  membersOf(workload: Workload): { uid: string; resourceVersion: string }[] {
    return presenceOf(this.#statesOf(workload));
  }

  #statesOf(workload: Workload): ChildState[] {
    return [...this.keysOf(workload)].flatMap((uid) => this.#stateIn(workload, uid) ?? []);
  }

  #workloadOf(metadata: ObjectMeta): Workload | undefined {
    const belonging = named(this.child.membershipOf(metadata), this.kind);
    return belonging && this.#isOurs(belonging) ? this.#workloads.of(belonging.owner) : undefined;
  }

  /** Ignores a child that has only the labels of an owner that was never observed. */
  #isOurs({ owner, by }: NonNullable<ReturnType<typeof named>>): boolean {
    const known = this.#workloads.find(owner.uid)?.known;
    return known ? !known.foreign : by === 'controller';
  }

  #stateOf(object: KubernetesObject): ChildState | undefined {
    try {
      return childStateOf(this.child, object);
    } catch (error) {
      if (!(error instanceof OversizedPartError)) throw error;
      this.#telemetry.warn('child cannot be told of', { kind: this.kind.kind, reason: error.message });
      return undefined;
    }
  }

  #gone(workload: Workload, presence: 'left' | 'deleted', state: ChildState): News {
    const observation = (): ChildObservation => ({ heardAt: state.resourceVersion, presence, child: state });
    return { workload, table: this, gone: { uid: state.uid, observation } };
  }

  #add(uid: string, known: KnownChild): void {
    this.#children.set(uid, known);
    const uids = this.#byWorkload.get(known.workload);
    if (uids) uids.add(uid);
    else this.#byWorkload.set(known.workload, new Set([uid]));
  }

  #remove(uid: string, { workload }: KnownChild): void {
    this.#children.delete(uid);
    const uids = this.#byWorkload.get(workload);
    uids?.delete(uid);
    if (uids?.size === 0) this.#byWorkload.delete(workload);
    workload.changed = true;
    this.#workloads.dropIfEmpty(workload);
  }
}
