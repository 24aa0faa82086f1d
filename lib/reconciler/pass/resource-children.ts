// A workload's children of one resource, as a pass knows and reaches them: each has a place, a version, and facts of its own kind. Pods are one
// such resource, packed in the view; of other children the view keeps a part. A resource need not be served by the API server, because an
// implementation makes its own calls: a provider's tasks would be one more.
import type { ChildPlace } from '../../kinds/rows/plan.ts';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import type { Resource } from '../../objects/resources.ts';
import type { Deletion, Patch, PatchTarget } from '../../ports/cluster.ts';

/** The call that an object was the answer to. */
export type Answered = 'get' | 'create' | 'patch' | 'delete';

/** Objects of one resource that a pass can write. */
export interface ResourceObjects {
  readonly resource: Resource;
  create(object: KubernetesObject): Promise<KubernetesObject>;
  patch(target: PatchTarget, patch: Patch): Promise<KubernetesObject>;
  /** @returns undefined when it is gone */
  delete(target: Deletion): Promise<KubernetesObject | undefined>;
  /** Absent: the objects are nobody's children, and nothing is kept of them. */
  readonly children?: ResourceChildren;
}

export interface ResourceChildren extends ResourceObjects {
  readonly children: this;
  /**
   * Its children hold places, which the status counts: their writes are intents (R5), and where one is refused, the others wait. The write of
   * any other child delays only itself.
   */
  readonly isCounted: boolean;
  /** A name is free again once its object is gone. Otherwise the number in it is never taken again (R5). */
  readonly namesAreReused: boolean;
  /** Its planner emits an event for each name that others have, once. */
  readonly plannerTellsOfTakenNames: boolean;
  /** Reasons of the Events about a refused create or delete; undefined: the kind's own. */
  readonly refusedReasons: { create: string; delete: string } | undefined;

  /** @returns undefined if there is no such object */
  get(name: string): Promise<KubernetesObject | undefined>;
  /** Lists all of them live (R1). @throws RestoredServerError */
  list(options?: { isUnknown?: boolean }): Promise<void>;
  /** Reads a known one live; does nothing about others. If another object has its name, this one is gone (R19). */
  readAgain(uid: string): Promise<void>;

  /** Whether the object is the workload's, or its to adopt. */
  isOurs(object: KubernetesObject): boolean;
  /** Whether the object is the very one that was to be created. */
  isAt(object: KubernetesObject, place: ChildPlace | undefined): boolean;
  /** Merges an answer of the API server into the view (R7). @throws RestoredServerError */
  observe(object: KubernetesObject, answered: Answered): void;
  /** A delete was answered, or a 404 about this very object (R19). Does nothing about an object that is not known. */
  observeGone(uid: string): void;
}
