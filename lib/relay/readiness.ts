// How far a scope has got, in one word: whether its lists are through or waited for, and whether what is known of it may be told.
import type { KubernetesObject } from '../objects/kubernetes.ts';
import type { Watcher } from './watcher.ts';

export type Readiness =
  /** From the start, or once more: what was heard before goes on being told. */
  | 'listing'
  /** After the API server was restored: until these lists are through, what is known is of no use (R3). */
  | 'listingAnew'
  /** The lists are through, and watches tell the rest. */
  | 'listed'
  /** The API server lets nobody in, as in a namespace that was deleted with the rights in it: no list of it is to be waited for. */
  | 'refusedListing'
  /** Refused once its lists were through: these still count, but what it holds by now nobody knows. */
  | 'refusedListed';

export interface ScopeLists {
  /** Of each of its resources. */
  watchers: readonly Pick<Watcher<KubernetesObject>, 'isListing' | 'isRefused'>[];
  /** Whole lists were through before, and are of use still. */
  hasLists: boolean;
  isAnew: boolean;
}

export function readinessOf({ watchers, hasLists, isAnew }: ScopeLists): Readiness {
  const isListing = !hasLists || watchers.some((watcher) => watcher.isListing);
  if (watchers.some(({ isRefused }) => isRefused)) return isListing ? 'refusedListing' : 'refusedListed';
  if (!isListing) return 'listed';
  return isAnew ? 'listingAnew' : 'listing';
}

export const isListed = (readiness: Readiness): boolean => readiness === 'listed' || readiness === 'refusedListed';

export const isLetIn = (readiness: Readiness): boolean => readiness !== 'refusedListing' && readiness !== 'refusedListed';

/** What is known of it may be told: otherwise it may not be so any more, and is no answer to anything. */
export const isHeard = (readiness: Readiness): boolean => readiness === 'listed' || readiness === 'listing';

/** Of all scopes together a full list can be told: one that is refused keeps no other from being told of (R13). */
export const areListed = (all: readonly Readiness[]): boolean =>
  all.some(isListed) && all.every((readiness) => isListed(readiness) || readiness === 'refusedListing');
