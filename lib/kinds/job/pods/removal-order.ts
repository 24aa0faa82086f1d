// The order in which surplus active pods are removed.
import { completionIndexOf, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { ownEntry } from '../../../objects/values/untyped-fields.ts';

const PHASES: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };

/** Negative if `a` is removed before `b`. */
export function compareForRemoval(a: PodFacts, b: PodFacts): number {
  if (a.assigned !== b.assigned) return a.assigned ? 1 : -1;
  const phase = (ownEntry(PHASES, a.phase) ?? 0) - (ownEntry(PHASES, b.phase) ?? 0);
  if (phase !== 0) return phase;
  const [aReady, bReady] = [a.ready === 'True', b.ready === 'True'];
  if (aReady !== bReady) return aReady ? 1 : -1;
  if (aReady && a.readySince !== b.readySince) return laterFirst(a.readySince, b.readySince);
  const restarts = maxRestarts(b, 'container') - maxRestarts(a, 'container') || maxRestarts(b, 'sidecar') - maxRestarts(a, 'sidecar');
  if (restarts !== 0) return restarts;
  return laterFirst(a.createdAt || undefined, b.createdAt || undefined);
}

/** An unknown time counts as the latest. */
const laterFirst = (a: number | undefined, b: number | undefined): number =>
  a === b ? 0 : a === undefined ? -1 : b === undefined ? 1 : b - a;

function maxRestarts(pod: PodFacts, wanted: 'container' | 'sidecar'): number {
  let most = 0;
  for (const { role, restarts } of pod.containers) if (role === wanted && restarts > most) most = restarts;
  return most;
}

/**
 * The active pods to remove, first to go first: of an Indexed Job always those without a usable index, all but one of each
 * index and those at `completions` or above; then as many others as `surplus` asks for.
 */
export function podsToRemove(active: readonly PodFacts[], { surplus, completions }: { surplus: number; completions?: number }): PodFacts[] {
  if (completions === undefined) return active.toSorted(compareForRemoval).slice(0, surplus);
  if (surplus === 0 && eachHasItsIndex(active, completions)) return [];
  const { unwanted, others } = unwantedPods(active, completions);
  const more = surplus - unwanted.length;
  return more > 0 ? [...unwanted, ...others.toSorted(compareForRemoval).slice(0, more)] : unwanted;
}

/** Finds the normal case in one walk: a bit for each index, if the pods' indexes are close enough together. */
function eachHasItsIndex(active: readonly PodFacts[], completions: number): boolean {
  const words = Math.ceil(Math.min(completions, active.length * 64 + 64) / 32);
  const seen = new Uint32Array(words);
  for (const pod of active) {
    const index = completionIndexOf(pod);
    if (index === undefined || index >= completions) return false;
    const word = index >>> 5;
    const bit = 1 << (index & 31);
    const before = seen[word];
    // A bit out of range, or set before: let the thorough way decide.
    if (before === undefined || (before & bit) !== 0 || index > 0x7fffffff) return false;
    seen[word] = before | bit;
  }
  return true;
}

function unwantedPods(active: readonly PodFacts[], completions: number): { unwanted: PodFacts[]; others: PodFacts[] } {
  const withoutIndex: PodFacts[] = [];
  const outOfRange: PodFacts[] = [];
  const byIndex = new Map<number, PodFacts>();
  const duplicates = new Map<number, PodFacts[]>();
  for (const pod of active) {
    const index = completionIndexOf(pod);
    if (index === undefined) withoutIndex.push(pod);
    else if (index >= completions) outOfRange.push(pod);
    else {
      const other = byIndex.get(index);
      if (other === undefined) byIndex.set(index, pod);
      else duplicates.set(index, [...(duplicates.get(index) ?? [other]), pod]);
    }
  }
  const surplus: PodFacts[] = [];
  for (const [index, pods] of [...duplicates].toSorted(([a], [b]) => a - b)) {
    const ranked = pods.toSorted(compareForRemoval);
    const kept = ranked.pop();
    if (kept !== undefined) byIndex.set(index, kept);
    surplus.push(...ranked);
  }
  // Like upstream, remove the lower index first among equals.
  return {
    unwanted: [...withoutIndex, ...surplus, ...outOfRange],
    others: [...byIndex].toSorted(([a], [b]) => a - b).map(([, pod]) => pod),
  };
}
