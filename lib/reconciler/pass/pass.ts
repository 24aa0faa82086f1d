// One pass while it lasts: what it knows, what it has heard from the API server, what it must still write.
import type { KubernetesObject, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { PodFacts } from '../../objects/pod-facts.ts';
import { POD_FIELDS, POD_READING, controllerOf, podFactsOf } from '../../objects/pod-facts.ts';
import { isNewer, newest } from '../../objects/resource-version.ts';
import type { Counted } from '../../objects/reference-metrics.ts';
import { PODS, type Resource } from '../../objects/resources.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { KindFacts } from '../../kinds/kind.ts';
import type { Action } from '../../kinds/plan.ts';
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

/** The owner is not there any more, or another one of its name is. */
export class OwnerGoneError extends Error {}

/** More pods than this, known and not listed, are looked for with one list of their namespace. */
const MOST_STRAYED = 10;

export class Pass {
  readonly key: WorkloadKey;
  readonly record: ClusterRecord;
  /** Of its kind. */
  readonly facts: KindFacts;
  readonly row: PlannerRow;
  readonly deadline: Deadline;
  readonly startedAtMs: number;
  /** Which try it is at work that was put off; 1 when it was not. */
  readonly attempt: number;
  /** Cluster time minus ours, milliseconds (R12). */
  readonly offsetMs: number;
  /** Its id: only while it is the head's may this pass write there (R8). */
  readonly fence: string;
  /** As last read or written; its fence may be a later pass's by then. */
  head: UpdatedHead;
  state: PassState;
  /** This pass's own: what it hears is merged into it. */
  readonly view: ViewPart;
  /** Read in this pass, template and all. */
  live: { owner: WorkloadObject; dateMs: number } | undefined;
  /** The children were listed in this pass. */
  listed = false;
  /** The owner was found changed after that: what is counted on this list could be in its status already (R18). */
  listIsOlderThanOwner = false;
  readonly actions: PassRecord['actions'] = [];
  readonly why: string[] = [];
  /** What was decided last, and from what: for the flight recorder. */
  planned: Planned | undefined;
  /** To be told when the pass ends. */
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
  /** It takes no more pods. */
  namespaceEnds = false;
  /** What its plans wanted and this pass has read, as it was then. */
  readonly read = new Map<string, { objects: readonly KubernetesObject[] | undefined }>();
  /** What of the head's state must be durable before a plan that changes it is carried out, as the head has it. */
  durable: string;
  /** The API server found a status of this pass invalid. */
  wasRefused = false;
  /** Creates without an answer that were not there when looked for: they may yet take effect, so their intents stay (R6). */
  readonly unanswered: Child[] = [];
  /** The API server refused to change a pod, or to delete the owner. */
  wasHindered = false;
  /** Of the plan carried out last, at least one status write went through. */
  wroteStatus = false;
  readonly #connect: () => Cluster;
  #cluster: Cluster | undefined;
  /** Of the view's pods, made when first asked for. */
  #podSet: PodSet | undefined;
  /** Not yet in the set. */
  #podChanges: PodChange[] = [];
  /** Heard in this pass and not yet written to the view (R7). */
  #heard: { owner?: OwnerObservation; pods: Map<string, PodObservation>; whole?: WholeList } = { pods: new Map() };

  constructor(
    given: Pick<
      Pass,
      'key' | 'record' | 'facts' | 'row' | 'deadline' | 'startedAtMs' | 'attempt' | 'offsetMs' | 'head' | 'state' | 'view'
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
    this.viewAtOpening = given.view;
    this.items = given.items;
    this.#podSet = given.podSet;
  }

  /** Where there is no way to it, that is as if it did not answer: its own trouble, and no workload's (R14). @throws NotDoneError */
  get cluster(): Cluster {
    try {
      return (this.#cluster ??= this.#connect());
    } catch (error) {
      throw new NotDoneError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  /** The owner to plan with: live where it was read, else as last heard; undefined too where the view only marks it. */
  get owner(): WorkloadObject | undefined {
    if (this.live) return this.live.owner;
    const known = this.view.owner;
    return known && !known.deleted && !this.facts.isReadLive(known.object) ? known.object : undefined;
  }

  /** Of the owner's spec, as last heard; undefined where the owner is gone, or not known. */
  get generation(): number | undefined {
    const known = this.view.owner;
    return this.live?.owner.metadata.generation ?? (known && !known.deleted ? known.object.metadata.generation : undefined);
  }

  /** The pods that are there, as heard last. */
  get pods(): PodSet {
    const changes = this.#podChanges;
    if (this.#podSet === undefined) this.#podSet = PodSet.byPlace(livingIn(this.view));
    else if (changes.length > 0) this.#podSet = this.#podSet.with(changes);
    this.#podChanges = [];
    return this.#podSet;
  }

  /**
   * @param isNew it was created by this very call: later than any list
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

  /** A delete was answered, or a GET answered 404 about this very pod (R19): it is gone a moment after it was last heard of. */
  hearGone(facts: PodFacts): void {
    const known = newest(this.view.pods.get(facts.uid)?.heardAt ?? '0', facts.resourceVersion);
    this.#hear([{ heardAt: String(BigInt(known) + 1n), deleted: true, pod: facts }]);
  }

  /**
   * @param owner as the API server answered it, template and all
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

  /** What must be written to the view before the pass ends. */
  get heard(): { owner?: OwnerObservation; pods: PodObservation[]; whole?: WholeList } {
    return { ...this.#heard, pods: [...this.#heard.pods.values()] };
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
      // An object does not go back: confirmed by a second look, the API server has lost what was heard from it (R3).
      if (this.#isFromAnotherPast(object)) {
        this.#sawStale(resource);
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

  #sawStale(resource: Resource): void {
    this.counted.push(...(this.row.metrics.ofStaleRead?.(resource) ?? []));
  }

  #isFromAnotherPast({ metadata }: WorkloadObject): boolean {
    const known = this.view.owner;
    if (!known || known.object.metadata.uid !== metadata.uid) return false;
    return isFromAnotherPast(metadata.resourceVersion ?? '0', known, known.object.metadata.resourceVersion ?? '0');
  }

  /**
   * Lists the children live and whole (R1, R18).
   * @param isUnknown nothing that was heard before tells of children whose labels somebody has changed: they are looked for too
   * @throws RestoredServerError
   */
  async listChildren({ isUnknown = false }: { isUnknown?: boolean } = {}): Promise<void> {
    const heard = newestPodHeard(this.view);
    let list = await this.#list();
    // A live list cannot lag: confirmed by a second one, the API server has lost what was heard from it (R3).
    if (isNewer(heard, list.resourceVersion)) {
      this.#sawStale(PODS);
      list = await this.#list();
    }
    if (isNewer(heard, list.resourceVersion))
      throw new RestoredServerError(`the API server is at ${list.resourceVersion}, and ${heard} had been heard from it`);
    const strayed = [...(isUnknown ? await this.#relabelled() : []), ...(await this.#strayed(list))];
    const items = [...list.items, ...strayed].filter((pod) => this.facts.pods.concerns(this.key, podFactsOf(pod)));
    this.hearList(items, list.resourceVersion);
    for (const pod of strayed) if (isNewer(pod.metadata.resourceVersion ?? '0', list.resourceVersion)) this.hearPod(pod);
  }

  /** Pods with our finalizer whose labels somebody has changed: no selector finds them, and yet they are there (R19). */
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

  /** One child live; 404 about it makes a tombstone. */
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
  childOf(pod: Pick<PodFacts, 'uid' | 'index' | 'number'>): ChildOrUid {
    if (pod.number === undefined) return pod.uid;
    return { slot: pod.index === undefined ? pod.number : Number(pod.index), number: pod.number };
  }
}

/**
 * What answers a call is never older than what was heard before it, and at the version of a list an object has no other version than the
 * list showed: else this API server has lost what it told (R3), also where it has caught up with the versions since. Of a tombstone only the
 * object's own version counts.
 */
const isFromAnotherPast = (version: string, { heardAt, deleted }: Pick<PodObservation, 'heardAt' | 'deleted'>, known: string): boolean =>
  version !== known && !isNewer(version, newest(deleted ? '0' : heardAt, known));
