// Derives the rights of relay and functions on a cluster from the rows of the kinds. No right is listed by hand.
import type { Resource } from '../objects/resources.ts';
import { CONFIG_MAPS, EVENTS, NAMESPACES, NODES, PODS, SERVICE_ACCOUNTS } from '../objects/resources.ts';
import { ALL_FACTS } from '../kinds/facts.ts';
import type { KindFacts, KindSettings, ListSelection } from '../kinds/rows/kind.ts';
import { LEASES } from '../objects/placement/lease.ts';
import { ACCESS_REVIEWS, CLIENT_SIGNERS, TOKEN_REVIEWS } from '../objects/placement/node-callers.ts';

/** A rule in RBAC's spelling. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

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

/** The owners of a kind, where options name them. */
function namesOf(kinds: readonly KindFacts[], owner: Resource): { names?: string[] } {
  const selections = kinds
    .filter(({ resource }) => isSame(resource, owner))
    .flatMap(({ ownerSelections }): readonly (ListSelection | undefined)[] => ownerSelections ?? [undefined]);
  const names = selections.map(
    (selection) => /^metadata\.name=(.+)$/.exec((selection as { fieldSelector?: string } | undefined)?.fieldSelector ?? '')?.[1],
  );
  return names.every((name) => name !== undefined) ? { names } : {};
}

/** The relay only reads: it lists and watches the resources of the kinds. */
export function relayRules(kinds: readonly KindFacts[] = ALL_FACTS): PolicyRule[] {
  const owned = ownedIn(kinds);
  return distinct([...ownersIn(kinds), ...owned]).map((resource) =>
    rule(resource, ['get', 'list', 'watch'], owned.some((each) => isSame(each, resource)) ? {} : namesOf(kinds, resource)),
  );
}

/** Beside these it renews the leases of the nodes that it was started with. They all lie in one namespace. */
export function nodeLeaseRules(kinds: readonly KindFacts[], settings: KindSettings): PolicyRule[] {
  const names = kinds.flatMap(({ nodes }) => nodes?.namesIn(settings) ?? []);
  return names.length === 0 ? [] : [rule(LEASES, ['get', 'patch'], { names })];
}

/** The relay answers API servers for virtual nodes, and asks the cluster who they are. */
export const nodeCallerRules = (): PolicyRule[] => [rule(TOKEN_REVIEWS, ['create']), rule(ACCESS_REVIEWS, ['create'])];
export const clientSignersRule = (): PolicyRule => rule(CONFIG_MAPS, ['get'], { names: [CLIENT_SIGNERS.name] });

/** The Lease of the relay's leader election. The manifests contain it, so no right to create is needed. */
export const leaseRules = (lease: string): PolicyRule[] => [rule(LEASES, ['get', 'patch'], { names: [lease] })];

/** The functions' account may request tokens for itself, so that its present token may be short-lived. */
export const tokenRules = (account: string): PolicyRule[] => [
  rule(SERVICE_ACCOUNTS, ['create'], { subresource: 'token', names: [account] }),
];

/**
 * Passes read owners, write their status, manage their children and create Events. They delete an owner when its TTL says so. Rights to its
 * finalizers are needed because a child's owner reference blocks the owner's deletion.
 * @param settings.actions people may act on workloads: suspend, scale and retry them, and drain virtual nodes
 */
export function functionRules(
  kinds: readonly KindFacts[] = ALL_FACTS,
  settings: KindSettings & { actions?: boolean | undefined } = {},
): PolicyRule[] {
  const owners = ownersIn(kinds);
  return [
    ...owners.flatMap((owner) => {
      const named = namesOf(kinds, owner);
      return [
        rule(owner, ['get', 'list', 'delete'], named),
        rule(owner, ['patch'], { subresource: 'status', ...named }),
        rule(owner, ['update'], { subresource: 'finalizers', ...named }),
      ];
    }),
    ...ownedIn(kinds).map((owned) => rule(owned, ['get', 'list', 'create', 'patch', 'delete'])),
    // People read those about their workloads.
    rule(EVENTS, ['create', 'list']),
    ...logRules(owners, ownedIn(kinds)),
    ...furtherRules(kinds, settings, undefined),
    ...(settings.actions === true ? actionRules(kinds, settings) : []),
  ];
}

/** Deleting is a right of passes already. */
const actionRules = (kinds: readonly KindFacts[], settings: KindSettings): PolicyRule[] => [
  ...ownersIn(kinds.filter(({ actions }) => actions)).map((owner) => rule(owner, ['create', 'patch'])),
  ...drainRules(kinds.flatMap(({ nodes }) => nodes?.namesIn(settings) ?? [])),
];

/** RBAC cannot tell the pods of one node from others. */
const drainRules = (names: string[]): PolicyRule[] =>
  names.length === 0 ? [] : [rule(NODES, ['patch'], { names }), rule(PODS, ['create'], { subresource: 'eviction' })];

/** Logs of the pods, which people read through Farloop. */
const logRules = (...resources: Resource[][]): PolicyRule[] =>
  resources.flat().some((each) => isSame(each, PODS)) ? [rule(PODS, ['get'], { subresource: 'log' })] : [];

/** Rights that passes need in one namespace alone, by that namespace. */
export function placedRules(kinds: readonly KindFacts[], settings: KindSettings): Map<string, PolicyRule[]> {
  const places = new Set(kinds.flatMap(({ furtherRights = [] }) => furtherRights.flatMap(({ namespace }) => namespace ?? [])));
  return new Map([...places].map((namespace) => [namespace, furtherRules(kinds, settings, namespace)]));
}

/** Additional rights of a row beyond owner and children, each once. @param place those of this namespace alone; undefined: those of all */
function furtherRules(kinds: readonly KindFacts[], settings: KindSettings, place: string | undefined): PolicyRule[] {
  const rules = kinds
    .flatMap(({ furtherRights = [] }) => furtherRights)
    .filter(({ namespace, isUsed }) => namespace === place && (isUsed?.(settings) ?? true))
    .map(({ resource, subresource, verbs, namesOn }) =>
      rule(resource, [...verbs], { ...(subresource !== undefined && { subresource }), ...(namesOn && { names: [...namesOn(settings)] }) }),
    );
  const texts = rules.map((each) => JSON.stringify(each));
  return rules.filter((_each, at) => texts.indexOf(texts[at] ?? '') === at);
}
