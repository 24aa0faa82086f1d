// The knowledge of one pass: the view, and its own observations of the API server (R7).
import type { ChildState } from '../../objects/child-state.ts';
import type { KubernetesObject, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { isNewer, newest } from '../../objects/values/resource-version.ts';
import type { FailedCall, HeldName, ProviderCall } from '../../kinds/rows/plan.ts';
import { podReaderOf, type PodReader } from '../../kinds/rows/pod-reader.ts';
import { PodSet, type PodChange } from '../../kinds/rows/pod-set.ts';
import type { Answer } from '../../ports/cluster.ts';
import { NotFoundError } from '../../ports/errors.ts';
import type { ViewItem } from '../../ports/store.ts';
import type { OwnerObservation, PodObservation, ViewPart, WholeList } from '../../wire/words/observations.ts';
import { RestoredServerError } from '../cluster/era.ts';
import type { ChildOrUid } from '../head/pass-state.ts';
import { livingIn, mergeInto, type News } from '../view/view.ts';
import { KnownPart } from './known-part.ts';
import { PassChildren, type KnownParts } from './pass-children.ts';
import type { PassContext } from './pass-context.ts';

/** The owner is gone, or another object has its name. */
export class OwnerGoneError extends Error {}

export class Knowledge {
  readonly #about: PassContext;
  readonly #pods: KnownPart<PodFacts>;
  readonly viewAtStart: ViewPart;
  /** The view's items as this pass read them. */
  readonly items: ReadonlyMap<string, ViewItem> | undefined;
  /** The children of each resource. */
  readonly children: PassChildren;
  /** Names that objects of somebody else have, as creates of this pass met them. */
  readonly held = new Map<string, HeldName>();
  /** Objects that this pass's plans wanted, as they were when this pass read them. */
  readonly read = new Map<string, { objects: readonly KubernetesObject[] | undefined }>();
  /** Answers to the sights that this pass's plans wanted. */
  readonly sights = new Map<string, unknown>();
  /** The provider's call of this pass that failed. */
  failedCall: FailedCall | undefined;
  /** Calls that the provider has taken in this pass. */
  readonly calls: ProviderCall[] = [];
  readonly podReader: PodReader;
  /** Read in this pass, with all fields. */
  live: { owner: WorkloadObject; dateMs: number } | undefined;
  /** The pods were listed in this pass. */
  listed = false;
  /**
   * The owner turned out to be changed after the children were listed. Its status may already contain counts of pods on this list (R18).
   */
  listIsOlderThanOwner = false;
  /** This pass deleted the owner, and nothing is left of it. */
  gone = false;
  /** The namespace accepts no more pods. */
  namespaceEnds = false;
  /** The set of the view's pods, made at the first access. */
  #podSet: PodSet | undefined;
  /** Changes that the set does not contain yet. */
  #podChanges: PodChange[] = [];
  /** Observed in this pass and not yet written to the view (R7). */
  #ownerObserved: OwnerObservation | undefined;

  constructor(
    about: PassContext,
    given: { view: ViewPart; parts: KnownParts; podSet?: PodSet | undefined; items?: ReadonlyMap<string, ViewItem> | undefined },
  ) {
    this.#about = about;
    this.podReader = podReaderOf(about.facts);
    this.#pods = new KnownPart(given.view);
    this.viewAtStart = given.view;
    this.children = new PassChildren(about, this, given.parts);
    this.items = given.items;
    this.#podSet = given.podSet;
  }

  /** Owner and pods, as observed last. */
  get view(): ViewPart {
    return this.#pods.view;
  }

  /** The owner to plan with: as read live, else as observed last. Undefined also if the view holds only a marker for it. */
  get owner(): WorkloadObject | undefined {
    if (this.live) return this.live.owner;
    const known = this.view.owner;
    return known && !known.deleted && !this.#about.facts.isReadLive(known.object) ? known.object : undefined;
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
  observePod(pod: Pod, { isNew = false } = {}): void {
    const facts = this.podReader.factsOf(pod);
    const entry = this.view.children.get(facts.uid);
    const { resourceVersion: version } = facts;
    if (
      entry
        ? isFromAnotherPast(version, { heardAt: entry.heardAt, isGone: entry.presence !== 'there' }, entry.child.resourceVersion)
        : isNew && !isNewer(version, this.view.floor)
    )
      throw new RestoredServerError(`the API server shows pod ${facts.name} at an older version than had been observed`);
    this.#merge([{ heardAt: version, presence: 'there', child: facts }]);
  }

  /** A delete was answered, or a GET answered 404 about this very pod (R19). It counts as gone just after it was last observed. */
  observeGone(facts: PodFacts): void {
    const known = newest(this.view.children.get(facts.uid)?.heardAt ?? '0', facts.resourceVersion);
    this.#merge([{ heardAt: String(BigInt(known) + 1n), presence: 'deleted', child: facts }]);
  }

  /**
   * @param owner as the API server answered it, with all fields
   * @throws RestoredServerError
   */
  observeOwner(owner: WorkloadObject, dateMs: number): void {
    if (this.#isFromAnotherPast(owner))
      throw new RestoredServerError(
        `the API server shows ${this.#about.key.kind} ${this.#about.key.name} at an older version than had been observed`,
      );
    const heardAt = owner.metadata.resourceVersion ?? '0';
    this.live = { owner, dateMs };
    const observation = { heardAt, deleted: false, object: this.#about.facts.factsOf(owner) };
    if (!this.#ownerObserved || isNewer(heardAt, this.#ownerObserved.heardAt)) this.#ownerObserved = observation;
    mergeInto(this.view, { owner: observation, resource: this.view.resource, children: [], byPass: true });
  }

  /** The children of a whole live list. */
  observeList(pods: readonly Pod[], floor: string): void {
    this.listed = true;
    this.listIsOlderThanOwner = false;
    this.#merge(
      pods.map((pod) => ({ heardAt: floor, presence: 'there', child: this.podReader.factsOf(pod) })),
      { floor, slots: 'all' },
    );
  }

  #merge(pods: readonly PodObservation[], whole?: WholeList): void {
    this.#pods.merge(pods, whole, (before, after) => {
      const [was, now] = [before, after].map((one) => (one?.presence === 'there' ? one.child : undefined));
      if (this.#podSet && (was ?? now)) this.#podChanges.push({ was, now });
    });
  }

  /** The observations that must be written to the view before the pass ends. */
  get observations(): { own: News<PodFacts>; others: News<ChildState>[] } {
    return { own: { ...this.#pods.observed, owner: this.#ownerObserved }, others: this.children.observations };
  }

  /** Of the owner and the pods. */
  get hasNews(): boolean {
    return this.#ownerObserved !== undefined || this.#pods.hasNews;
  }

  /** Reads the owner live (R10). @throws OwnerGoneError */
  async readOwner(): Promise<{ owner: WorkloadObject; dateMs: number }> {
    if (this.#about.facts.isOwnerless) throw new OwnerGoneError('no owner is named');
    try {
      const { resource } = this.#about.facts;
      const get = async (): Promise<Answer<WorkloadObject>> =>
        await this.#about.cluster.get<WorkloadObject>(resource, this.#about.key, this.#about.deadline);
      let { object, dateMs } = await get();
      // An object does not go back. If a second read confirms it, the API server has lost a state that was observed before (R3).
      if (this.#isFromAnotherPast(object)) {
        this.#about.sawStale(resource);
        ({ object, dateMs } = await get());
      }
      if (object.metadata.uid !== this.#about.key.uid)
        throw new OwnerGoneError(`${this.#about.key.name} is another ${this.#about.key.kind} now`);
      const known = this.owner?.metadata.resourceVersion;
      this.observeOwner(object, dateMs);
      if (this.listed && object.metadata.resourceVersion !== known) this.listIsOlderThanOwner = true;
      return { owner: object, dateMs };
    } catch (error) {
      if (error instanceof NotFoundError)
        throw new OwnerGoneError(`${this.#about.key.kind} ${this.#about.key.namespace}/${this.#about.key.name} is gone`, { cause: error });
      throw error;
    }
  }

  #isFromAnotherPast({ metadata }: WorkloadObject): boolean {
    const known = this.view.owner;
    if (!known || known.object.metadata.uid !== metadata.uid) return false;
    return isFromAnotherPast(
      metadata.resourceVersion ?? '0',
      { heardAt: known.heardAt, isGone: known.deleted },
      known.object.metadata.resourceVersion ?? '0',
    );
  }

  /** How an intent names this pod. */
  childOf(pod: PodFacts): ChildOrUid {
    if (pod.number === undefined) return pod.uid;
    const { slotOf } = this.#about.facts.pods ?? {};
    const slot = slotOf ? slotOf(pod) : pod.index === undefined ? pod.number : Number(pod.index);
    return slot === undefined ? pod.uid : { slot, number: pod.number };
  }
}

/**
 * The answer to a call is never older than what was observed before the call, and an object that a list showed has no other version at the
 * list's own version. If it does, this API server has lost a state that it had shown (R3), even if its versions have caught up since. For a
 * tombstone only the object's own version counts.
 */
const isFromAnotherPast = (version: string, { heardAt, isGone }: { heardAt: string; isGone: boolean }, known: string): boolean =>
  version !== known && !isNewer(version, newest(isGone ? '0' : heardAt, known));
