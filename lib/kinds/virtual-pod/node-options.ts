// The virtual nodes of a cluster, as its options say: which there are, who runs their pods, what they offer.
import type { KindOptions } from '../../objects/kind-options.ts';
import type { KubernetesObject, Taint } from '../../objects/kubernetes.ts';
import { problemsOfDnsSubdomain } from '../../objects/names.ts';
import { isQuantity, parseQuantity } from '../../objects/values/quantity.ts';
import type { LocalProviderWord, RemoteProvider } from '../../objects/placement/remote-provider.ts';
import type { KindOption, Setting } from '../rows/kind.ts';
import { problemOfProviderAddress } from './provider-address.ts';

export const VIRTUAL_NODES: Setting = { word: 'virtual-nodes', takes: 'the nodes of --virtual-node and the pods on them' };

/** Providers of this build, by the word after `NAME=`. */
export const PROVIDERS = ['simulated', 'local-process', 'podman', 'docker', 'http', 'interlink'] as const;
export type ProviderWord = (typeof PROVIDERS)[number];

export interface VirtualNodeSettings {
  name: string;
  provider: ProviderWord;
  /** Of a provider beyond this process. */
  remote?: RemoteProvider;
  /** Of a provider in this process. */
  local?: LocalProviderWord;
  /** Quantities by resource. */
  capacity: Readonly<Record<'cpu' | 'memory' | 'ephemeral-storage' | 'pods', string>>;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  /** Pods of DaemonSets that tolerate everything come to every node. */
  takesDaemonSets: boolean;
}

/** The names of the options. Of each the value is a list of `NAME=…` with a space between. */
export const NODE_OPTIONS = {
  node: 'virtual-node',
  cpu: 'node-cpu',
  memory: 'node-memory',
  pods: 'node-pods',
  labels: 'node-labels',
  taints: 'node-taints',
  noTaint: 'no-node-taint',
  noDaemonSets: 'no-node-daemonsets',
  tokens: 'node-tokens',
  adopt: 'adopt-node',
} as const;

const USUAL_CAPACITY: VirtualNodeSettings['capacity'] = { cpu: '20', memory: '100Gi', 'ephemeral-storage': '100Gi', pods: '20' };
/** A node keeps its decisions on all of them in its head. */
const MOST_PODS = 1_000;
const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const LABEL = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?)?$/;

type Problem = string | undefined;

/** `NAME=…`, with a check of what follows. */
const named =
  (problemOf: (text: string) => Problem) =>
  (text: string): Problem => {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(at, 0));
    if (at < 1) return 'Expected NAME=…, the name of a virtual node first.';
    return nameProblem(name) ?? problemOf(text.slice(at + 1));
  };

const nameProblem = (name: string): Problem =>
  problemsOfDnsSubdomain(name).length === 0
    ? undefined
    : `${JSON.stringify(name)} is no name of a Node: expected lower-case letters, digits, "-" and ".", as in edge-1.`;

/** A word alone, or a protocol and an address. */
function providerIn(text: string): Pick<VirtualNodeSettings, 'provider' | 'remote' | 'local'> | undefined {
  const [, word = '', address] = /^([^:]+)(?::(.*))?$/.exec(text) ?? [];
  const provider = PROVIDERS.find((known) => known === word);
  if (provider === 'http' || provider === 'interlink')
    return address === undefined ? undefined : { provider, remote: { protocol: provider, address } };
  return provider !== undefined && address === undefined ? { provider, local: provider } : undefined;
}

function providerProblem(text: string): Problem {
  const { remote } = providerIn(text) ?? {};
  if (remote) return problemOfProviderAddress(remote.address);
  return providerIn(text)
    ? undefined
    : `There is no provider ${JSON.stringify(text)}. Expected simulated, local-process, podman, docker, or http: or interlink: and an address, as in edge=http:http://127.0.0.1:9000.`;
}

