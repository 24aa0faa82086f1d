// A virtual node: its owner is the Node itself. Its passes decide on the pods that are bound to it, and say how its provider is.
import type { Node, WorkloadObject } from '../../objects/kubernetes.ts';
import { NODES, PODS } from '../../objects/resources.ts';
import { list, object, optional, text } from '../../objects/values/fact-checks.ts';
import { defineFacts } from '../rows/define-facts.ts';
import type { KindSettings } from '../rows/kind.ts';
import { keptOwner, ownerCheck } from '../rows/owner-facts.ts';
import { LEASES, NODE_LEASES } from '../../objects/placement/lease.ts';
import {
  adoption,
  isToBeAdopted,
  NODE_OPTIONS,
  nodeOptions,
  problemOfNode,
  VIRTUAL_NODES,
  virtualNodeNamed,
  virtualNodesIn,
} from '../virtual-pod/node-options.ts';
import { nodeObject } from './node-object.ts';
import { preemptionOrdering } from '../virtual-pod/ordering.ts';

export type VirtualNode = Node & WorkloadObject & { metadata: { name: string; uid: string } };

const namesIn = ({ options }: KindSettings): string[] => virtualNodesIn(options).map(({ name }) => name);

export const virtualNodeFacts = defineFacts<VirtualNode>({
  kind: 'VirtualNode',
  resource: NODES,
  shortNames: ['vno', 'no'],
  component: 'virtual-node-controller',
  settings: [VIRTUAL_NODES],
  options: [...nodeOptions, preemptionOrdering],
  ownersOn: ({ options }) => virtualNodesIn(options).map(({ name }) => ({ fieldSelector: `metadata.name=${name}` })),
  nodes: {
    namesIn,
    isOurs: (node) => problemOfNode(node) === undefined,
    adoptionOf: ({ options }, name) => {
      const settings = isToBeAdopted(options, name) ? virtualNodeNamed(options, name) : undefined;
      return settings && adoption(settings);
    },
    remoteOf: ({ options }, name) => virtualNodeNamed(options, name)?.remote,
    objectOf: ({ options }, name) => {
      const settings = virtualNodeNamed(options, name);
      return settings && nodeObject(settings);
    },
  },
  // Its passes list the pods of all namespaces that are bound to it, and make a Node that is gone again.
  furtherRights: [
    { resource: PODS, verbs: ['list'] },
    { resource: NODES, verbs: ['create'] },
    // A Node of another virtual kubelet becomes ours by an annotation.
    { resource: NODES, verbs: ['patch'], namesOn: namesIn, isUsed: ({ options }) => options?.[NODE_OPTIONS.adopt] !== undefined },
    { resource: LEASES, verbs: ['get'], namespace: NODE_LEASES, namesOn: namesIn },
    { resource: LEASES, verbs: ['create'], namespace: NODE_LEASES },
  ],
  hasNoPods: true,
  hasOtherWriters: true,
  // A lost decision is rebuilt from the tasks that run: not while an earlier pass may be starting one (R1).
  hasTasks: true,
  factsOf: (node) =>
    keptOwner(node, {
      keepsAnnotation: (key) => key.startsWith('farloop.dev/'),
      spec: node.spec ?? {},
      markOf: () => ({ spec: {} }),
    }),
  faultOf: ownerCheck({
    namespaced: false,
    spec: object({}),
    status: object({ conditions: optional(list(object({ type: text, status: text }))) }),
  }),
  isManaged: () => true,
  managerOf: () => undefined,
  hasStarted: ({ status }) => status?.['conditions'] !== undefined,
  isFinished: () => false,
});
