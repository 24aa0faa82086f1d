// Children other than pods, as one pass knows them: those of the view, and those that the pass observes itself (R7). Each resource has a
// floor of its own (R3).
import { resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { isNewer, newest } from '../../objects/values/resource-version.ts';
import { childStateOf } from '../../kinds/rows/child.ts';
import type { ChildFacts } from '../../kinds/rows/kind.ts';
import type { ChildObservation, ChildrenPart, WholeChildren } from '../../wire/words/observations.ts';
import { RestoredServerError } from '../cluster/era.ts';
import { emptyChildren, isLaterChild, livingChildren, mergeChildren, type ChildrenNews } from '../view/children.ts';

/** Observations of one resource that must be written to the view. */
export type ObservedChildren = Omit<ChildrenNews, 'byPass'> & { resource: string };

interface OfResource {
  row: ChildFacts;
  part: ChildrenPart;
  /** A whole list of this era has come. Until then an absent child may still exist (R1). */
  isListed: boolean;
  living: readonly ChildState[] | undefined;
  observations: Map<string, ChildObservation>;
  whole: WholeChildren | undefined;
}

export class PassChildren {
  readonly #resources: ReadonlyMap<string, OfResource>;

  /**
   * @param rows of the kind
   * @param known.parts of the view. `listed`: resources that have a floor of this era
   */
  constructor(rows: readonly ChildFacts[], known: { parts: readonly ChildrenPart[]; listed: (resource: string) => boolean; era: number }) {
    this.#resources = new Map(
      rows.map((row) => {
        const resource = resourceKeyOf(row.resource);
        const part = known.parts.find((each) => each.resource === resource) ?? emptyChildren(resource, { era: known.era, floor: '0' });
        return [resource, { row, part, isListed: known.listed(resource), living: undefined, observations: new Map(), whole: undefined }];
      }),
    );
  }

  rowOf(resource: ChildFacts['resource']): ChildFacts | undefined {
    return this.#resources.get(resourceKeyOf(resource))?.row;
  }

  find(resource: ChildFacts['resource'], uid: string): { row: ChildFacts; child: ChildState } | undefined {
    const of = this.#resources.get(resourceKeyOf(resource));
    const child = of?.part.children.get(uid)?.child;
    return of && child && { row: of.row, child };
  }

  /** The existing children, by resource key. */
  get living(): ReadonlyMap<string, readonly ChildState[]> {
    return new Map([...this.#resources].map(([resource, of]) => [resource, (of.living ??= livingChildren(of.part))]));
  }

  /** Rows of which no whole list is known (trap 8). */
  get unlisted(): ChildFacts[] {
    return [...this.#resources.values()].filter(({ isListed }) => !isListed).map(({ row }) => row);
  }

  /** Children that left the selection of their watch or list. They may exist all the same (trap 1). */
  get strayed(): { row: ChildFacts; child: ChildState }[] {
    return [...this.#resources.values()].flatMap(({ row, part }) =>
      [...part.children.values()].filter(({ presence }) => presence === 'left').map(({ child }) => ({ row, child })),
    );
  }

  /** The newest version that was observed of a resource. */
  newestOf(row: ChildFacts): string {
    const { part } = this.#of(row);
    return [...part.children.values()].reduce((highest, { heardAt }) => newest(highest, heardAt), part.floor);
  }

  /** The API server answered with this child. @throws RestoredServerError; OversizedPartError */
  observe(row: ChildFacts, object: KubernetesObject): void {
    const { part } = this.#of(row);
    const child = childStateOf(row, object);
    const known = part.children.get(child.uid);
    if (known && known.presence !== 'deleted' && isNewer(known.child.resourceVersion, child.resourceVersion))
      throw new RestoredServerError(`the API server shows ${row.resource.kind} ${child.name} at an older version than had been observed`);
    // An answer is at least as new as all that was observed of the object before the call, and as the list that did not name it.
    const heardAt = newest(child.resourceVersion, newest(known?.heardAt ?? '0', part.floor));
    this.#merge(row, [{ heardAt, presence: 'there', child }]);
  }

  /** A delete was answered, or a GET answered 404 about this very child (R19). */
  observeGone(row: ChildFacts, child: ChildState): void {
    const known = newest(this.#of(row).part.children.get(child.uid)?.heardAt ?? '0', child.resourceVersion);
    this.#merge(row, [{ heardAt: String(BigInt(known) + 1n), presence: 'deleted', child }]);
  }

  /** @param objects of a whole live list at `floor`. @throws OversizedPartError */
  observeList(row: ChildFacts, objects: readonly KubernetesObject[], floor: string): void {
    const of = this.#of(row);
    const children = objects.map((object): ChildObservation => ({ heardAt: floor, presence: 'there', child: childStateOf(row, object) }));
    const isSelected = row.watch !== undefined;
    of.whole = { resource: resourceKeyOf(row.resource), floor, ...(isSelected && { isSelected }) };
    of.isListed = true;
    this.#merge(row, children, of.whole);
  }

  /** The API server serves no such resource, so all its objects are gone. */
  observeNone(row: ChildFacts): void {
    const { part } = this.#of(row);
    for (const { presence, child } of part.children.values()) if (presence !== 'deleted') this.observeGone(row, child);
    this.observeList(row, [], part.floor);
  }

  /** Observations to be written to the view before the pass ends, by resource. */
  get observations(): ObservedChildren[] {
    return [...this.#resources]
      .filter(([, { observations, whole }]) => observations.size > 0 || whole !== undefined)
      .map(([resource, { observations, whole }]) => ({ resource, children: [...observations.values()], whole }));
  }

  #of(row: ChildFacts): OfResource {
    const of = this.#resources.get(resourceKeyOf(row.resource));
    if (!of) throw new TypeError(`${row.resource.kind} is no child of this kind`);
    return of;
  }

  #merge(row: ChildFacts, children: readonly ChildObservation[], whole?: WholeChildren): void {
    const of = this.#of(row);
    for (const observation of children) {
      const { uid } = observation.child;
      const known = of.observations.get(uid);
      if (!known || isLaterChild(observation, known)) of.observations.set(uid, observation);
    }
    of.part = mergeChildren(of.part, { children, whole, byPass: true }).part;
    of.living = undefined;
  }
}
