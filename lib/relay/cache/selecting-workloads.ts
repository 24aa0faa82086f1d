// Workloads that select pods by a selector of their own, in addition to the pods that they control.
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { ObjectMeta, WorkloadObject } from '../../objects/kubernetes.ts';
import type { LabelMatcher } from '../../objects/label-selector.ts';
import type { OwnerName } from '../../wire/words/observations.ts';

export class SelectingWorkloads {
  /** By namespace and uid. */
  readonly #selecting = new Map<string, Map<string, { owner: OwnerName; matches: LabelMatcher }>>();

  learn({ pods }: KindFacts, owner: OwnerName, object: WorkloadObject): void {
    if (!pods?.ownSelector) return;
    const matches = pods.ownSelector(object);
    // Keep the known selector, which never changes: the object could not be read whole and may only seem to lack it.
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

  /** The workload that may adopt the pod; undefined for a pod that has a controller or that no selector matches. */
  ownerOf({ namespace = '', labels, ownerReferences }: ObjectMeta): OwnerName | undefined {
    const known = this.#selecting.get(namespace);
    if (!known || ownerReferences?.some(({ controller }) => controller)) return undefined;
    for (const { owner, matches } of known.values()) if (matches(labels ?? {})) return owner;
    return undefined;
  }
}
