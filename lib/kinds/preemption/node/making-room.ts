// How room is made for a critical pod: who must go for it, and which pods that end anyway it waits for.
// Upstream counts pods that are ending as used and would evict more. Here they count as gone for the choice, and are waited for.
import type { Node, Pod } from '../../../objects/kubernetes.ts';
import { admit, type Admission, type PreemptionSettings } from '../checks/admission.ts';
import { isInsufficient, missingOf } from '../checks/admission-failures.ts';
import { uidOf, type CountedPod } from './counted-pods.ts';
import { effectiveRequestsOf } from '../../../objects/pods/pod-requests.ts';

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
  settings: PreemptionSettings;
}

/** @returns the rejection where no victims can be found */
export function makeRoom({ node, counted, claimed, incoming, settings }: RoomAsked): RoomMaking | { rejected: Admission } {
  const podsOf = (...standings: CountedPod['standing'][]): Pod[] =>
    counted.filter(({ standing }) => standings.includes(standing)).map(({ pod }) => pod);
  const choice = admit({ node, pods: podsOf('staying', 'reserved'), candidates: podsOf('staying'), incoming, settings });
  if (choice.state === 'rejected') return { rejected: choice };
  const victims = new Set(choice.victims.map(uidOf));
  const pods = counted.map(({ pod }) => pod).filter((pod) => !victims.has(uidOf(pod)));
  const missing = missingIn(admit({ node, pods, candidates: [], incoming, settings }));
  const [first] = missingIn(choice).keys();
  // Pods that nobody waits for come first. The rest of what a claimed pod leaves is used where these are not enough.
  const ending = podsOf('ending').toSorted((a, b) => Number(claimed.has(uidOf(a))) - Number(claimed.has(uidOf(b))));
  return { victims: choice.victims, claims: claimsOn(ending, missing), ...(first !== undefined && { signal: first }) };
}

/** Takes pods one after the other, where they free something that is missing. */
function claimsOn(ending: readonly Pod[], missing: Map<string, bigint>): Pod[] {
  const claims: Pod[] = [];
  for (const pod of ending) {
    if (missing.size === 0) break;
    const frees = new Map(effectiveRequestsOf(pod)).set('pods', 1n);
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
const missingIn = ({ failures }: Admission): Map<string, bigint> =>
  new Map(failures.filter(isInsufficient).map((failure) => [failure.resource, missingOf(failure)]));
