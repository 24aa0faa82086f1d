// The packings of children. Messages and view items hold pods in columns of their own, and all other children in another set of columns.
import { isSameChild, resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { PODS } from '../../objects/resources.ts';
import type { AnyChild } from '../words/observations.ts';
import { slotOf } from '../words/view-layout.ts';
import { packChildren, unpackChildren } from './child-columns.ts';
import type { ChildCodec } from './codec.ts';
import { packPods, type WrittenShapes } from './columns.ts';
import { unpackPods } from './unpack-pods.ts';

/** Name of the pods in parts and reports. */
export const POD_RESOURCE = resourceKeyOf(PODS);

const writtenShapes: WrittenShapes = new WeakMap();

export const isOfPods = (resource: string): boolean => resource === POD_RESOURCE;

export const podCodec: ChildCodec<PodFacts> = {
  resourceOf: () => POD_RESOURCE,
  isLeaving: ({ deletedAt, tracked }) => deletedAt !== undefined && !tracked,
  // The relay sends only fields that planners read, so hardly any version of a pod is without news.
  isSame: () => false,
  compare: (one, other) => slotOf(one) - slotOf(other),
  pack: (entries, { isForMessage = false } = {}) => packPods(entries, isForMessage ? { isForMessage } : { before: writtenShapes }),
  unpack: unpackPods,
};

export const childCodec: ChildCodec<ChildState> = {
  resourceOf: ({ resource }) => resource,
  isLeaving: ({ terminating }) => terminating === true,
  isSame: isSameChild,
  compare: (one, other) => (one.name < other.name ? -1 : 1),
  pack: packChildren,
  unpack: unpackChildren,
};

/** Safe: children of a resource are never packed by another one's codec. */
export const codecOf = <Child extends AnyChild>(resource: string): ChildCodec<Child> =>
  (isOfPods(resource) ? podCodec : childCodec) as unknown as ChildCodec<Child>;
