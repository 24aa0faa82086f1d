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
  | 'refusedListed'
  /** The API server serves no such resource: nothing is to be waited for. */
  | 'absent';

export interface Lists {
  /** Of each of the resources. */
  watchers: readonly Pick<Watcher<KubernetesObject>, 'isListing' | 'isRefused' | 'isAbsent'>[];
  /** Whole lists were through before, and are of use still. */
  hasLists: boolean;
  isAnew: boolean;
}

export function readinessOf({ watchers, hasLists, isAnew }: Lists): Readiness {
  if (watchers.some(({ isAbsent }) => isAbsent)) return 'absent';
  const isListing = !hasLists || watchers.some((watcher) => watcher.isListing);
  if (watchers.some(({ isRefused }) => isRefused)) return isListing ? 'refusedListing' : 'refusedListed';
  if (!isListing) return 'listed';
  return isAnew ? 'listingAnew' : 'listing';
}

/** How far all kinds of a scope have got together. One that is refused, absent or held up keeps no other from being told of (R13). */
export function readinessOfAll(kinds: readonly { readiness: Readiness; isHeldUp: boolean }[]): Readiness {
  const present = kinds.filter(({ readiness }) => readiness !== 'absent');
  const isAnyListed = present.some(({ readiness }) => isListed(readiness));
  const waitedFor = isAnyListed
    ? present.filter((kind) => isListed(kind.readiness) || (isLetIn(kind.readiness) && !kind.isHeldUp))
    : present;
  const found = new Set(waitedFor.map(({ readiness }) => readiness));
  return WEAKEST_FIRST.find((readiness) => found.has(readiness)) ?? 'absent';
}

/** Of several kinds the first of these tells; what is refused alone does not speak for the others. */
const WEAKEST_FIRST: readonly Readiness[] = ['listingAnew', 'listing', 'listed', 'refusedListed', 'refusedListing'];

export const isListed = (readiness: Readiness): boolean => readiness === 'listed' || readiness === 'refusedListed';

export const isLetIn = (readiness: Readiness): boolean =>
  readiness !== 'refusedListing' && readiness !== 'refusedListed' && readiness !== 'absent';

/** What is known of it may be told: otherwise it may not be so any more, and is no answer to anything. */
export const isHeard = (readiness: Readiness): boolean => readiness === 'listed' || readiness === 'listing';

/** Of all scopes together a full list can be told: one that is refused or absent keeps no other from being told of (R13). */
export function areListed(all: readonly Readiness[]): boolean {
  const present = all.filter((readiness) => readiness !== 'absent');
  if (present.length === 0) return all.length > 0;
  return present.some(isListed) && present.every((readiness) => isListed(readiness) || readiness === 'refusedListing');
}
