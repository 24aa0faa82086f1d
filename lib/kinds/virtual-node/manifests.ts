// How `farloop plan` decides on all pods that wait for room on a node, oldest first, from the node and the pods bound to it. What runs, and what
// statuses say, counts as decided.
import { defineManifests, type DocumentPlan, type ManifestGiven, type ReadOwner } from '../rows/kind-manifests.ts';
import { decideAdmissions } from '../preemption/node/node-admission.ts';
import type { PodDecision } from '../preemption/node/node-decision.ts';
import { rebuiltDecision } from '../preemption/node/lost-decision.ts';
import { nodeProblem } from '../virtual-pod/manifest-shapes.ts';
import { decisionText } from './decision-text.ts';
import { virtualNodeFacts, type VirtualNode } from './facts.ts';
import { orderingOf } from '../virtual-pod/ordering.ts';
import { podsBoundTo } from '../virtual-pod/pods-of-node.ts';

export const virtualNodeManifests = defineManifests<VirtualNode>(virtualNodeFacts, {
  schema: 'Node',
  isOnlyByName: true,
  read: (document): ReadOwner<VirtualNode> => {
    const problem = nodeProblem(document);
    return problem ? { problem } : { owner: document as unknown as VirtualNode };
  },
  plan,
});

function plan({ snapshot: { owner: node }, now, pods: given, sourceOf, options }: ManifestGiven<VirtualNode>): DocumentPlan {
  const { name } = node.metadata;
  const pods = podsBoundTo(name, given, sourceOf);
  const before = rebuiltDecision({ pods, running: [] }, now);
  const settings = { ordering: orderingOf(options) };
  const { decision, requeueAt } = decideAdmissions({ node, pods, decision: before, ended: new Map(), settings }, now);
  const newlyDecided = decision.pods.filter(({ sequence, changed = sequence }) => changed > before.latest);
  const nameByUid = new Map(decision.pods.map((pod) => [pod.uid, `${pod.namespace}/${pod.name}`]));
  return {
    actions: [],
    status: node.status ?? {},
    admission: { pods: newlyDecided.map(shown) },
    ...(requeueAt !== undefined && { requeueAfterSeconds: Math.max(Math.ceil((Date.parse(requeueAt) - now.getTime()) / 1000), 1) }),
    outcome: newlyDecided.length > 0 ? 'acted' : 'converged',
    why: newlyDecided.length > 0 ? newlyDecided.map((pod) => decisionText(pod, name, nameByUid)) : [`${name} has decided on all its pods`],
  };
}

const shown = ({ uid, namespace, name, state, rejection, preemption, eviction }: PodDecision): object => ({
  namespace,
  name,
  uid,
  state,
  ...rejection,
  ...(preemption && { victims: preemption.victims.map((victim) => victim.uid) }),
  ...(eviction?.by !== undefined && { evictedFor: eviction.by }),
});
