// A workload's pods as the resource that all kinds have and count.
import type { ChildPlace } from '../../kinds/rows/plan.ts';
import type { PodReader } from '../../kinds/rows/pod-reader.ts';
import type { KubernetesObject, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { PODS } from '../../objects/resources.ts';
import type { ViewPart } from '../../wire/words/observations.ts';
import type { ChildOrUid } from '../head/pass-state.ts';
import type { PassContext } from './pass-context.ts';
import type { Answered, ResourceChildren } from './resource-children.ts';
import { ServedObjects } from './served-objects.ts';

/** A pass's knowledge of owner and pods. */
export interface KnownPods {
  readonly owner: WorkloadObject | undefined;
  readonly view: ViewPart;
  readonly podReader: PodReader;
  /** How an intent names this pod. */
  childOf(pod: PodFacts): ChildOrUid;
  observePod(pod: Pod, options: { isNew: boolean }): void;
  observeGone(facts: PodFacts): void;
  listPods(options: { isUnknown?: boolean } | undefined): Promise<void>;
  readPod(facts: PodFacts): Promise<void>;
}

export class PodsOfPass extends ServedObjects implements ResourceChildren {
  readonly children = this;
  readonly isCounted = true;
  readonly refusedReasons = undefined;
  readonly #known: KnownPods;

  constructor(about: PassContext, known: KnownPods) {
    super(about, PODS, known.podReader.reading);
    this.#known = known;
  }

  get namesAreReused(): boolean {
    return this.about.facts.pods.namesAreReused === true;
  }

  get plannerTellsOfTakenNames(): boolean {
    return this.about.facts.pods.plannerTellsOfTakenNames === true;
  }

  async list(options?: { isUnknown?: boolean }): Promise<void> {
    await this.#known.listPods(options);
  }

  async readAgain(uid: string): Promise<void> {
    const facts = this.#factsOf(uid);
    if (facts) await this.#known.readPod(facts);
  }

  isOurs(object: KubernetesObject): boolean {
    const facts = this.#known.podReader.factsOf(podOf(object));
    return facts.controller?.uid === this.about.key.uid || this.#mayAdopt(facts);
  }

  /** An orphan that the workload adopts by its labels. The watch may have shown it before the workload, so that it was nobody's. */
  #mayAdopt({ controller, deletedAt, labels }: PodFacts): boolean {
    const { owner } = this.#known;
    const matches = owner && this.about.facts.pods.ownSelector?.(owner);
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
    return this.#known.view.pods.get(uid)?.pod;
  }
}

const podOf = (object: KubernetesObject): Pod => object as Pod;

const isGone = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0 && (metadata.finalizers ?? []).length === 0;
