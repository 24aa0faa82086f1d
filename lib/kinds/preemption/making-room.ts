// How room is made for a critical pod: who must go for it, and which pods that end anyway it waits for.
// Upstream counts pods that are ending as used and would evict more. Here they count as gone for the choice, and are waited for.
import type { Pod } from '../../objects/kubernetes.ts';
import { uidOf, type CountedPod } from './counted-pods.ts';
import type { Admission, AdmissionPolicies, Node } from './policies.ts';

export interface RoomMaking {
  /** In the order of eviction. */
  victims: readonly Pod[];
  /** Pods that are ending and that the room depends on. */
  claims: readonly Pod[];
  /** The first resource that was missing once all that end are gone; absent: none was. */
  signal?: string;
}

export interface RoomAsked {
  node: Node;
  /** All that take room, in the order of admission. */
  counted: readonly CountedPod[];
  /** Uids of ending pods that other pods wait for. */
  claimed: ReadonlySet<string>;
  incoming: Pod;
  policies: AdmissionPolicies;
}

/** @returns the rejection where no victims can be found */
export function makeRoom({ node, counted, claimed, incoming, policies }: RoomAsked): RoomMaking | { rejected: Admission } {
  const podsOf = (...standings: CountedPod['standing'][]): Pod[] =>
    counted.filter(({ standing }) => standings.includes(standing)).map(({ pod }) => pod);
  const choice = policies.admit({ node, pods: podsOf('staying', 'reserved'), candidates: podsOf('staying'), incoming });
  if (choice.state === 'rejected') return { rejected: choice };
  const victims = new Set(choice.victims.map(uidOf));
  const pods = counted.map(({ pod }) => pod).filter((pod) => !victims.has(uidOf(pod)));
  const missing = missingOf(policies.admit({ node, pods, candidates: [], incoming }));
  const [first] = missingOf(choice).keys();
  // Pods that nobody waits for come first. The rest of what a claimed pod leaves is used where these are not enough.
  const ending = podsOf('ending').toSorted((a, b) => Number(claimed.has(uidOf(a))) - Number(claimed.has(uidOf(b))));
  return { victims: choice.victims, claims: claimsOn(ending, missing, policies), ...(first !== undefined && { signal: first }) };
}

/** Takes pods one after the other, where they free something that is missing. */
function claimsOn(ending: readonly Pod[], missing: Map<string, bigint>, { requestsOf }: AdmissionPolicies): Pod[] {
  const claims: Pod[] = [];
  for (const pod of ending) {
    if (missing.size === 0) break;
    const frees = new Map(requestsOf(pod)).set('pods', 1n);
    let isUseful = false;
    for (const [resource, amount] of missing) {
      const freed = frees.get(resource) ?? 0n;
      if (freed <= 0n) continue;
      isUseful = true;
      if (amount > freed) missing.set(resource, amount - freed);
      else missing.delete(resource);
    }
    if (isUseful) claims.push(pod);
  }
  return claims;
}

/** By resource, in the order of the checks. */
function missingOf({ failures }: Admission): Map<string, bigint> {
  const missing = new Map<string, bigint>();
  for (const failure of failures)
    if ('resource' in failure) missing.set(failure.resource, failure.requested - (failure.capacity - failure.used));
  return missing;
}
