// Random admissions from a seed: a node, the pods on it, and one more that asks for room. Few distinct amounts, so that pods are
// often equal: ties are where choices of victims differ.
import { seededRandom } from '../../../lib/adapters/embedded/seeded-chance.ts';
import type { Container, KubernetesObject, ObjectMeta, Pod } from '../../../lib/objects/kubernetes.ts';
import { amountOf, fitRequestOf, type Amounts } from './plain-requests.ts';

export interface RandomNode extends KubernetesObject {
  metadata: ObjectMeta;
  spec: { taints?: { key: string; value: string; effect: string }[] };
  status: { allocatable: Record<string, string>; capacity: Record<string, string>; [field: string]: unknown };
}

export interface RandomAdmission {
  node: RandomNode;
  /** In the order of their admission. */
  pods: Pod[];
  incoming: Pod;
}

const SYSTEM_CRITICAL = 2_000_000_000;
const GPU = 'nvidia.com/gpu';
const DEVICE = 'example.com/dev';
const WIDGET = 'kubernetes.io/widget';
const HUGE_PAGES = 'hugepages-2Mi';
const STORAGE = 'ephemeral-storage';

const cpus = ['50m', '100m', '100m', '200m', '200m', '300m', '500m', '0.1', '1', '1500u', '0'];
const memories = ['50Mi', '100Mi', '100Mi', '200Mi', '200Mi', '300Mi', '512Mi', '1Gi', '100M', '1500m', '0'];
const storages = ['1Gi', '2Gi', '500Mi'];

type Class = 'bestEffort' | 'burstable' | 'guaranteed';
type Resources = NonNullable<Container['resources']>;

/** Whole numbers, choices and percentages from one seed. */
function chanceFrom(seed: number) {
  const next = seededRandom(seed);
  for (let warming = 0; warming < 4; warming++) next();
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    integer,
    percent: (percent: number): boolean => next() * 100 < percent,
    pick: <T>(list: readonly [T, ...T[]] | readonly T[]): T => list[integer(0, list.length - 1)] as T,
  };
}
type Chance = ReturnType<typeof chanceFrom>;

function resourcesOf(chance: Chance, wanted: Class): Resources {
  if (wanted === 'bestEffort') return chance.percent(15) ? { requests: { [STORAGE]: chance.pick(storages) } } : {};
  const requests: Record<string, string> = { cpu: chance.pick(cpus), memory: chance.pick(memories) };
  if (wanted === 'guaranteed') return chance.percent(10) ? { limits: requests } : { requests, limits: { ...requests } };
  if (chance.percent(25)) delete requests[chance.pick(['cpu', 'memory'])];
  if (chance.percent(20)) requests[STORAGE] = chance.pick(storages);
  if (chance.percent(70)) return { requests };
  const limits = Object.fromEntries(Object.keys(requests).map((resource) => [resource, resource === 'cpu' ? '2' : '4Gi']));
  return chance.percent(10) ? { limits } : { requests, limits };
}

function ask(pod: Pod, resource: string, quantity: string): void {
  const [first] = pod.spec.containers;
  const resources = (first as Container).resources ?? {};
  resources.requests = { ...resources.requests, [resource]: quantity };
  resources.limits = { ...resources.limits, [resource]: quantity };
  (first as Container).resources = resources;
}

const podLevels: Resources[] = [
  { requests: { cpu: '200m' } },
  { requests: { cpu: '100m', memory: '100Mi' }, limits: { cpu: '100m', memory: '100Mi' } },
  { requests: { cpu: '500m' }, limits: { cpu: '1' } },
  { limits: { memory: '2Gi' }, requests: { memory: '200Mi' } },
];
const overheads = [{ cpu: '50m' }, { cpu: '250m', memory: '120Mi' }, { memory: '100Mi' }];

