// Which pods make room, slow and plain: a second formulation of sections 3.3, 4, 8 and 9 of the specification, for tests alone. It picks
// the best of all candidates again and again where upstream walks over them, and looks nothing up that it could count anew.
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { parseQuantity } from '../../../lib/objects/values/quantity.ts';
import { victimRequestOf } from './plain-requests.ts';

export interface Need {
  resource: string;
  /** More than nothing; cpu in thousandths, everything else in whole units. */
  quantity: bigint;
}

export interface Choice {
  preemptor: Pod;
  /** In the order of their admission. */
  candidates: readonly Pod[];
  needs: readonly Need[];
  ordering: 'qos' | 'priority';
}

/** The victims in the order of their eviction, or upstream's words for why there are none. */
export type Chosen = { victims: Pod[] } | { error: string };

const SYSTEM_CRITICAL = 2_000_000_000;

export function isPlainlyCritical({ metadata, spec }: Pod): boolean {
  const source = metadata.annotations?.['kubernetes.io/config.source'] ?? 'api';
  const isMirror = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
  return source !== 'api' || isMirror || Number(spec['priority'] ?? 0) >= SYSTEM_CRITICAL;
}

export function isPlainlyPreemptable(preemptor: Pod, pod: Pod): boolean {
  if (isPlainlyCritical(preemptor) && !isPlainlyCritical(pod)) return true;
  const [ours, theirs] = [preemptor.spec['priority'], pod.spec['priority']];
  return typeof ours === 'number' && typeof theirs === 'number' && ours > theirs;
}

const CLASSES = ['BestEffort', 'Burstable', 'Guaranteed'];
interface Resources {
  requests?: Record<string, string | number>;
  limits?: Record<string, string | number>;
}

/** Of one set of requests and limits: which of the two resources are asked for, and whether exactly so much as is allowed. */
function classOfResources({ requests = {}, limits = {} }: Resources): string {
  const pairs = ['cpu', 'memory'].map((name) => [requests[name] ?? '0', limits[name] ?? '0'].map((text) => parseQuantity(text).nanos));
  if (pairs.every(([request, limit]) => request === 0n && limit === 0n)) return 'BestEffort';
  return pairs.every(([request, limit]) => request === limit && request !== 0n) ? 'Guaranteed' : 'Burstable';
}

/** `status.qosClass`, or what is computed. */
export function plainClassOf({ spec, status }: Pod): string {
  const told = status?.['qosClass'];
  if (typeof told === 'string' && told !== '') return told;
  const podLevel: Resources = spec['resources'] ?? {};
  const isPodLevel = Object.values(podLevel).some((list) => Object.keys(list).length > 0);
  const parts = isPodLevel ? [podLevel] : [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources = {} }) => resources);
  const classes = new Set(parts.map(classOfResources));
  const [first = 'BestEffort'] = classes;
  return classes.size > 1 ? 'Burstable' : first;
}

/** What is still needed once these pods are gone. */
export function stillNeeded(needs: readonly Need[], pods: readonly Pod[]): Need[] {
  return needs
    .map(({ resource, quantity }) => ({ resource, quantity: pods.reduce((left, pod) => left - victimRequestOf(pod, resource), quantity) }))
    .filter(({ quantity }) => quantity > 0n);
}

function distance(needs: readonly Need[], pod: Pod): number {
  let squares = 0;
  for (const { resource, quantity } of needs) {
    const missing = quantity - victimRequestOf(pod, resource);
    const share = missing > 0n ? Number(missing) / Number(quantity) : 0;
    squares += share * share;
  }
  return squares;
}

class NoVictimsError extends Error {}

function refuse(needs: readonly Need[]): never {
  const list = needs.map(({ resource, quantity }) => `(res: ${resource}, q: ${quantity}), `).join('');
  throw new NoVictimsError(`no set of running pods found to reclaim resources: [${list}]`);
}

const order = <T>(one: T, other: T): number => (one < other ? -1 : one > other ? 1 : 0);

/** The closest to the needs, of these the one that requests least, of these the last; then what the others can do for the rest. */
function byDistance(pods: readonly Pod[], needs: readonly Need[]): Pod[] {
  if (needs.length === 0) return [];
  const ranked = pods
    .map((pod, at) => ({
      at,
      pod,
      distance: distance(needs, pod),
      memory: victimRequestOf(pod, 'memory'),
      cpu: victimRequestOf(pod, 'cpu'),
    }))
    .toSorted((a, b) => order(a.distance, b.distance) || order(a.memory, b.memory) || order(a.cpu, b.cpu) || order(b.at, a.at));
  const [best] = ranked;
  if (best === undefined) return refuse(needs);
  // The last one takes the place that the chosen one leaves.
  const others = pods.map((pod, at) => (at === best.at ? (pods.at(-1) ?? pod) : pod)).slice(0, -1);
  return [best.pod, ...byDistance(others, stillNeeded(needs, [best.pod]))];
}

function byClass(pods: readonly Pod[], needs: readonly Need[]): Pod[] {
  const [bestEffort = [], burstable = [], guaranteed = []] = CLASSES.map((name) => pods.filter((pod) => plainClassOf(pod) === name));
  const missing = stillNeeded(needs, [...bestEffort, ...burstable, ...guaranteed]);
  if (missing.length > 0) refuse(missing);
  const third = byDistance(guaranteed, stillNeeded(needs, [...bestEffort, ...burstable]));
  const second = byDistance(burstable, stillNeeded(needs, [...bestEffort, ...third]));
  const first = byDistance(bestEffort, stillNeeded(needs, [...second, ...third]));
  return [...first, ...second, ...third];
}

function byPriority(pods: readonly Pod[], needs: readonly Need[]): Pod[] {
  const groups = Map.groupBy(
    pods.filter((pod) => CLASSES.includes(plainClassOf(pod))),
    (pod) => JSON.stringify([isPlainlyCritical(pod), Number(pod.spec['priority'] ?? 0), CLASSES.indexOf(plainClassOf(pod))]),
  );
  type Place = [boolean, number, number];
  const ascending = [...groups]
    .map(([place, members]) => ({ place: JSON.parse(place) as Place, members }))
    .toSorted((a, b) => order(a.place[0], b.place[0]) || order(a.place[1], b.place[1]) || order(a.place[2], b.place[2]));
  const missing = stillNeeded(
    needs,
    ascending.flatMap(({ members }) => members),
  );
  if (missing.length > 0) refuse(missing);
  const victims: Pod[] = [];
  for (const [at, { members }] of [...ascending.entries()].toReversed()) {
    const lower = ascending.slice(0, at).flatMap((group) => group.members);
    victims.push(...byDistance(members, stillNeeded(needs, [...lower, ...victims])));
  }
  return victims;
}

export function plainChoice({ preemptor, candidates, needs, ordering }: Choice): Chosen {
  const preemptable = candidates.filter((pod) => isPlainlyPreemptable(preemptor, pod));
  try {
    return { victims: ordering === 'qos' ? byClass(preemptable, needs) : byPriority(preemptable, needs) };
  } catch (error) {
    if (error instanceof NoVictimsError) return { error: error.message };
    throw error;
  }
}
