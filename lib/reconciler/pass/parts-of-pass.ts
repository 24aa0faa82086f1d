// A workload's children of one resource other than pods: the view keeps a part of each (R7). Each resource has a floor of its own (R3).
import { childStateOf } from '../../kinds/rows/child.ts';
import type { ChildFacts } from '../../kinds/rows/kind.ts';
import { resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { KubernetesObject, ObjectMeta } from '../../objects/kubernetes.ts';
import { controllerOf } from '../../objects/pods/pod-facts.ts';
import { isNewer, newest } from '../../objects/values/resource-version.ts';
import type { ListAnswer } from '../../ports/cluster.ts';
import type { ChildObservation, ChildrenPart, WholeList } from '../../wire/words/observations.ts';
import { RestoredServerError } from '../cluster/era.ts';
import { livingIn, newestObserved, type News } from '../view/view.ts';
import { KnownPart } from './known-part.ts';
import type { PassContext } from './pass-context.ts';
import type { KnownPods } from './pods-of-pass.ts';
import type { ResourceChildren } from './resource-children.ts';
import { isNotServed, ServedObjects } from './served-objects.ts';

export class PartsOfPass extends ServedObjects implements ResourceChildren {
  readonly children = this;
  readonly isCounted = false;
  readonly namesAreReused = true;
  readonly #row: ChildFacts;
  readonly #known: Pick<KnownPods, 'owner'>;
  readonly #part: KnownPart<ChildState>;
  #isListed: boolean;
  #living: readonly ChildState[] | undefined;

  /** @param given.isListed a whole list of this era has come. Until then an absent child may still exist (R1) */
  constructor(
    about: PassContext,
    known: Pick<KnownPods, 'owner'>,
    { row, part, isListed }: { row: ChildFacts; part: ChildrenPart; isListed: boolean },
  ) {
    super(about, row.resource, { fields: row.fields });
    this.#known = known;
    this.#row = row;
    this.#part = new KnownPart({ ...part, children: new Map(part.children) }, { isByName: true });
    this.#isListed = isListed;
  }

  get plannerTellsOfTakenNames(): boolean {
    return this.#row.plannerTellsOfTakenNames === true;
  }

  get refusedReasons(): ChildFacts['refusedReasons'] {
    return this.#row.refusedReasons;
  }

  get isListed(): boolean {
    return this.#isListed;
  }

  /** The existing children. */
  get living(): readonly ChildState[] {
    return (this.#living ??= [...livingIn(this.#part.view)]);
  }

  /** Observations to be written to the view before the pass ends; undefined without any. */
  get observed(): News<ChildState> | undefined {
    return this.#part.hasNews ? this.#part.observed : undefined;
  }

  /** @throws RestoredServerError; OversizedPartError */
  async list(): Promise<void> {
    const known = newestObserved(this.#part.view);
    let list = await this.#list();
    // As with pods (R3): a live list cannot lag, so a second look decides.
    if (list && isNewer(known, list.resourceVersion)) {
      this.about.sawStale(this.resource);
      list = await this.#list();
    }
    if (list && isNewer(known, list.resourceVersion))
      throw new RestoredServerError(
        `the API server is at ${list.resourceVersion}, and ${known} of ${resourceKeyOf(this.resource)} had been observed`,
      );
    if (!list) return this.#observeNone();
    const items = list.items.filter(({ metadata }) => this.#isChild(metadata));
    this.#observeList(items, list.resourceVersion);
  }

  /** @returns undefined if the API server serves no such resource: then there are no such children */
  async #list(): Promise<ListAnswer<KubernetesObject> | undefined> {
    const { key, cluster, deadline } = this.about;
    const { resource, fields } = this.#row;
    const selection = {
      ...(resource.namespaced && key.namespace !== '' && { namespace: key.namespace }),
      ...this.#row.selection(key, this.#known.owner),
      fields,
    };
    try {
      return await cluster.list<KubernetesObject>(resource, selection, deadline);
    } catch (error) {
      if (isNotServed(error)) return undefined;
      throw error;
    }
  }

  /** Reads children by name that no selection shows any more: they are gone, or have lost a label (trap 1). */
  async readStrayed(): Promise<void> {
    const strayed = [...this.#part.view.children.values()].filter(({ presence }) => presence === 'left');
    for (const { child } of strayed) await this.readAgain(child.uid);
  }

  /** One that somebody else controls by now is no child any more. */
  async readAgain(uid: string): Promise<void> {
    const child = this.#part.view.children.get(uid)?.child;
    if (!child) return;
    const object = await this.get(child.name);
    const controller = object && controllerOf(object.metadata.ownerReferences);
    const isOthers = controller !== undefined && controller.uid !== this.about.key.uid;
    if (object?.metadata.uid === child.uid && !isOthers) this.observe(object);
    else this.observeGone(child.uid);
  }

  isOurs({ metadata }: KubernetesObject): boolean {
    const isControlled = controllerOf(metadata.ownerReferences)?.uid === this.about.key.uid;
    return isControlled || (metadata.deletionTimestamp === undefined && this.#isOrphan(metadata));
  }

  /** Its names are used again: whatever has the name is planned from. */
  isAt(): boolean {
    return false;
  }

  /** Whether it belongs to the workload, or is the workload's to adopt. */
  #isChild(metadata: ObjectMeta): boolean {
    return this.#row.membershipOf(metadata)?.uid === this.about.key.uid || this.#isOrphan(metadata);
  }

  /** Whether nobody controls it, and the workload may adopt it. */
  #isOrphan(metadata: ObjectMeta): boolean {
    return controllerOf(metadata.ownerReferences) === undefined && (this.#row.mayAdopt?.(this.about.key, metadata) ?? false);
  }

  /** @throws RestoredServerError; OversizedPartError */
  observe(object: KubernetesObject): void {
    const child = childStateOf(this.#row, object);
    const known = this.#part.view.children.get(child.uid);
    if (known && known.presence !== 'deleted' && isNewer(known.child.resourceVersion, child.resourceVersion))
      throw new RestoredServerError(`the API server shows ${this.resource.kind} ${child.name} at an older version than had been observed`);
    // An answer is at least as new as all that was observed of the object before the call, and as the list that did not name it.
    const heardAt = newest(child.resourceVersion, newest(known?.heardAt ?? '0', this.#part.view.floor));
    this.#merge([{ heardAt, presence: 'there', child }]);
  }

  observeGone(uid: string): void {
    const entry = this.#part.view.children.get(uid);
    if (!entry) return;
    const known = newest(entry.heardAt, entry.child.resourceVersion);
    this.#merge([{ heardAt: String(BigInt(known) + 1n), presence: 'deleted', child: entry.child }]);
  }

  /** @param objects of a whole live list at `floor`. @throws OversizedPartError */
  #observeList(objects: readonly KubernetesObject[], floor: string): void {
    const children = objects.map((object): ChildObservation => ({
      heardAt: floor,
      presence: 'there',
      child: childStateOf(this.#row, object),
    }));
    const isSelected = this.#row.watch !== undefined;
    this.#isListed = true;
    this.#merge(children, { floor, slots: 'all', ...(isSelected && { isSelected }) });
  }

  /** The API server serves no such resource, so all its objects are gone. */
  #observeNone(): void {
    for (const { presence, child } of this.#part.view.children.values()) if (presence !== 'deleted') this.observeGone(child.uid);
    this.#observeList([], this.#part.view.floor);
  }

  #merge(children: readonly ChildObservation[], whole?: WholeList): void {
    this.#part.merge(children, whole);
    this.#living = undefined;
  }
}