const quantityProblem = (text: string): Problem =>
  isQuantity(text) && parseQuantity(text).nanos > 0n ? undefined : 'Expected a quantity above 0, as in edge=8, edge=500m or edge=32Gi.';

const countProblem = (text: string): Problem =>
  /^[1-9]\d{0,3}$/.test(text) && Number(text) <= MOST_PODS ? undefined : `Expected a number of pods from 1 to ${MOST_PODS}, as in edge=50.`;

const labelsProblem = (text: string): Problem =>
  pairsIn(text).every(([key, value]) => LABEL.test(key) && LABEL_VALUE.test(value))
    ? undefined
    : 'Expected labels, as in edge=zone=west,disk=none.';

const taintsProblem = (text: string): Problem =>
  text.split(',').every((each) => taintIn(each) !== undefined)
    ? undefined
    : `Expected taints, as in edge=dedicated=batch:NoSchedule; the effect is one of ${TAINT_EFFECTS.join(', ')}.`;

const option = (name: string, describes: string, value: NonNullable<KindOption['value']>): KindOption => ({
  name,
  describes,
  value,
  repeats: true,
  isForPasses: true,
});

/** Flags of what runs passes: these call the providers. */
export const nodeOptions: readonly KindOption[] = [
  {
    ...option(
      NODE_OPTIONS.node,
      `a node without a machine, and who runs its pods: simulated, local-process, podman or docker (farloop up alone), http:ADDRESS or interlink:ADDRESS; adds the word ${VIRTUAL_NODES.word} to --manage; may be given several times`,
      { placeholder: 'name=provider', problemOf: named(providerProblem) },
    ),
    isForRelay: true,
  },
  option(NODE_OPTIONS.cpu, `cpu that a virtual node offers (default: ${USUAL_CAPACITY.cpu})`, {
    placeholder: 'name=quantity',
    problemOf: named(quantityProblem),
  }),
  option(NODE_OPTIONS.memory, `memory that a virtual node offers (default: ${USUAL_CAPACITY.memory})`, {
    placeholder: 'name=quantity',
    problemOf: named(quantityProblem),
  }),
  option(NODE_OPTIONS.pods, `pods that a virtual node takes at once (default: ${USUAL_CAPACITY.pods})`, {
    placeholder: 'name=number',
    problemOf: named(countProblem),
  }),
  option(NODE_OPTIONS.labels, 'labels of a virtual node beside the usual ones', {
    placeholder: 'name=key=value,…',
    problemOf: named(labelsProblem),
  }),
  option(NODE_OPTIONS.taints, 'taints of a virtual node beside the usual one', {
    placeholder: 'name=key=value:effect,…',
    problemOf: named(taintsProblem),
  }),
  {
    name: NODE_OPTIONS.noTaint,
    describes: 'virtual nodes without their usual taint virtual-kubelet.io/provider, so that any pod may go there',
    isForPasses: true,
  },
  {
    name: NODE_OPTIONS.noDaemonSets,
    describes: 'virtual nodes that reject pods of DaemonSets: those that tolerate every taint come to every node',
    isForPasses: true,
  },
  option(
    NODE_OPTIONS.adopt,
    'a virtual node whose Node is there already, of another virtual kubelet that has ended; may be given several times',
    {
      placeholder: 'name',
      problemOf: nameProblem,
    },
  ),
  {
    name: NODE_OPTIONS.tokens,
    describes: "virtual nodes whose providers get the tokens of service accounts that pods' volumes ask for",
    isForPasses: true,
  },
];

const pairsIn = (text: string): [string, string][] =>
  text.split(',').map((pair) => {
    const [key = '', ...value] = pair.split('=');
    return [key, value.join('=')];
  });

function taintIn(text: string): Taint | undefined {
  const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  if (!LABEL.test(key) || !TAINT_EFFECTS.includes(effect)) return undefined;
  return { key, ...(value !== undefined && { value }), effect };
}

