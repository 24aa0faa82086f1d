// The scopes of a relay together: what is watched where, and how far all of their lists have come.
import type { KindFacts } from '../kinds/rows/kind.ts';
import { watchesOf, type Watched } from '../kinds/rows/watches.ts';
import { oldest } from '../objects/values/resource-version.ts';
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
  const ofOwners = scopes.flatMap(({ ownerFloors }) => Object.entries(ownerFloors));
  const byKind = [...Map.groupBy(ofOwners, ([kind]) => kind)].map(([kind, floors]) => [kind, oldest(floors.map(([, floor]) => floor))]);
  return {
    resourceVersion: oldest(scopes.flatMap(({ podFloor }) => podFloor ?? [])),
    startedAtMs: Math.min(...scopes.map((scope) => scope.startedAtMs)),
    ...(byKind.length > 0 && { owners: Object.fromEntries(byKind) }),
  };
}
