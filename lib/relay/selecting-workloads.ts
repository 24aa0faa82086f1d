// Workloads that choose their pods by a selector of their own, besides those that they control.
import type { KindFacts } from '../kinds/kind.ts';
import type { ObjectMeta, WorkloadObject } from '../objects/kubernetes.ts';
import type { LabelMatcher } from '../objects/label-selector.ts';
import type { OwnerName } from '../wire/observations.ts';

export class SelectingWorkloads {
  /** By namespace and uid. */
  readonly #selecting = new Map<string, Map<string, { owner: OwnerName; matches: LabelMatcher }>>();

  learn({ pods }: KindFacts, owner: OwnerName, object: WorkloadObject): void {
    if (!pods.ownSelector) return;
    const matches = pods.ownSelector(object);
    // What cannot be read whole may lack its selector, which never changes.
    if (!matches && object.unreadable !== undefined) return;
    const { namespace, uid } = owner;
    const known = this.#selecting.get(namespace);
    if (!matches) known?.delete(uid);
    else if (known) known.set(uid, { owner, matches });
    else this.#selecting.set(namespace, new Map([[uid, { owner, matches }]]));
  }

  forget({ namespace, uid }: OwnerName): void {
    this.#selecting.get(namespace)?.delete(uid);
  }

  /** Whose pod it may become; undefined for one that has a controller, or that nobody chooses. */
  ownerOf({ namespace = '', labels, ownerReferences }: ObjectMeta): OwnerName | undefined {
    const known = this.#selecting.get(namespace);
    if (!known || ownerReferences?.some(({ controller }) => controller)) return undefined;
    for (const { owner, matches } of known.values()) if (matches(labels ?? {})) return owner;
    return undefined;
  }
}
