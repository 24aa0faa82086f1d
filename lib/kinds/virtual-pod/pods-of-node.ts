// From documents to an admission: the node, the pods that it has admitted, and the pod that asks for room.
import { withPodFieldDefaults } from '../../admission/pod/pod-defaults.ts';
import type { KubernetesObject, Node, Pod } from '../../objects/kubernetes.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { misshapen, UnusableManifestError } from '../rows/manifest-documents.ts';
import { roomProblem } from './manifest-shapes.ts';

export interface PodsOfNode {
  node: Node;
  /** All of them but the incoming one, oldest first; with those that have ended. */
  pods: Pod[];
  incoming: Pod;
}

interface Given {
  nodes: readonly KubernetesObject[];
  pods: readonly Pod[];
  /** Of the pod that asks for room. */
  uid: string;
  sourceOf: (object: object) => string;
}

/** With the defaults of an API server: pods that passed none, static ones, lack them. @throws UnusableManifestError */
export function podsOfNode({ nodes, pods, uid, sourceOf }: Given): PodsOfNode {
  const chosen = pods.find(({ metadata }) => metadata.uid === uid);
  if (!chosen) throw new Error(`the pod ${uid} is not among the documents`);
  const node = nodeFor(chosen, nodes, sourceOf);
  const others = pods.filter((pod) => pod !== chosen);
  return { node, incoming: stored(chosen, sourceOf), pods: podsBoundTo(node.metadata.name ?? '', others, sourceOf) };
}

/** Oldest first, with those that have ended. @throws UnusableManifestError */
export const podsBoundTo = (node: string, pods: readonly Pod[], sourceOf: Given['sourceOf']): Pod[] =>
  olderFirst(pods.filter((pod: Pod & { spec?: Pod['spec'] }) => pod.spec?.nodeName === node).map((pod) => stored(pod, sourceOf)));

function stored(pod: Pod, sourceOf: Given['sourceOf']): Pod {
  const problem = roomProblem(pod);
  if (problem) throw misshapen(problem, sourceOf(pod));
  return withPodFieldDefaults(pod);
}

/** @throws UnusableManifestError there is not exactly one node, or the pod is not bound to it */
function nodeFor(incoming: Pod, nodes: readonly KubernetesObject[], sourceOf: Given['sourceOf']): Node {
  const { nodeName } = (incoming as { spec?: Fields }).spec ?? {};
  const [node, second] = nodes;
  const bound = typeof nodeName === 'string' && nodeName !== '' ? nodeName : undefined;
  if (!node) {
    const of = bound === undefined ? 'the Node that it is bound to' : `the Node ${bound}`;
    throw new UnusableManifestError(`${sourceOf(incoming)}: spec.nodeName: expected ${of} among the documents, found no Node`);
  }
  if (second)
    throw new UnusableManifestError(
      `${sourceOf(second)}: metadata.name: expected one Node, found ${second.metadata.name} beside ${node.metadata.name} (${sourceOf(node)})`,
    );
  if (bound !== node.metadata.name)
    throw new UnusableManifestError(
      `${sourceOf(incoming)}: spec.nodeName: expected ${node.metadata.name}, the Node among the documents, found ${bound ?? 'nothing'}`,
    );
  return node;
}

/** The order of admission: by creation, then by uid. */
function olderFirst(pods: readonly Pod[]): Pod[] {
  const dated = pods.map((pod) => ({ pod, at: createdMs(pod), uid: pod.metadata.uid ?? '' }));
  dated.sort((one, other) => one.at - other.at || (one.uid < other.uid ? -1 : 1));
  return dated.map(({ pod }) => pod);
}

/** 0 without a time: Go's zero time is before all others. */
const createdMs = ({ metadata: { creationTimestamp } }: Pod): number =>
  creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp);
