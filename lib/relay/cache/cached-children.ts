// The children of one resource in the relay's cache. Pods, of which there are many, lie in rows of numbers; other children as objects with the
// part that their planner compares. Watches, reports, digests and audits go by these members.
import type { KubernetesObject, ObjectMeta } from '../../objects/kubernetes.ts';
import type { AnyChild, Observation } from '../../wire/words/observations.ts';
import type { OwnVersion, Workload } from './cached-workload.ts';

/** How a table finds a child again: a row, or a uid. */
export type ChildKey = number | string;

/** A child that its workload has no more, as it is reported for the last time. */
export interface GoneChild {
  readonly uid: string;
  /** @param floor of the resource's last list */
  observation(floor: string): Observation;
}

/** A workload and its part that changed: a child that it has, a child that it had, or otherwise its owner. */
export interface News {
  workload: Workload;
  table?: CachedChildren;
  key?: ChildKey;
  gone?: GoneChild;
  /** The owner is new or deleted, its spec changed, or its deletion has begun. */
  isSpec?: boolean;
}

export interface CachedChildren {
  /** In messages. */
  readonly resource: string;
  /** Its children hold places, which the owner's status counts. A long list of them may be reported in ranges of slots. */
  readonly isCounted: boolean;
  /** The watch selects by label. A changed label takes a child out of the watch, which then reports it as deleted although it exists. */
  readonly isSelected: boolean;
  /** Estimated, of one child in a message. */
  readonly bytesEach: number;

  /** @returns the changes of its workload, and of the one that it belonged to before. Empty for a child that is not ours */
  put(object: KubernetesObject, list?: number): News[];
  delete(object: KubernetesObject): News[];
  /** Forgets the children in these namespaces that the list did not contain. */
  endList(list: number, namespace: string | undefined): void;
  forgetOf(workload: Workload): void;

  /** Whether workloads of that kind have such children. */
  isOf(kind: string): boolean;
  has(workload: Workload): boolean;
  keysOf(workload: Workload): Iterable<ChildKey>;
  /** Whether it is one of the workload's present children. @param key a uid, or how the table finds it; a row may hold another child by now */
  holds(workload: Workload, key: ChildKey): boolean;
  /**
   * A present child was also observed by the last list.
   * @param floor the version of that list
   * @returns undefined if the key does not, or no longer, stand for a child of this workload, or if no message can hold it
   */
  observe(workload: Workload, key: ChildKey, floor: string): Observation | undefined;
  /** Whether each known child of that workload fits into a message. Otherwise no list of the workload may claim to be whole (R19). */
  isWhole(workload: Workload): boolean;
  /** The members of the workload's digest. The view computes the same digest from the same knowledge. */
  membersOf(workload: Workload): Iterable<Pick<AnyChild, 'uid' | 'resourceVersion'>>;

  /** Whether the cache holds a listed object in this version or a later one, or the object is not ours. */
  knows(metadata: ObjectMeta): boolean;
  /** Objects that the cache holds in that version or an earlier one. */
  until(version: string, namespace: string | undefined): Iterable<OwnVersion>;
}

/** The workloads that children belong to. */
export interface Workloads {
  find(uid: string): Workload | undefined;
  /** Undefined for an owner that another controller manages, or managed until its deletion. */
  of(owner: Workload['owner']): Workload | undefined;
  dropIfEmpty(workload: Workload): void;
}
