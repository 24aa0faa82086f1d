// How `farloop plan` decides on a pod that asks its node for room: from the node, all pods bound to it, and what a pass before decided.
import type { Pod } from '../../objects/kubernetes.ts';
import { NODES } from '../../objects/resources.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import { defineManifests, type DocumentPlan, type ManifestGiven, type ReadOwner } from '../rows/kind-manifests.ts';
import { misshapen } from '../rows/manifest-documents.ts';
import { isPod, podProblem } from '../rows/manifest-shapes.ts';
import { admit, type Admission, type AdmissionInput } from '../preemption/checks/admission.ts';
import { decided } from './decision-plan.ts';
import { carriedOut } from './earlier-decision.ts';
import { nodeProblem, readAdmission, type AdmissionRecord } from './manifest-shapes.ts';
import { virtualPodFacts } from './facts.ts';
import { orderingOf } from './ordering.ts';
import { podsOfNode } from './pods-of-node.ts';

export const virtualPodManifests = defineManifests<Pod>(virtualPodFacts, {
  schema: 'Pod',
  isOnlyByName: true,
  besides: () => [{ resource: NODES, schema: 'Node', problemOf: nodeProblem }],
  read: (document): ReadOwner<Pod> => (isPod(document) ? { owner: document } : { problem: podProblem(document) }),
  plan,
});

function plan({ snapshot: { owner }, now, read, pods: given, head: headDocument, sourceOf, options }: ManifestGiven<Pod>): DocumentPlan {
  const { uid = '' } = owner.metadata;
  const { node, pods, incoming } = podsOfNode({ nodes: read.get(NODES) ?? [], pods: given, uid, sourceOf });
  const record = headDocument && admissionIn(headDocument, sourceOf(headDocument));
  // A pod whose phase is terminal has left the node.
  const staying = pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  const about = { pods: staying, incoming, now };
  const ordering = orderingOf(options);
  return record === undefined || record.state === 'new'
    ? decided(admission({ node, pods: staying, incoming, settings: { ordering } }), { ...about, ordering, node: node.metadata.name ?? '' })
    : carriedOut(record, about);
}

/**
 * Pods that end anyway are waited for, and none is evicted for the room that they leave. Upstream counts them as staying, and would evict
 * more.
 */
function admission(input: AdmissionInput): Admission {
  const made = admit(input);
  const lacksRoomOnly = made.state === 'preempting' || made.reason === 'UnexpectedAdmissionError';
  const staying = input.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!lacksRoomOnly || staying.length === input.pods.length) return made;
  const later = admit({ ...input, pods: staying });
  return { ...later, state: later.state === 'rejected' ? 'rejected' : 'preempting', failures: made.failures };
}

function admissionIn(head: Fields, source: string): AdmissionRecord | undefined {
  const result = readAdmission(head);
  if ('problem' in result) throw misshapen(result.problem, source);
  return result.record;
}
