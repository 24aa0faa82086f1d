// What the relay knows: workloads, their pods in compact form, versions. It proves nothing (R19); it is there to group, to compare and
// to send the newest state.
import { jobFactsOf } from '../objects/job-facts.ts';
import type { Job, KubernetesObject, ObjectMeta, Pod } from '../objects/kubernetes.ts';
import type { LabelMatcher } from '../objects/label-selector.ts';
import { matcherOf } from '../objects/label-selector.ts';
import { podFactsOf } from '../objects/pod-facts.ts';
import { compareResourceVersions, isNewer, isResourceVersion } from '../objects/resource-version.ts';
import { digestOf } from '../wire/digest.ts';
import type { OwnerName } from '../wire/observations.ts';
import type { CompactPod } from './compact-pod.ts';
import { nameOf, overwrite, PodShapes } from './compact-pod.ts';
import type { Belonging } from './project.ts';
import { belongingOf, isForeign, isTracked, orphanOf } from './project.ts';

export interface CachedPod {
  workload: Workload;
  facts: CompactPod;
  /** `departed`: it lives on, but is nobody's business any more. `forgotten`: a list did not name it, which the list itself tells. */
  state: 'present' | 'deleted' | 'departed' | 'forgotten';
  /** The list in which it was named last, see `beginList`. */
  list: number;
}

export interface Workload {
  owner: OwnerName;
  /** Undefined: its Job has not been heard of, or is gone. */
  job: { version: string; foreign: boolean } | undefined;
  /** JSON of the Job's facts, from when it was heard until it was sent. */
  unsent: { body: string; deleted: boolean } | undefined;
  pods: Set<CachedPod>;
  list: number;
  /** Since the last heartbeat. */
  changed: boolean;
}

/** A workload and what of it has news. */
export interface News {
  workload: Workload;
  pod?: CachedPod;
}

/** An object, and the version of its own at which it is known. */
export interface OwnVersion {
  uid: string;
  namespace: string;
  name: string;
  version: string;
}

/** Jobs whose pods may outlive them in events: their uids are remembered so that those pods stay foreign. */
const FOREIGN_REMEMBERED = 20_000;

export class RelayCache {
  readonly #manage: 'own' | 'all';
  readonly #shapes = new PodShapes();
  readonly #workloads = new Map<string, Workload>();
  readonly #pods = new Map<string, CachedPod>();
  /** Jobs that choose their pods by a selector of their own, by namespace. */
  readonly #manual = new Map<string, Map<string, { workload: Workload; matches: LabelMatcher }>>();
  readonly #departedForeign = new Set<string>();
  #list = 0;

