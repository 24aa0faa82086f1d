// The scopes of a relay together: what is watched where, and how far all of their lists have come.
import type { KindFacts } from '../kinds/rows/kind.ts';
import { watchesOf, type Watched } from '../kinds/rows/watches.ts';
import { compareResourceVersions, isNewer } from '../objects/values/resource-version.ts';
import type { FullList } from '../wire/words/observations.ts';
import type { Scope } from './scope.ts';

/** Owners without a namespace have one of their own beside chosen namespaces. */
export function placesOf(
  kinds: readonly KindFacts[],
  namespaces: readonly string[],
): { namespace: string | undefined; watched: readonly Watched[] }[] {
  if (namespaces.length === 0) return [{ namespace: undefined, watched: watchesOf(kinds) }];
  const within = watchesOf(kinds.filter(({ resource }) => resource.namespaced));
  const beside = kinds.filter(({ resource }) => !resource.namespaced);
  return [
    ...(within.length > 0 ? namespaces.map((namespace) => ({ namespace, watched: within })) : []),
    ...(beside.length > 0 ? [{ namespace: undefined, watched: watchesOf(beside) }] : []),
  ];
}

/** For heartbeats: how far all lists have come. */
export function fullListOf(scopes: readonly Scope[]): FullList {
  const [resourceVersion = '0'] = scopes.flatMap(({ podFloor }) => podFloor ?? []).toSorted(compareResourceVersions);
  const owners: Record<string, string> = {};
  for (const { ownerFloors } of scopes)
    for (const [kind, floor] of Object.entries(ownerFloors)) {
      const lowest = owners[kind];
      if (lowest === undefined || isNewer(lowest, floor)) owners[kind] = floor;
    }
  const startedAtMs = Math.min(...scopes.map((scope) => scope.startedAtMs));
  return { resourceVersion, startedAtMs, ...(Object.keys(owners).length > 0 && { owners }) };
}