function podOf(chance: Chance, { name, second, wanted }: { name: string; second: number; wanted: Class }): Pod {
  const container = (containerName: string, ofClass: Class, more: Partial<Container> = {}): Container => ({
    name: containerName,
    image: 'agent',
    ...more,
    resources: resourcesOf(chance, ofClass),
  });
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: chance.pick(['default', 'team-a', 'kube-system']),
      name,
      uid: `uid-${name}`,
      creationTimestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString().replace('.000Z', 'Z'),
    },
    spec: { nodeName: 'vn-0', restartPolicy: 'Always', containers: [container('main', wanted)] },
    status: { phase: chance.pick(['Running', 'Running', 'Running', 'Pending']) },
  };
  if (chance.percent(20)) pod.spec.containers.push(container('second', wanted));
  if (chance.percent(15)) {
    const anyClass = chance.pick<Class>([wanted, wanted, 'bestEffort', 'burstable', 'guaranteed']);
    pod.spec.initContainers = [container('prepare', anyClass)];
    if (chance.percent(40)) pod.spec.initContainers.push(container('late-sidecar', wanted, { restartPolicy: 'Always' }));
    if (chance.percent(30)) pod.spec.initContainers.unshift(container('early-sidecar', wanted, { restartPolicy: 'Always' }));
  }
  if (chance.percent(6)) pod.spec['overhead'] = chance.pick(overheads);
  if (chance.percent(6) && wanted !== 'bestEffort') pod.spec['resources'] = structuredClone(chance.pick(podLevels));
  if (chance.percent(15)) ask(pod, GPU, chance.pick(['1', '2']));
  if (chance.percent(5)) ask(pod, DEVICE, chance.pick(['1', '3']));
  if (chance.percent(2)) ask(pod, WIDGET, '1');
  if (chance.percent(4) && wanted !== 'bestEffort') ask(pod, HUGE_PAGES, chance.pick(['2Mi', '4Mi']));
  return pod;
}

/** A priority, or the marks of a static or a mirror pod. */
function rankAnyhow(chance: Chance, pod: Pod): void {
  const at = chance.next();
  if (at < 0.55) pod.spec['priority'] = 0;
  else if (at < 0.7) pod.spec['priority'] = chance.pick([-5, 5, 100, 1000, 1_000_000_000, SYSTEM_CRITICAL - 1]);
  else if (at < 0.76) Object.assign(pod.spec, { priority: SYSTEM_CRITICAL, priorityClassName: 'system-cluster-critical' });
  else if (at < 0.8) Object.assign(pod.spec, { priority: SYSTEM_CRITICAL + 1000, priorityClassName: 'system-node-critical' });
  else if (at < 0.92) {
    pod.metadata.annotations =
      at < 0.88
        ? { 'kubernetes.io/config.source': chance.pick(['file', 'http', 'api', 'file']) }
        : { 'kubernetes.io/config.mirror': chance.pick(['', 'x']) };
    if (chance.percent(50)) pod.spec['priority'] = chance.pick([0, SYSTEM_CRITICAL, SYSTEM_CRITICAL + 1000]);
  }
}

function rankIncoming(chance: Chance, pod: Pod): void {
  const at = chance.next();
  if (at < 0.55) {
    Object.assign(pod.spec, { priority: SYSTEM_CRITICAL, priorityClassName: 'system-cluster-critical' });
    pod.metadata.namespace = 'kube-system';
  } else if (at < 0.72) Object.assign(pod.spec, { priority: SYSTEM_CRITICAL + 1000, priorityClassName: 'system-node-critical' });
  else if (at < 0.82) {
    pod.metadata.annotations = { 'kubernetes.io/config.source': 'file' };
    if (chance.percent(50)) pod.spec['priority'] = SYSTEM_CRITICAL + 1000;
  } else if (at < 0.86) pod.spec['priority'] = SYSTEM_CRITICAL - 1;
  else rankAnyhow(chance, pod);
}

const mixtures: Class[][] = [
  ['bestEffort', 'burstable', 'guaranteed'],
  ['burstable'],
  ['guaranteed'],
  ['bestEffort'],
  ['burstable', 'guaranteed'],
  ['burstable', 'bestEffort'],
  ['burstable', 'burstable', 'burstable', 'guaranteed', 'bestEffort'],
];

function podsOf(chance: Chance, count: number): Pod[] {
  const mixture = chance.pick(mixtures);
  const areAllOrdinary = chance.percent(15);
  const pods: Pod[] = [];
  let second = 0;
  for (let number = 0; number < count; number++) {
    if (chance.percent(85)) second++;
    const pod = podOf(chance, { name: `pod-${String(number).padStart(3, '0')}`, second, wanted: chance.pick(mixture) });
    if (areAllOrdinary) pod.spec['priority'] = 0;
    else rankAnyhow(chance, pod);
    if (chance.percent(5)) pod.status = { phase: chance.pick(['Failed', 'Succeeded']) };
    // What the status says wins over what would be computed.
    if (chance.percent(6)) pod.status = { ...pod.status, qosClass: chance.pick(['Guaranteed', 'Burstable', 'BestEffort']) };
    pods.push(pod);
  }
  if (count > 2 && chance.percent(50)) {
    for (let twins = chance.integer(1, Math.ceil(count / 4)); twins > 0; twins--) {
      const [original, twin] = [chance.pick(pods), chance.pick(pods)];
      twin.spec = structuredClone(original.spec);
    }
  }
  return pods;
}