/** The values of an option by the node that each names; the last one counts. */
function valuesOf(options: KindOptions, name: string): Map<string, string> {
  const texts = (options[name] ?? '').split(' ').filter((text) => text !== '');
  return new Map(texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
}

/** Those that can be read: options of a later build may say more. */
export function virtualNodesIn(options: KindOptions = {}): VirtualNodeSettings[] {
  const [cpu, memory, pods, labels, taints] = (['cpu', 'memory', 'pods', 'labels', 'taints'] as const).map((each) =>
    valuesOf(options, NODE_OPTIONS[each]),
  );
  return [...valuesOf(options, NODE_OPTIONS.node)].flatMap(([name, word]) => {
    const found = providerIn(word);
    if (!found) return [];
    const { provider } = found;
    const usual: Taint = { key: 'virtual-kubelet.io/provider', value: provider, effect: 'NoSchedule' };
    const own = taints?.get(name);
    return [
      {
        name,
        ...found,
        capacity: {
          ...USUAL_CAPACITY,
          ...(cpu?.has(name) && { cpu: cpu.get(name) }),
          ...(memory?.has(name) && { memory: memory.get(name) }),
          ...(pods?.has(name) && { pods: pods.get(name) }),
        } as VirtualNodeSettings['capacity'],
        labels: Object.fromEntries(labels?.has(name) ? pairsIn(labels.get(name) ?? '') : []),
        taints: [
          ...(options[NODE_OPTIONS.noTaint] === undefined ? [usual] : []),
          ...(own ?? '').split(',').flatMap((text) => taintIn(text) ?? []),
        ],
        takesDaemonSets: options[NODE_OPTIONS.noDaemonSets] === undefined,
      },
    ];
  });
}

export const virtualNodeNamed = (options: KindOptions | undefined, name: string): VirtualNodeSettings | undefined =>
  virtualNodesIn(options).find((node) => node.name === name);

/** An annotation of each Node that Farloop made. One without it is served by somebody else. */
export const MADE_BY = 'farloop.dev/virtual-node';

/** Why nothing is done for a Node and its pods, for people; undefined: Farloop made it. */
export function problemOfNode({ metadata: { name, annotations } }: KubernetesObject): string | undefined {
  if (annotations?.[MADE_BY] !== undefined) return undefined;
  return `the Node ${name} was not made by Farloop, so somebody else serves it: give the virtual node another name, delete that Node, or take it over with --${NODE_OPTIONS.adopt} ${name}`;
}

export const isToBeAdopted = (options: KindOptions | undefined, name: string): boolean =>
  (options?.[NODE_OPTIONS.adopt] ?? '').split(' ').includes(name);

/** A merge patch: from then on Farloop serves the Node, which stays as it was made. */
export const adoption = ({ provider }: VirtualNodeSettings): object => ({ metadata: { annotations: { [MADE_BY]: provider } } });

/** Why the options do not fit together, for people; undefined if they do. */
export function problemOfNodeOptions(options: KindOptions): string | undefined {
  const names = (options[NODE_OPTIONS.node] ?? '')
    .split(' ')
    .filter((text) => text !== '')
    .map((text) => text.slice(0, text.indexOf('=')));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `--${NODE_OPTIONS.node} names ${twice} twice: each node has one provider`;
  for (const each of ['cpu', 'memory', 'pods', 'labels', 'taints'] as const)
    for (const name of valuesOf(options, NODE_OPTIONS[each]).keys())
      if (!names.includes(name))
        return `--${NODE_OPTIONS[each]} is about ${name}, and no --${NODE_OPTIONS.node} ${name}=… makes such a node${names.length > 0 ? `; there is ${names.join(', ')}` : ''}`;
  const unknown = (options[NODE_OPTIONS.adopt] ?? '').split(' ').find((name) => name !== '' && !names.includes(name));
  if (unknown !== undefined)
    return `--${NODE_OPTIONS.adopt} is about ${unknown}, and no --${NODE_OPTIONS.node} ${unknown}=… says who is to run its pods`;
  return undefined;
}
