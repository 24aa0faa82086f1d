// One pass while it runs: its knowledge, its observations of the API server, and its pending writes.
import type { KubernetesObject, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { PodFacts } from '../../objects/pod-facts.ts';
import { POD_FIELDS, POD_READING, controllerOf, podFactsOf } from '../../objects/pod-facts.ts';
import { isNewer, newest } from '../../objects/resource-version.ts';
import type { Counted } from '../../objects/reference-metrics.ts';
import { PODS, type Resource } from '../../objects/resources.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { KindFacts } from '../../kinds/kind.ts';
import type { Action, HeldName } from '../../kinds/plan.ts';
import type { PlannerRow, SyncLabels } from '../../kinds/planner-row.ts';
import { PodSet, type PodChange } from '../../kinds/pod-set.ts';
import type { Deadline } from '../../ports/clock.ts';
import type { Answer, Cluster, ListAnswer } from '../../ports/cluster.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { NotDoneError, NotFoundError } from '../../ports/errors.ts';
import type { PassRecord } from '../../ports/recorder.ts';
import type { UpdatedHead, ViewItem } from '../../ports/store.ts';
import type { OwnerObservation, PodObservation, ViewPart, WholeList } from '../../wire/observations.ts';
import { RestoredServerError } from '../cluster/era.ts';
import { durableText } from '../head/kept.ts';
import type { Child, ChildOrUid, PassState } from '../head/pass-state.ts';
import type { Planned } from '../report/recorded-plan.ts';
import { isLater, livingIn, mergeInto, newestPodHeard } from '../view/view.ts';
import type { HeardChildren, PassChildren } from './pass-children.ts';

/** The owner is gone, or another object has its name. */
export class OwnerGoneError extends Error {}

/** If more known pods than this are missing from the list, one list of their namespace finds them. */
const MOST_STRAYED = 10;

export class Pass {
  readonly key: WorkloadKey;
  readonly record: ClusterRecord;
  /** The facts of its kind. */
  readonly facts: KindFacts;
  readonly row: PlannerRow;
  readonly deadline: Deadline;
  readonly startedAtMs: number;
  /** Counts the tries of work that was put off; 1 if it was not. */
  readonly attempt: number;
  /** Cluster time minus ours, milliseconds (R12). */
  readonly offsetMs: number;
  /** The pass's id. The pass may write the head only while the head holds this fence (R8). */
  readonly fence: string;
  /** As last read or written. Its fence may be a later pass's by then. */
  head: UpdatedHead;
  state: PassState;
  /** This pass's own copy. Observations of this pass are merged into it. */
  readonly view: ViewPart;
  /** Children other than pods. */
  readonly children: PassChildren;
  /** Names that objects of somebody else have, as creates of this pass met them. */
  readonly held = new Map<string, HeldName>();
  /** A create of the latest plan met an object that has its name. The pass plans again from that. */
  metNamesake = false;
  /** Read in this pass, with all fields. */
  live: { owner: WorkloadObject; dateMs: number } | undefined;
  /** The children were listed in this pass. */
  listed = false;
  /**
   * The owner turned out to be changed after the children were listed. Its status may already contain counts of pods on this list (R18).
   */
  listIsOlderThanOwner = false;
  readonly actions: PassRecord['actions'] = [];
  readonly why: string[] = [];
  /** The latest decision and its input, for the flight recorder. */
  planned: Planned | undefined;
  /** Sent when the pass ends. */
  readonly events: Extract<Action, { verb: 'event' }>[] = [];
  readonly viewAtOpening: ViewPart;
  /** The view's items as this pass read them. */
  readonly items: ReadonlyMap<string, ViewItem> | undefined;
  /** For upstream's metrics: what the API server confirmed in this pass. */
  readonly counted: Counted[] = [];
  /** Set once it is one of upstream's syncs: what the first plan did. */
  sync: SyncLabels | undefined;
  /** This pass deleted the owner, and nothing is left of it. */
  gone = false;
  /** The namespace accepts no more pods. */
  namespaceEnds = false;
  /** Objects that this pass's plans wanted, as they were when this pass read them. */
  readonly read = new Map<string, { objects: readonly KubernetesObject[] | undefined }>();
  /** The part of the head's state that must be durable before a plan that changes it is carried out, as the head has it. */
  durable: string;
  /** The API server found a status of this pass invalid. */
  wasRefused = false;
  /** Creates without an answer that a look did not find. They may yet take effect, so their intents stay (R6). */
  readonly unanswered: Child[] = [];
  /** The API server refused to change a pod, or to delete the owner. */
  wasHindered = false;
  /** At least one status write of the latest plan succeeded. */
  wroteStatus = false;
  readonly #connect: () => Cluster;
  #cluster: Cluster | undefined;
  /** The set of the view's pods, made at the first access. */
  #podSet: PodSet | undefined;
  /** Changes that the set does not contain yet. */
  #podChanges: PodChange[] = [];
  /** Observed in this pass and not yet written to the view (R7). */
  #heard: { owner?: OwnerObservation; pods: Map<string, PodObservation>; whole?: WholeList } = { pods: new Map() };

  constructor(
    given: Pick<
      Pass,
      'key' | 'record' | 'facts' | 'row' | 'deadline' | 'startedAtMs' | 'attempt' | 'offsetMs' | 'head' | 'state' | 'view' | 'children'
    > & {
      connect: () => Cluster;
      podSet?: PodSet | undefined;
      items?: ReadonlyMap<string, ViewItem> | undefined;
    },
  ) {
    this.key = given.key;
    this.record = given.record;
    this.facts = given.facts;
    this.row = given.row;
    this.#connect = given.connect;
    this.deadline = given.deadline;
    this.startedAtMs = given.startedAtMs;
    this.attempt = given.attempt;
    this.offsetMs = given.offsetMs;
    this.fence = given.head.fence;
    this.head = given.head;
    this.state = given.state;
    this.durable = durableText(given.state);
    this.view = given.view;
    this.children = given.children;
    this.viewAtOpening = given.view;
    this.items = given.items;
    this.#podSet = given.podSet;
  }

  /**
   * A cluster without a way to it is treated like one that does not answer: the trouble is the cluster's, not a workload's (R14). @throws
   * NotDoneError
   */
  get cluster(): Cluster {
    try {
      return (this.#cluster ??= this.#connect());
    } catch (error) {
      throw new NotDoneError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  /** The owner to plan with: as read live, else as observed last. Undefined also if the view holds only a marker for it. */
  get owner(): WorkloadObject | undefined {
    if (this.live) return this.live.owner;
    const known = this.view.owner;
    return known && !known.deleted && !this.facts.isReadLive(known.object) ? known.object : undefined;
  }

  /** The generation of the owner's spec as observed last; undefined if the owner is gone or unknown. */
  get generation(): number | undefined {
    const known = this.view.owner;
    return this.live?.owner.metadata.generation ?? (known && !known.deleted ? known.object.metadata.generation : undefined);
  }

  /** The existing pods, as observed last. */
  get pods(): PodSet {
    const changes = this.#podChanges;
    if (this.#podSet === undefined) this.#podSet = PodSet.byPlace(livingIn(this.view));
    else if (changes.length > 0) this.#podSet = this.#podSet.with(changes);
    this.#podChanges = [];
    return this.#podSet;
  }

  /**
   * @param isNew this very call created it, so it is later than any list
   * @throws RestoredServerError
   */
  hearPod(pod: Pod, { isNew = false } = {}): void {
    const facts = podFactsOf(pod);
    const entry = this.view.pods.get(facts.uid);
    const { resourceVersion: version } = facts;
    if (entry ? isFromAnotherPast(version, entry, entry.pod.resourceVersion) : isNew && !isNewer(version, this.view.floor))
      throw new RestoredServerError(`the API server shows pod ${facts.name} at an older version than had been heard from it`);
    this.#hear([{ heardAt: version, deleted: false, pod: facts }]);
  }

  /** A delete was answered, or a GET answered 404 about this very pod (R19). It counts as gone just after it was last observed. */
  hearGone(facts: PodFacts): void {
    const known = newest(this.view.pods.get(facts.uid)?.heardAt ?? '0', facts.resourceVersion);
    this.#hear([{ heardAt: String(BigInt(known) + 1n), deleted: true, pod: facts }]);
  }

  /**
   * @param owner as the API server answered it, with all fields
   * @throws RestoredServerError
   */
  hearOwner(owner: WorkloadObject, dateMs: number): void {
    if (this.#isFromAnotherPast(owner))
      throw new RestoredServerError(
        `the API server shows ${this.key.kind} ${this.key.name} at an older version than had been heard from it`,
      );
    const heardAt = owner.metadata.resourceVersion ?? '0';
    this.live = { owner, dateMs };
    const observation = { heardAt, deleted: false, object: this.facts.factsOf(owner) };
    if (!this.#heard.owner || isNewer(heardAt, this.#heard.owner.heardAt)) this.#heard.owner = observation;
    mergeInto(this.view, { owner: observation, pods: [], byPass: true });
  }

  /** The children of a whole live list. */
  hearList(pods: readonly Pod[], floor: string): void {
    this.listed = true;
    this.listIsOlderThanOwner = false;
    const whole: WholeList = { floor, slots: 'all' };
    this.#heard.whole = whole;
    this.#hear(
      pods.map((pod) => ({ heardAt: floor, deleted: false, pod: podFactsOf(pod) })),
      whole,
    );
  }

  #hear(pods: PodObservation[], whole?: WholeList): void {
    for (const observation of pods) {
      const known = this.#heard.pods.get(observation.pod.uid);
      if (!known || isLater(observation, known)) this.#heard.pods.set(observation.pod.uid, observation);
    }
    mergeInto(this.view, { pods, ...(whole && { whole }), byPass: true }, (was, now) => {
      const change = { was: was && !was.deleted ? was.pod : undefined, now: now && !now.deleted ? now.pod : undefined };
      if (this.#podSet && (change.was ?? change.now)) this.#podChanges.push(change);
    });
  }

  /** The observations that must be written to the view before the pass ends. */
  get heard(): { owner?: OwnerObservation; pods: PodObservation[]; whole?: WholeList; children: HeardChildren[] } {
    return { ...this.#heard, pods: [...this.#heard.pods.values()], children: this.children.heard };
  }

  get hasNews(): boolean {
    return this.#heard.owner !== undefined || this.#heard.whole !== undefined || this.#heard.pods.size > 0;
  }

  /** Reads the owner live (R10). @throws OwnerGoneError */
  async readOwner(): Promise<{ owner: WorkloadObject; dateMs: number }> {
    if (this.facts.isOwnerless) throw new OwnerGoneError('no owner is named');
    try {
      const { resource } = this.facts;
      const get = async (): Promise<Answer<WorkloadObject>> => await this.cluster.get<WorkloadObject>(resource, this.key, this.deadline);
      let { object, dateMs } = await get();
      // An object does not go back. If a second read confirms it, the API server has lost a state that was observed before (R3).
      if (this.#isFromAnotherPast(object)) {
        this.sawStale(resource);
        ({ object, dateMs } = await get());
      }
      if (object.metadata.uid !== this.key.uid) throw new OwnerGoneError(`${this.key.name} is another ${this.key.kind} now`);
      const known = this.owner?.metadata.resourceVersion;
      this.hearOwner(object, dateMs);
      if (this.listed && object.metadata.resourceVersion !== known) this.listIsOlderThanOwner = true;
      return { owner: object, dateMs };
    } catch (error) {
      if (error instanceof NotFoundError)
        throw new OwnerGoneError(`${this.key.kind} ${this.key.namespace}/${this.key.name} is gone`, { cause: error });
      throw error;
    }
  }

  /** A read was older than an earlier observation. */
  sawStale(resource: Resource): void {
    this.counted.push(...(this.row.metrics.ofStaleRead?.(resource) ?? []));
  }

  #isFromAnotherPast({ metadata }: WorkloadObject): boolean {
    const known = this.view.owner;
    if (!known || known.object.metadata.uid !== metadata.uid) return false;
    return isFromAnotherPast(metadata.resourceVersion ?? '0', known, known.object.metadata.resourceVersion ?? '0');
  }

  /**
   * Lists all children live (R1, R18).
   * @param isUnknown the view may not show children whose labels somebody has changed, so they are looked for too
   * @throws RestoredServerError
   */
  async listChildren({ isUnknown = false }: { isUnknown?: boolean } = {}): Promise<void> {
    const heard = newestPodHeard(this.view);
    let list = await this.#list();
    // A live list cannot lag. If a second one confirms it, the API server has lost a state that was observed before (R3).
    if (isNewer(heard, list.resourceVersion)) {
      this.sawStale(PODS);
      list = await this.#list();
    }
    if (isNewer(heard, list.resourceVersion))
      throw new RestoredServerError(`the API server is at ${list.resourceVersion}, and ${heard} had been heard from it`);
    const strayed = [...(isUnknown ? await this.#relabelled() : []), ...(await this.#strayed(list))];
    const items = [...list.items, ...strayed].filter((pod) => this.facts.pods.concerns(this.key, podFactsOf(pod)));
    this.hearList(items, list.resourceVersion);
    for (const pod of strayed) if (isNewer(pod.metadata.resourceVersion ?? '0', list.resourceVersion)) this.hearPod(pod);
  }

  /** Pods with our finalizer whose labels somebody has changed. No selector finds them, and yet they exist (R19). */
  async #strayed({ items }: ListAnswer<Pod>): Promise<Pod[]> {
    const listed = new Set(items.map(({ metadata }) => metadata.uid));
    const missing = [...this.pods].filter(({ uid, tracked }) => tracked && !listed.has(uid));
    if (missing.length === 0) return [];
    const uids = new Set(missing.map(({ uid }) => uid));
    const found: Pod[] = [];
    if (missing.length > MOST_STRAYED) {
      const all = await this.cluster.list<Pod>(PODS, { namespace: this.key.namespace, fields: POD_FIELDS }, this.deadline);
      found.push(...all.items);
    } else
      for (const { namespace, name } of missing)
        try {
          found.push((await this.cluster.get<Pod>(PODS, { namespace, name }, this.deadline, POD_READING)).object);
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
        }
    return found.filter(({ metadata }) => uids.has(metadata.uid ?? ''));
  }

  async #relabelled(): Promise<Pod[]> {
    const selection = this.facts.pods.strayedSelection?.(this.key, this.owner);
    if (!selection) return [];
    const { items } = await this.cluster.list<Pod>(
      PODS,
      { namespace: this.key.namespace, ...selection, fields: POD_FIELDS },
      this.deadline,
    );
    return items.filter(({ metadata }) => controllerOf(metadata.ownerReferences)?.uid === this.key.uid);
  }

  async #list(): Promise<ListAnswer<Pod>> {
    const selection = this.facts.pods.selection(this.key, this.owner);
    return await this.cluster.list<Pod>(PODS, { namespace: this.key.namespace, ...selection, fields: POD_FIELDS }, this.deadline);
  }

  /** Reads one child live. A 404 makes a tombstone. */
  async readChild(facts: PodFacts): Promise<void> {
    try {
      const { object } = await this.cluster.get<Pod>(PODS, facts, this.deadline, POD_READING);
      if (object.metadata.uid === facts.uid) this.hearPod(object);
      else this.hearGone(facts);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      this.hearGone(facts);
    }
  }

  /** How an intent names this pod. */
  childOf(pod: PodFacts): ChildOrUid {
    if (pod.number === undefined) return pod.uid;
    const { slotOf } = this.facts.pods;
    const slot = slotOf ? slotOf(pod) : pod.index === undefined ? pod.number : Number(pod.index);
    return slot === undefined ? pod.uid : { slot, number: pod.number };
  }
}

/**
 * The answer to a call is never older than what was observed before the call, and an object that a list showed has no other version at the
 * list's own version. If it does, this API server has lost a state that it had shown (R3), even if its versions have caught up since. For a
 * tombstone only the object's own version counts.
 */
const isFromAnotherPast = (version: string, { heardAt, deleted }: Pick<PodObservation, 'heardAt' | 'deleted'>, known: string): boolean =>
  version !== known && !isNewer(version, newest(deleted ? '0' : heardAt, known));