/** As if an API server had defaulted the requests of containers: enough to size a node. */
function withRequests(pod: Pod): Pod {
  const copy = structuredClone(pod);
  for (const { resources } of [...copy.spec.containers, ...(copy.spec.initContainers ?? [])])
    if (resources?.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
  return copy;
}

export const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';

/** How much of a resource the node has: often a little too little for all of them. */
function sizeOf(chance: Chance, { used, wanted }: { used: bigint; wanted: bigint }): bigint {
  const all = used + wanted;
  const at = chance.next();
  if (at < 0.35) return all + BigInt(chance.integer(0, 5));
  if (at < 0.75) return all - BigInt(Math.floor(Number(all) * chance.next() * 0.5));
  if (at < 0.85) return used;
  if (at < 0.9) return BigInt(Math.floor(Number(used) * chance.next()));
  return all * 2n + 100n;
}

function allocatableFor(chance: Chance, pods: readonly Pod[], incoming: Pod): Record<string, string> {
  const staying = pods.filter((pod) => !hasEnded(pod));
  const used: Amounts = {};
  for (const pod of staying)
    for (const [resource, amount] of Object.entries(fitRequestOf(withRequests(pod)))) used[resource] = (used[resource] ?? 0n) + amount;
  const wanted = fitRequestOf(withRequests(incoming));
  const allocatable: Record<string, string> = {};
  for (const resource of ['cpu', 'memory', STORAGE, GPU, DEVICE, WIDGET, HUGE_PAGES]) {
    const isAbsent = (resource === GPU && chance.percent(15)) || (resource === DEVICE && chance.percent(40));
    if (isAbsent || (resource === WIDGET && chance.percent(40)) || (resource === HUGE_PAGES && chance.percent(10))) continue;
    const size = sizeOf(chance, { used: used[resource] ?? 0n, wanted: wanted[resource] ?? 0n });
    const pageBytes = amountOf('memory', '2Mi');
    allocatable[resource] = resource === 'cpu' ? `${size}m` : String(resource === HUGE_PAGES ? (size / pageBytes) * pageBytes : size);
  }
  const room = chance.percent(60) ? 20 : chance.integer(-2, 2);
  allocatable['pods'] = String(Math.max(0, staying.length + room));
  return allocatable;
}

function nodeWith(allocatable: Record<string, string>): RandomNode {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'vn-0',
      uid: 'uid-node',
      labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/hostname': 'vn-0', zone: 'a', generation: '5' },
    },
    spec: {},
    status: { allocatable, capacity: { ...allocatable }, nodeInfo: { operatingSystem: 'linux', architecture: 'amd64' } },
  };
}

