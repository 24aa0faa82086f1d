// Which pods are evicted for a critical one: of the lowest class that suffices, the closest to what is missing, one after the other.
import type { Pod } from '../../../objects/kubernetes.ts';
import { podQosClassOf, type QosClass } from '../../../objects/pods/qos-class.ts';
import { isCritical, isPreemptable, priorityOf } from './critical-pods.ts';
import { victimRequestsOf, type Amounts } from '../../../objects/pods/pod-requests.ts';
import { distanceTo, requirementsText, subtracted, type Requirement } from './requirements.ts';

export interface VictimsAsked {
  preemptor: Pod;
  /** In the order of their admission: of equal ones the youngest goes. */
  candidates: readonly Pod[];
  requirements: readonly Requirement[];
  /** `qos`: by class alone, as released. `priority`: by priority before class, as proposed. */
  ordering: 'qos' | 'priority';
}

/** No pods that may be evicted free enough; the message is upstream's. */
export class NoVictimsError extends Error {
  override readonly name = 'NoVictimsError';
  constructor(missing: readonly Requirement[]) {
    super(`no set of running pods found to reclaim resources: ${requirementsText(missing)}`);
  }
}

interface Candidate {
  pod: Pod;
  qosClass: QosClass;
  amounts: Amounts;
}

/** In the order of eviction. @throws NoVictimsError */
export function chooseVictims({ preemptor, candidates, requirements, ordering }: VictimsAsked): Pod[] {
  const preemptable = candidates.flatMap((pod): Candidate[] => {
    if (!isPreemptable(preemptor, pod)) return [];
    const qosClass = podQosClassOf(pod);
    return qosClass === undefined ? [] : [{ pod, qosClass, amounts: victimRequestsOf(pod) }];
  });
  const missing = subtracted(requirements, amountsIn(preemptable));
  if (missing.length > 0) throw new NoVictimsError(missing);
  const chosen = ordering === 'qos' ? byClass(preemptable, requirements) : byPriority(preemptable, requirements);
  return chosen.map(({ pod }) => pod);
}

const amountsIn = (...lists: (readonly Candidate[])[]): Amounts[] => lists.flat().map(({ amounts }) => amounts);

/** A class goes only for what the lower ones cannot give. The lowest class is evicted first. */
function byClass(candidates: readonly Candidate[], requirements: readonly Requirement[]): Candidate[] {
  const of = (wanted: QosClass): Candidate[] => candidates.filter(({ qosClass }) => qosClass === wanted);
  const [bestEffort, burstable] = [of('BestEffort'), of('Burstable')];
  const third = byDistance(of('Guaranteed'), subtracted(requirements, amountsIn(bestEffort, burstable)));
  const second = byDistance(burstable, subtracted(requirements, amountsIn(bestEffort, third)));
  const first = byDistance(bestEffort, subtracted(requirements, amountsIn(second, third)));
  return [...first, ...second, ...third];
}

const CLASSES: readonly QosClass[] = ['BestEffort', 'Burstable', 'Guaranteed'];

/** Negative, zero or positive as the first is worth less, as much or more. A priority that is not set counts as zero. */
function compareWorth(one: Candidate, other: Candidate): number {
  return (
    Number(isCritical(one.pod)) - Number(isCritical(other.pod)) ||
    (priorityOf(one.pod) ?? 0) - (priorityOf(other.pod) ?? 0) ||
    CLASSES.indexOf(one.qosClass) - CLASSES.indexOf(other.qosClass)
  );
}

/** A group goes only for what those of less worth cannot give. The group of most worth is evicted first. */
function byPriority(candidates: readonly Candidate[], requirements: readonly Requirement[]): Candidate[] {
  const groups: Candidate[][] = [];
  for (const candidate of candidates.toSorted(compareWorth)) {
    const [group] = groups.slice(-1);
    if (group?.[0] !== undefined && compareWorth(group[0], candidate) === 0) group.push(candidate);
    else groups.push([candidate]);
  }
  let chosen: Candidate[] = [];
  for (const [at, group] of [...groups.entries()].toReversed()) {
    chosen = [...chosen, ...byDistance(group, subtracted(requirements, amountsIn(...groups.slice(0, at), chosen)))];
  }
  return chosen;
}

/** The closest, then the closest to the rest, until nothing is missing. @throws NoVictimsError */
function byDistance(candidates: readonly Candidate[], requirements: readonly Requirement[]): Candidate[] {
  const left = [...candidates];
  const chosen: Candidate[] = [];
  let missing = [...requirements];
  while (missing.length > 0) {
    const at = closestTo(missing, left);
    const closest = left[at];
    if (closest === undefined) throw new NoVictimsError(missing);
    // The last one takes the place: which one wins a later tie depends on it.
    const last = left.pop();
    if (last !== undefined && last !== closest) left[at] = last;
    chosen.push(closest);
    missing = subtracted(missing, [closest.amounts]);
  }
  return chosen;
}

/** Its place; -1 without candidates. Of equally close ones the smallest, of these the last. */
function closestTo(requirements: readonly Requirement[], candidates: readonly Candidate[]): number {
  let [best, place, least] = [undefined as Candidate | undefined, -1, Infinity];
  for (const [at, candidate] of candidates.entries()) {
    const distance = distanceTo(requirements, candidate.amounts);
    if (distance < least || (distance === least && (best === undefined || isAtMost(candidate.amounts, best.amounts)))) {
      [best, place, least] = [candidate, at, distance];
    }
  }
  return place;
}

/** Memory decides, then cpu. Equal ones are at most each other. */
export function isAtMost(one: Amounts, other: Amounts): boolean {
  for (const resource of ['memory', 'cpu']) {
    const [left, right] = [one.get(resource) ?? 0n, other.get(resource) ?? 0n];
    if (left !== right) return left < right;
  }
  return true;
}
