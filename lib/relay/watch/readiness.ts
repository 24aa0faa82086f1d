// The progress of a scope: whether its lists are complete or under way, and whether its cached state may be reported.
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import type { Watcher } from './watcher.ts';

export type Readiness =
  /** Lists for the first time, or again. The state from before is still reported. */
  | 'listing'
  /** Lists again after a restore of the API server. Until these lists are complete the cached state is of no use (R3). */
  | 'listingAnew'
  /** The lists are complete, and watches report further changes. */
  | 'listed'
  /** The API server refuses the lists, for example after a namespace was deleted together with its RBAC. Do not wait for them. */
  | 'refusedListing'
  /** Refused after its lists were complete. These lists still count; the present state is unknown. */
  | 'refusedListed'
  /** The API server does not serve the resource. Do not wait for it. */
  | 'absent';

export interface Lists {
  /** One per resource. */
  watchers: readonly Pick<Watcher<KubernetesObject>, 'isListing' | 'isRefused' | 'isAbsent'>[];
  /** Earlier whole lists were complete and are still valid. */
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

/**
 * The progress of all kinds of a scope together. A kind that is refused, absent or held up must not stop the reports of the others (R13).
 */
export function readinessOfAll(kinds: readonly { readiness: Readiness; isHeldUp: boolean }[]): Readiness {
  const present = kinds.filter(({ readiness }) => readiness !== 'absent');
  const isAnyListed = present.some(({ readiness }) => isListed(readiness));
  const waitedFor = isAnyListed
    ? present.filter((kind) => isListed(kind.readiness) || (isLetIn(kind.readiness) && !kind.isHeldUp))
    : present;
  const found = new Set(waitedFor.map(({ readiness }) => readiness));
  return WEAKEST_FIRST.find((readiness) => found.has(readiness)) ?? 'absent';
}

/** Of several kinds the first of these counts. A refused kind counts only if it is alone. */
const WEAKEST_FIRST: readonly Readiness[] = ['listingAnew', 'listing', 'listed', 'refusedListed', 'refusedListing'];

export const isListed = (readiness: Readiness): boolean => readiness === 'listed' || readiness === 'refusedListed';

export const isLetIn = (readiness: Readiness): boolean =>
  readiness !== 'refusedListing' && readiness !== 'refusedListed' && readiness !== 'absent';

/** Its cached state may be reported. Otherwise the state may be outdated, and no ask may be answered from it. */
export const isObserved = (readiness: Readiness): boolean => readiness === 'listed' || readiness === 'listing';

/** Whether a full list of all scopes can be reported. A scope that is refused or absent must not prevent it (R13). */
export function areListed(all: readonly Readiness[]): boolean {
  const present = all.filter((readiness) => readiness !== 'absent');
  if (present.length === 0) return all.length > 0;
  return present.some(isListed) && present.every((readiness) => isListed(readiness) || readiness === 'refusedListing');
}
