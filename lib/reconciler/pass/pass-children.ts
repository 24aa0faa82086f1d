// All children of a workload as one pass knows them, resource by resource: those of the view, and those that the pass observes itself (R7).
import { resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { Resource } from '../../objects/resources.ts';
import type { ChildrenPart } from '../../wire/words/observations.ts';
import { emptyPart, type News } from '../view/view.ts';
import { PartsOfPass } from './parts-of-pass.ts';
import type { PassContext } from './pass-context.ts';
import { PodsOfPass, type KnownPods } from './pods-of-pass.ts';
import type { ResourceChildren, ResourceObjects } from './resource-children.ts';
import { ServedObjects } from './served-objects.ts';

/** The view of children other than pods. */
export interface KnownParts {
  parts: readonly ChildrenPart[];
  /** Whether the resource has a floor of this era. */
  listed: (resource: string) => boolean;
  era: number;
}

export class PassChildren {
  readonly #about: PassContext;
  /** Undefined: the kind has none. */
  readonly pods: PodsOfPass | undefined;
  readonly #known: KnownPods;
  /** By resource key. */
  readonly #parts: ReadonlyMap<string, PartsOfPass>;
  readonly #all: ReadonlyMap<string, ResourceChildren>;

  constructor(about: PassContext, known: KnownPods, { parts, listed, era }: KnownParts) {
    this.#about = about;
    this.#known = known;
    this.pods = about.facts.pods && new PodsOfPass(about, known, about.facts.pods);
    this.#parts = new Map(
      about.facts.children.map((row) => {
        const resource = resourceKeyOf(row.resource);
        const part = parts.find((each) => each.resource === resource) ?? emptyPart<ChildState>(resource, { era, floor: '0' });
        return [resource, new PartsOfPass(about, known, { row, part, isListed: listed(resource) })];
      }),
    );
    const all: ResourceChildren[] = [...(this.pods ? [this.pods] : []), ...this.#parts.values()];
    this.#all = new Map(all.map((children) => [resourceKeyOf(children.resource), children]));
  }

  /** Undefined: the workload has no children of this resource. */
  of(resource: Resource): ResourceChildren | undefined {
    return this.#all.get(resourceKeyOf(resource));
  }

  /** Objects of any resource that a plan may write. */
  objectsOf(resource: Resource): ResourceObjects {
    return this.of(resource) ?? new ServedObjects(this.#about, resource);
  }

  isCounted(resource: Resource): boolean {
    return this.of(resource)?.isCounted === true;
  }

  /** The existing children other than pods, by resource key. */
  get living(): ReadonlyMap<string, readonly ChildState[]> {
    return new Map([...this.#parts].map(([resource, { living }]) => [resource, living]));
  }

  /** Lists all children live (R1). @throws RestoredServerError; OversizedPartError */
  async list(options?: { isUnknown?: boolean }): Promise<void> {
    for (const children of this.#all.values()) await children.list(options);
    // The owner was read live, and there is nothing else to know.
    if (!this.pods) this.#known.observeList([], this.#known.view.floor);
  }

  /** Looks live where the view proves nothing: at resources without a whole list (trap 8), and at children that left their selection. */
  async readUnproven(): Promise<void> {
    for (const parts of this.#parts.values()) if (!parts.isListed) await parts.list();
    await this.readStrayed();
  }

  async readStrayed(): Promise<void> {
    for (const parts of this.#parts.values()) await parts.readStrayed();
  }

  /** Observations to be written to the view before the pass ends, by resource; pods apart. */
  get observations(): News<ChildState>[] {
    return [...this.#parts.values()].flatMap(({ observed }) => observed ?? []);
  }
}
