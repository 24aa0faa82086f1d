// A packing of children. Pods and other children have one each, and everything else that is done with children goes by these members.
import type { AnyChild, Entry } from '../words/observations.ts';

export interface PackedChildren {
  /** Everything but the uids; compresses well. */
  columns: Uint8Array;
  /** 16 random bytes each, so they do not compress. */
  uids: Uint8Array;
}

/** Called with the place of a child that cannot exist. The child is among those returned all the same. */
export type Refuse = (at: number, fault: string) => void;

export interface ChildCodec<Child extends AnyChild> {
  resourceOf(this: void, child: Child): string;
  /** It is being deleted, and nothing holds it. */
  isLeaving(this: void, child: Child): boolean;
  /**
   * Whether a later version of a child brings nothing that a planner reads. It runs for each observation, so it must not pack.
   * @see view.ts for what follows of it
   */
  isSame(this: void, one: Child, other: Child): boolean;
  /** Orders the children of an item, so that neighbours are alike. */
  compare(this: void, one: Child, other: Child): number;
  /**
   * @param options.isForMessage checks against all limits of the reader. An unreadable item counts as missing, and passes do without it; an
   *   unreadable message would hold up the observations of many workloads.
   * @throws MessageTooLargeError more than readers take
   */
  pack(this: void, entries: Iterable<Entry<Child>>, options?: { isForMessage?: boolean }): PackedChildren;
  /**
   * @param refuse without it, a child that cannot exist is no reason to refuse the others, as long as the columns can be read
   * @throws UndecodableMessageError anything that `pack` would not have written
   */
  unpack(this: void, packed: PackedChildren, refuse?: Refuse): Entry<Child>[];
}
