// The pods that are there, by slot: one counts in each, the others are surplus.
import type { Replicas, Terms } from '../terms/framework.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import { isNewer } from '../../../objects/values/resource-version.ts';
import { numberOfSlot, slotsOf } from '../names/slots.ts';

export interface Placed {
  replicas: Replicas;
  index: number;
  /** Number of the slot. */
  slot: number;
  pod: PodFacts;
}

export interface Present {
  /** All that the job controls. */
  own: readonly PodFacts[];
  /** By slot number. */
  pods: ReadonlyMap<number, Placed>;
  /** Further pods in a slot. */
  surplus: readonly Placed[];
  outOfRange: readonly PodFacts[];
}

export function presentIn(terms: Terms, pods: Iterable<PodFacts>): Present {
  const own = latestByName([...pods].filter(({ controller }) => controller?.uid === terms.uid));
  const placed = new Map<number, Placed>();
  const surplus: Placed[] = [];
  const outOfRange: PodFacts[] = [];
  for (const replicas of terms.replicas) {
    const slots = slotsOf(own, replicas, terms.framework.leader ? 0 : undefined);
    outOfRange.push(...slots.outOfRange);
    for (const [index, holders] of slots.inRange) {
      const slot = numberOfSlot(replicas.role, index);
      const [kept, ...others] = holders.toSorted(byClaim);
      if (kept) placed.set(slot, { replicas, index, slot, pod: kept });
      surplus.push(...others.map((pod) => ({ replicas, index, slot, pod })));
    }
  }
  return { own, pods: placed, surplus, outOfRange };
}

/** A name has one pod at a time: of two that a view knows, the earlier one has gone without being heard of. */
function latestByName(pods: readonly PodFacts[]): PodFacts[] {
  const latest = new Map<string, PodFacts>();
  for (const pod of pods) {
    const known = latest.get(pod.name);
    if (!known || isLater(pod, known)) latest.set(pod.name, pod);
  }
  return latest.size === pods.length ? [...pods] : [...latest.values()];
}

const isLater = (one: PodFacts, other: PodFacts): boolean =>
  one.createdAt === other.createdAt ? isNewer(one.resourceVersion, other.resourceVersion) : one.createdAt > other.createdAt;

/** One that has succeeded keeps the slot, then the oldest that is not terminating. */
const byClaim = (a: PodFacts, b: PodFacts): number => claimOf(a) - claimOf(b) || a.createdAt - b.createdAt || (a.uid < b.uid ? -1 : 1);

const claimOf = ({ phase, deletedAt }: PodFacts): number => (phase === 'Succeeded' ? 0 : deletedAt === undefined ? 1 : 2);