  constructor({ manage }: { manage: 'own' | 'all' }) {
    this.#manage = manage;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  /** Those to report on; foreign ones are known but kept quiet about. */
  *workloads(namespace?: string): Generator<Workload> {
    for (const workload of this.#workloads.values())
      if (!workload.job?.foreign && (namespace === undefined || workload.owner.namespace === namespace)) yield workload;
  }

  workload(uid: string): Workload | undefined {
    return this.#workloads.get(uid);
  }

  /** @returns the mark of a new list: what it names carries it */
  beginList(): number {
    this.#list += 1;
    return this.#list;
  }

  // --- Jobs

  /** @returns undefined for a Job of somebody else, or one that could not be named in a message */
  putJob(job: Job, list?: number): News | undefined {
    const owner = jobOwnerOf(job);
    if (!owner) return undefined;
    const workload = this.#workloadOf(owner);
    const version = job.metadata.resourceVersion ?? '0';
    const foreign = isForeign(job.spec, this.#manage);
    if (list !== undefined) workload.list = list;
    // An answer may be older than what the watch has told since. A list is what there is: the watch goes on from it, also where the
    // API server was restored from an older state (R3).
    if (list === undefined && workload.job && isNewer(workload.job.version, version)) return undefined;
    workload.job = { version, foreign };
    if (foreign) {
      for (const pod of workload.pods) this.#forget(pod);
      return undefined;
    }
    this.#learnSelector(workload, job);
    workload.unsent = { body: JSON.stringify(jobFactsOf(job)), deleted: false };
    workload.changed = true;
    return { workload };
  }

  deleteJob(job: Job): News | undefined {
    const owner = jobOwnerOf(job);
    const workload = owner && this.#workloads.get(owner.uid);
    if (!workload) return undefined;
    const foreign = workload.job?.foreign ?? isForeign(job.spec, this.#manage);
    this.#forgetJob(workload);
    if (foreign) return undefined;
    workload.unsent = { body: JSON.stringify(jobFactsOf(job)), deleted: true };
    return { workload };
  }

  /** Forgets the Jobs of these namespaces that the list did not name. */
  endJobList(list: number, namespace: string | undefined): void {
    for (const workload of this.#workloads.values())
      if (workload.job && workload.list !== list && (namespace === undefined || workload.owner.namespace === namespace)) {
        this.#forgetJob(workload);
        workload.unsent = undefined;
      }
  }

  #forgetJob(workload: Workload): void {
    if (workload.job?.foreign) this.#rememberForeign(workload.owner.uid);
    workload.job = undefined;
    workload.changed = false;
    this.#manual.get(workload.owner.namespace)?.delete(workload.owner.uid);
    this.#dropIfEmpty(workload);
  }

  #rememberForeign(uid: string): void {
    this.#departedForeign.add(uid);
    if (this.#departedForeign.size <= FOREIGN_REMEMBERED) return;
    const [oldest] = this.#departedForeign;
    if (oldest !== undefined) this.#departedForeign.delete(oldest);
  }

  #learnSelector(workload: Workload, { spec }: Job): void {
    if (spec.manualSelector !== true) return;
    const { namespace, uid } = workload.owner;
    const jobs = this.#manual.get(namespace) ?? new Map<string, { workload: Workload; matches: LabelMatcher }>();
    this.#manual.set(namespace, jobs);
    try {
      jobs.set(uid, { workload, matches: matcherOf(spec.selector) });
    } catch {
      // A selector that cannot be read chooses nothing; the planner says so.
      jobs.delete(uid);
    }
  }

  // --- pods

  /** @returns the news for its workload, and for the one it belonged to before; none for pods of nobody or of somebody else */
  putPod(pod: Pod, list?: number): News[] {
    return this.#heardPod(pod, { deleted: false, list });
  }

  deletePod(pod: Pod): News[] {
    return this.#heardPod(pod, { deleted: true, list: undefined });
  }

  /** Forgets the pods of these namespaces that the list did not name. */
  endPodList(list: number, namespace: string | undefined): void {
    for (const pod of this.#pods.values())
      if (pod.list !== list && (namespace === undefined || pod.workload.owner.namespace === namespace)) this.#forget(pod);
  }

  #heardPod(pod: Pod, { deleted, list }: { deleted: boolean; list: number | undefined }): News[] {
    const { metadata } = pod;
    const known = this.#pods.get(metadata.uid ?? '');
    if (known && list !== undefined) known.list = list;
    if (list === undefined && known && compareResourceVersions(metadata.resourceVersion ?? '0', known.facts.version) < 0) return [];
    const before = known?.workload;
    const owner = this.#ownerOf(metadata);
    // Nobody's any more: the workload it belonged to must hear of that.
    const workload = owner ? this.#workloadOf(owner) : before;
    if (!workload || !isPodNamed(metadata)) return [];
    const facts = this.#shapes.compact(podFactsOf(pod), workload.owner, before === workload ? known?.facts : undefined);
    if (!facts) {
      this.#dropIfEmpty(workload);
      return [];
    }
    const state = deleted ? 'deleted' : owner ? 'present' : 'departed';
    const cached: CachedPod = known ?? { workload, facts, state, list: list ?? this.#list };
    if (known) {
      this.#shapes.release(known.facts);
      if (before !== workload || state !== 'present') known.workload.pods.delete(known);
      known.workload = workload;
      known.state = state;
      // Into what is there already: a new object for each event would age and be collected at the highest price.
      overwrite(known.facts, facts);
    }
    workload.changed = true;
    if (state !== 'present') {
      this.#pods.delete(facts.uid);
      this.#shapes.release(facts);
    } else {
      if (!known) this.#pods.set(facts.uid, cached);
      workload.pods.add(cached);
    }
    const news: News[] = [{ workload, pod: cached }];
    if (before && before !== workload) {
      before.changed = true;
      news.push({ workload: before, pod: cached });
      this.#dropIfEmpty(before);
    }
    if (state !== 'present') this.#dropIfEmpty(workload);
    return news;
  }

  /** The workload that a pod with this metadata reports to; undefined: nobody that concerns us. */
  #ownerOf(metadata: ObjectMeta): OwnerName | undefined {
    const named = belongingOf(metadata);
    // A Job that chooses it may adopt it; failing that, our finalizer alone makes it our business.
    const belonging = named === undefined || named.by === 'finalizer' ? (this.#chosenBySelector(metadata) ?? named) : named;
    if (!belonging) return undefined;
    const { owner, by } = belonging;
    const known = this.#workloads.get(owner.uid);
    if (known?.job && !known.job.foreign) return known.owner;
    // Where nobody but us looks after finalizers, one is left on what a Job of somebody else left behind; while it lives, it is theirs.
    if (known?.job) return this.#manage === 'all' ? orphanOf(metadata)?.owner : undefined;
    if (this.#departedForeign.has(owner.uid) && !(this.#manage === 'all' && isTracked(metadata))) return undefined;
    // The Job may be heard of in a moment; what merely carries labels of one that is gone is of no account, unless our finalizer is on it.
    return by !== 'labels' || isTracked(metadata) ? owner : undefined;
  }

  #chosenBySelector({ namespace = '', labels, ownerReferences }: ObjectMeta): Belonging | undefined {
    const jobs = this.#manual.get(namespace);
    if (!jobs || ownerReferences?.some(({ controller }) => controller)) return undefined;
    for (const { workload, matches } of jobs.values()) if (matches(labels ?? {})) return { owner: workload.owner, by: 'labels' };
    return undefined;
  }

  #forget(pod: CachedPod): void {
    pod.state = 'forgotten';
    this.#pods.delete(pod.facts.uid);
    this.#shapes.release(pod.facts);
    pod.workload.pods.delete(pod);
    pod.workload.changed = true;
    this.#dropIfEmpty(pod.workload);
  }

  // --- workloads

  #workloadOf(owner: OwnerName): Workload {
    const known = this.#workloads.get(owner.uid);
    if (known) return known;
    const workload: Workload = { owner, job: undefined, unsent: undefined, pods: new Set(), list: this.#list, changed: true };
    this.#workloads.set(owner.uid, workload);
    return workload;
  }

  #dropIfEmpty(workload: Workload): void {
    if (!workload.job && workload.pods.size === 0) this.#workloads.delete(workload.owner.uid);
  }

  // --- comparing

  /** Of the Job and all its pods, as the view makes it from the same knowledge. */
  digestOf({ owner, job, pods }: Workload): string {
    const members = [...pods].map(({ facts }) => ({ uid: facts.uid, resourceVersion: facts.version }));
    return digestOf(job ? [...members, { uid: owner.uid, resourceVersion: job.version }] : members);
  }

  /** Whether a listed object is known in this version or a later one, or is none of ours. */
  knowsPod(metadata: ObjectMeta): boolean {
    const known = this.#pods.get(metadata.uid ?? '');
    if (known) return !isNewer(metadata.resourceVersion ?? '0', known.facts.version);
    return !this.#ownerOf(metadata) || !isPodNamed(metadata);
  }

  knowsJob(metadata: ObjectMeta): boolean {
    const job = this.#workloads.get(metadata.uid ?? '')?.job;
    return job !== undefined ? !isNewer(metadata.resourceVersion ?? '0', job.version) : !jobOwnerOf({ metadata });
  }

  /** What is known at or below that version. */
  *podsUntil(version: string, namespace: string | undefined): Generator<OwnVersion> {
    for (const [uid, { facts, workload }] of this.#pods)
      if (!isNewer(facts.version, version) && (namespace === undefined || workload.owner.namespace === namespace))
        yield { uid, namespace: workload.owner.namespace, name: nameOf(facts, workload.owner), version: facts.version };
  }

  *jobsUntil(version: string, namespace: string | undefined): Generator<OwnVersion> {
    for (const { job, owner } of this.#workloads.values())
      if (job && !isNewer(job.version, version) && (namespace === undefined || owner.namespace === namespace))
        yield { uid: owner.uid, namespace: owner.namespace, name: owner.name, version: job.version };
  }
}

function jobOwnerOf({ metadata }: KubernetesObject): OwnerName | undefined {
  const { name = '', namespace = '', uid = '', resourceVersion } = metadata;
  return name !== '' && namespace !== '' && uid !== '' && isResourceVersion(resourceVersion)
    ? { kind: 'Job', namespace, name, uid }
    : undefined;
}

const isPodNamed = ({ name, namespace, uid, resourceVersion }: ObjectMeta): boolean =>
  Boolean(name && namespace && uid) && isResourceVersion(resourceVersion);
