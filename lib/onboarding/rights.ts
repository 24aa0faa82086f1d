// Derives the rights of relay and functions on a cluster from the rows of the kinds. No right is listed by hand.
import type { Resource } from '../objects/resources.ts';
import { EVENTS, NAMESPACES, PODS } from '../objects/resources.ts';
import { ALL_FACTS } from '../kinds/facts.ts';
import type { KindFacts, KindSettings } from '../kinds/rows/kind.ts';
import { LEASES } from '../objects/placement/lease.ts';

/** A rule in RBAC's spelling. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

const ACCOUNTS: Resource = { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true };
export const IDENTITY_NAMESPACE = 'kube-system';

const groupOf = ({ apiVersion }: Resource): string => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '');
const isSame = (one: Resource, other: Resource): boolean => one.apiVersion === other.apiVersion && one.plural === other.plural;

const rule = (
  resource: Resource,
  verbs: string[],
  { subresource, names }: { subresource?: string; names?: string[] } = {},
): PolicyRule => ({
  apiGroups: [groupOf(resource)],
  resources: [subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`],
  ...(names && { resourceNames: names }),
  verbs,
});

/** Reads the uid of one namespace, which identifies the cluster. No other right to namespaces. */
export const identityRule = (): PolicyRule => rule(NAMESPACES, ['get'], { names: [IDENTITY_NAMESPACE] });

const distinct = (resources: readonly Resource[]): Resource[] =>
  resources.filter((resource, at) => resources.findIndex((other) => isSame(other, resource)) === at);

/** Owners: workloads that somebody writes, and whose status we write. */
const ownersIn = (kinds: readonly KindFacts[]): Resource[] =>
  distinct(kinds.filter(({ isOwnerless }) => !isOwnerless).map(({ resource }) => resource));
const ownedIn = (kinds: readonly KindFacts[]): Resource[] =>
  distinct([
    ...(kinds.some(({ pods }) => pods) ? [PODS] : []),
    ...kinds.flatMap(({ children }) => children.map(({ resource }) => resource)),
  ]);

/** The relay only reads: it lists and watches the resources of the kinds. */
export function relayRules(kinds: readonly KindFacts[] = ALL_FACTS): PolicyRule[] {
  return distinct([...ownersIn(kinds), ...ownedIn(kinds)]).map((resource) => rule(resource, ['get', 'list', 'watch']));
}

/** The Lease of the relay's leader election. The manifests contain it, so no right to create is needed. */
export const leaseRules = (lease: string): PolicyRule[] => [rule(LEASES, ['get', 'patch'], { names: [lease] })];

/** The functions' account may request tokens for itself, so that its present token may be short-lived. */
export const tokenRules = (account: string): PolicyRule[] => [rule(ACCOUNTS, ['create'], { subresource: 'token', names: [account] })];

/**
 * Passes read owners, write their status, manage their children and create Events. They delete an owner when its TTL says so. Rights to its
 * finalizers are needed because a child's owner reference blocks the owner's deletion.
 */
export function functionRules(kinds: readonly KindFacts[] = ALL_FACTS, settings: KindSettings = {}): PolicyRule[] {
  const owners = ownersIn(kinds);
  return [
    ...owners.flatMap((owner) => [
      rule(owner, ['get', 'list', 'delete']),
      rule(owner, ['patch'], { subresource: 'status' }),
      rule(owner, ['update'], { subresource: 'finalizers' }),
    ]),
    ...ownedIn(kinds).map((owned) => rule(owned, ['get', 'list', 'create', 'patch', 'delete'])),
    rule(EVENTS, ['create']),
    ...furtherRules(kinds, settings),
  ];
}

/** Additional rights of a row beyond owner and children, each once. */
function furtherRules(kinds: readonly KindFacts[], settings: KindSettings): PolicyRule[] {
  const rules = kinds
    .flatMap(({ furtherRights = [] }) => furtherRights)
    .filter((right) => right.isUsed?.(settings) ?? true)
    .map(({ resource, subresource, verbs }) => rule(resource, [...verbs], subresource === undefined ? {} : { subresource }));
  const texts = rules.map((each) => JSON.stringify(each));
  return rules.filter((_each, at) => texts.indexOf(texts[at] ?? '') === at);
}