/** What an affinity asks of a node's labels, or of its name. */
function termOf(chance: Chance): object {
  const operator = chance.pick(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
  if (chance.percent(15)) return { matchFields: [{ key: 'metadata.name', operator: 'In', values: [chance.pick(['vn-0', 'vn-1'])] }] };
  if (operator === 'Gt' || operator === 'Lt') {
    return { matchExpressions: [{ key: chance.pick(['generation', 'zone']), operator, values: [chance.pick(['3', '7'])] }] };
  }
  const values = operator.endsWith('In') ? { values: chance.pick([['a'], ['b'], ['a', 'b']]) } : {};
  return { matchExpressions: [{ key: 'zone', operator, ...values }] };
}

function takePorts(chance: Chance, pods: readonly Pod[], incoming: Pod): void {
  const portAt = (addresses: readonly { hostIP?: string }[]): object[] => [
    { containerPort: 80, hostPort: 80, ...chance.pick([{ protocol: 'TCP' }, {}, { protocol: 'UDP' }]), ...chance.pick(addresses) },
  ];
  const holding = (pod: Pod): Container =>
    (chance.percent(20) ? (pod.spec.initContainers ?? []) : []).at(-1) ?? (pod.spec.containers[0] as Container);
  Object.assign(holding(chance.pick(pods)), { ports: portAt([{}, { hostIP: '10.0.0.1' }, { hostIP: '0.0.0.0' }]) });
  Object.assign(holding(incoming), { ports: portAt([{}, { hostIP: '10.0.0.2' }, { hostIP: '10.0.0.1' }]) });
  if (!chance.percent(15)) return;
  incoming.spec['hostNetwork'] = true;
  Object.assign(incoming.spec.containers[0] as Container, { ports: [{ containerPort: 80 }] });
}

const tolerations = [
  { operator: 'Exists' },
  { key: 'x', operator: 'Exists', effect: 'NoExecute' },
  { key: 'x', value: 'z', effect: 'NoExecute' },
  { key: 'x', value: 'y', effect: 'NoExecute' },
  { key: 'x', operator: 'Equal', value: 'y' },
  { operator: 'Exists', effect: 'NoSchedule' },
];

/** Reasons for a rejection that no eviction can mend. */
function hinderOtherwise(chance: Chance, { node, pods, incoming }: RandomAdmission): void {
  const { spec, metadata } = incoming;
  const { labels = {} } = node.metadata;
  if (chance.percent(4)) delete labels['kubernetes.io/os'];
  else if (chance.percent(2)) labels['kubernetes.io/os'] = 'windows';
  if (chance.percent(5)) spec['nodeSelector'] = chance.pick<object>([{ zone: 'b' }, { zone: 'a' }, { disk: 'ssd' }]);
  else if (chance.percent(3)) spec['nodeSelector'] = { 'kubernetes.io/os': chance.pick(['linux', 'linux', 'windows']) };
  if (chance.percent(4)) {
    const nodeSelectorTerms = chance.percent(70) ? [termOf(chance)] : [termOf(chance), termOf(chance)];
    spec['affinity'] = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
  }
  if (chance.percent(5) && pods.length > 0) takePorts(chance, pods, incoming);
  if (chance.percent(5)) {
    node.spec.taints = [{ key: 'x', value: 'y', effect: chance.pick(['NoExecute', 'NoExecute', 'NoSchedule']) }];
    if (chance.percent(20)) node.spec.taints.push({ key: 'z', value: '', effect: 'NoExecute' });
    if (chance.percent(40)) spec['tolerations'] = [chance.pick<object>(tolerations)];
  }
  if (chance.percent(2)) metadata.labels = { 'kubernetes.io/os': chance.pick(['windows', 'linux']) };
  if (chance.percent(2)) spec['os'] = { name: chance.pick(['windows', 'linux']) };
  if (chance.percent(2)) {
    spec['securityContext'] = { supplementalGroupsPolicy: chance.pick(['Strict', 'Merge']) };
    if (chance.percent(50)) node.status['features'] = { supplementalGroupsPolicy: chance.percent(50) };
  }
}

/**
 * The admission of a seed and a number: always the same.
 * @param least the fewest pods there are on the node
 */
export function randomAdmission(seed: number, number: number, least = 0): RandomAdmission {
  const chance = chanceFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const count = chance.percent(10) ? chance.integer(15, 40) : chance.integer(0, 12);
  const pods = podsOf(chance, Math.max(least, count));
  const incoming = podOf(chance, {
    name: 'incoming',
    second: 3000,
    wanted: chance.pick(['bestEffort', 'burstable', 'burstable', 'guaranteed']),
  });
  incoming.status = { phase: 'Pending' };
  rankIncoming(chance, incoming);
  if (chance.percent(18)) ask(incoming, GPU, chance.pick(['1', '1', '1', '2', '2', '0']));
  if (chance.percent(12)) ask(incoming, DEVICE, chance.pick(['1', '2']));
  const admission = { node: nodeWith(allocatableFor(chance, pods, incoming)), pods, incoming };
  hinderOtherwise(chance, admission);
  return admission;
}

/** In another order, always the same for a seed. */
export function shuffled<T>(seed: number, list: readonly T[]): T[] {
  const chance = chanceFrom(seed);
  return list
    .map((item) => ({ item, at: chance.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

/** What a choice of victims may be asked for: up to four resources, in the order of the checks. */
export function randomNeeds(seed: number, number: number, { pods }: RandomAdmission): { resource: string; quantity: bigint }[] {
  const chance = chanceFrom(Math.imul(seed, 0x27d4eb2f) ^ Math.imul(number + 1, 0x165667b1));
  const requests = pods.map(fitRequestOf);
  const held = (resource: string): bigint => requests.reduce((sum, request) => sum + (request[resource] ?? 0n), 0n);
  const needs = [{ resource: 'pods', quantity: BigInt(chance.integer(1, Math.max(1, Math.ceil(pods.length / 2)))) }];
  for (const resource of ['cpu', 'memory', STORAGE, DEVICE, GPU]) {
    const share = chance.percent(50) ? 0.3 : chance.next();
    needs.push({ resource, quantity: BigInt(Math.max(1, Math.round(Number(held(resource)) * share))) });
  }
  return needs.filter(({ resource }) => chance.percent(['pods', 'cpu', 'memory'].includes(resource) ? 50 : 10));
}
