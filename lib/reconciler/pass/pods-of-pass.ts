// A workload's pods as the resource that all kinds have and count.
import type { PodsOfKind } from '../../kinds/rows/kind.ts';
import type { ChildPlace } from '../../kinds/rows/plan.ts';
import type { PodReader } from '../../kinds/rows/pod-reader.ts';
import type { PodSet } from '../../kinds/rows/pod-set.ts';
import type { KubernetesObject, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import { controllerOf, type PodFacts } from '../../objects/pods/pod-facts.ts';
import { PODS } from '../../objects/resources.ts';
import { isNewer } from '../../objects/values/resource-version.ts';
import type { ListAnswer } from '../../ports/cluster.ts';
import { NotFoundError } from '../../ports/errors.ts';
import type { ViewPart } from '../../wire/words/observations.ts';
import { RestoredServerError } from '../cluster/era.ts';
import type { ChildOrUid } from '../head/pass-state.ts';
import { newestObserved } from '../view/view.ts';
import type { PassContext } from './pass-context.ts';
import type { Answered, ResourceChildren } from './resource-children.ts';
import { ServedObjects } from './served-objects.ts';

/** A pass's knowledge of owner and pods. */
export interface KnownPods {
  readonly owner: WorkloadObject | undefined;
  readonly view: ViewPart;
  /** The existing pods, as observed last. */
  readonly pods: PodSet;
  readonly podReader: PodReader;
  /** How an intent names this pod. */
  childOf(pod: PodFacts): ChildOrUid;
  observePod(pod: Pod, options: { isNew: boolean }): void;
  observeGone(facts: PodFacts): void;
  /** The pods of a whole live list. */
  observeList(pods: readonly Pod[], floor: string): void;
}

/** If more known pods than this are missing from the list, one list of their namespace finds them. */
const MOST_STRAYED = 10;

export class PodsOfPass extends ServedObjects implements ResourceChildren {
  readonly children = this;
  readonly isCounted = true;
  readonly refusedReasons = undefined;
  readonly #known: KnownPods;
  readonly #facts: PodsOfKind<WorkloadObject>;

  constructor(about: PassContext, known: KnownPods, facts: PodsOfKind<WorkloadObject>) {
    super(about, PODS, known.podReader.reading);
    this.#known = known;
    this.#facts = facts;
  }

  /** Pods of an owner without a namespace may be anywhere. */
  get #where(): { namespace?: string } {
    const { namespace } = this.about.key;
    return namespace === '' ? {} : { namespace };
  }

  get namesAreReused(): boolean {
    return this.#facts.namesAreReused === true;
  }

  get plannerTellsOfTakenNames(): boolean {
    return this.#facts.plannerTellsOfTakenNames === true;
  }

  /**
   * Lists all pods live (R1, R18).
   * @param isUnknown the view may not show pods whose labels somebody has changed, so they are looked for too
   * @throws RestoredServerError
   */
  async list({ isUnknown = false }: { isUnknown?: boolean } = {}): Promise<void> {
    const newestKnown = newestObserved(this.#known.view);
    let list = await this.#list();
    // A live list cannot lag. If a second one confirms it, the API server has lost a state that was observed before (R3).
    if (isNewer(newestKnown, list.resourceVersion)) {
      this.about.sawStale(PODS);
      list = await this.#list();
    }
    if (isNewer(newestKnown, list.resourceVersion))
      throw new RestoredServerError(`the API server is at ${list.resourceVersion}, and ${newestKnown} had been observed`);
    const strayed = [...(isUnknown ? await this.#relabelled() : []), ...(await this.#strayed(list))];
    const items = [...list.items, ...strayed].filter((pod) => this.#facts.concerns(this.about.key, this.#known.podReader.factsOf(pod)));
    this.#known.observeList(items, list.resourceVersion);
    for (const pod of strayed)
      if (isNewer(pod.metadata.resourceVersion ?? '0', list.resourceVersion)) this.#known.observePod(pod, { isNew: false });
  }

  /**
   * Pods whose labels somebody has changed. No selector finds them, and yet they exist (R19). If the kind's pods have the tracking finalizer,
   * a missing pod without it is gone.
   */
  async #strayed({ items }: ListAnswer<Pod>): Promise<Pod[]> {
    const listed = new Set(items.map(({ metadata }) => metadata.uid));
    const isTracking = this.#facts.haveTrackingFinalizer === true;
    const missing = [...this.#known.pods].filter(({ uid, tracked }) => (tracked || !isTracking) && !listed.has(uid));
    if (missing.length === 0) return [];
    const uids = new Set(missing.map(({ uid }) => uid));
    const found: Pod[] = [];
    if (missing.length > MOST_STRAYED) {
      const all = await this.about.cluster.list<Pod>(PODS, { ...this.#where, ...this.#known.podReader.reading }, this.about.deadline);
      found.push(...all.items);
    } else
      for (const { namespace, name } of missing)
        try {
          found.push(
            (await this.about.cluster.get<Pod>(PODS, { namespace, name }, this.about.deadline, this.#known.podReader.reading)).object,
          );
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
        }
    return found.filter(({ metadata }) => uids.has(metadata.uid ?? ''));
  }

  async #relabelled(): Promise<Pod[]> {
    const selection = this.#facts.strayedSelection?.(this.about.key, this.#known.owner);
    if (!selection) return [];
    const { items } = await this.about.cluster.list<Pod>(
      PODS,
      { ...this.#where, ...selection, ...this.#known.podReader.reading },
      this.about.deadline,
    );
    return items.filter(({ metadata }) => controllerOf(metadata.ownerReferences)?.uid === this.about.key.uid);
  }

  async #list(): Promise<ListAnswer<Pod>> {
    const selection = this.#facts.selection(this.about.key, this.#known.owner);
    return await this.about.cluster.list<Pod>(
      PODS,
      { ...this.#where, ...selection, ...this.#known.podReader.reading },
      this.about.deadline,
    );
  }

  async readAgain(uid: string): Promise<void> {
    const facts = this.#factsOf(uid);
    if (!facts) return;
    try {
      const { object } = await this.about.cluster.get<Pod>(PODS, facts, this.about.deadline, this.#known.podReader.reading);
      if (object.metadata.uid === facts.uid) this.#known.observePod(object, { isNew: false });
      else this.#known.observeGone(facts);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      this.#known.observeGone(facts);
    }
  }

  isOurs(object: KubernetesObject): boolean {
    const facts = this.#known.podReader.factsOf(podOf(object));
    return facts.controller?.uid === this.about.key.uid || this.#mayAdopt(facts);
  }

  /** An orphan that the workload adopts by its labels. The watch may have shown it before the workload, so that it was nobody's. */
  #mayAdopt({ controller, deletedAt, labels }: PodFacts): boolean {
    const { owner } = this.#known;
    const matches = owner && this.#facts.ownSelector?.(owner);
    return controller === undefined && deletedAt === undefined && (matches?.(labels) ?? false);
  }

  isAt(object: KubernetesObject, place: ChildPlace | undefined): boolean {
    const child = this.#known.childOf(this.#known.podReader.factsOf(podOf(object)));
    return typeof child !== 'string' && child.slot === place?.slot && child.number === place.number;
  }

  observe(object: KubernetesObject, answered: Answered): void {
    const pod = podOf(object);
    // A released pod belongs to another owner from now on, and the view shows it so. A pod that is gone with its last finalizer is
    // answered at the version it had before. Do not observe it as unchanged, or it would be counted again (R18).
    if (answered === 'patch' && isGone(pod)) this.#known.observeGone(this.#known.podReader.factsOf(pod));
    else this.#known.observePod(pod, { isNew: answered === 'create' });
  }

  observeGone(uid: string): void {
    const facts = this.#factsOf(uid);
    if (facts) this.#known.observeGone(facts);
  }

  #factsOf(uid: string): PodFacts | undefined {
    return this.#known.view.children.get(uid)?.child;
  }
}

const podOf = (object: KubernetesObject): Pod => object as Pod;

const isGone = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0 && (metadata.finalizers ?? []).length === 0;
