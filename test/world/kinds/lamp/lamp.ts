// A kind of the tests whose owners are pods: those that are bound to certain nodes, which the cluster is registered with. A pod of a Job may be
// one of them, and stays a child of the Job.
import type { WorkloadObject } from '../../../../lib/objects/kubernetes.ts';
import { PODS } from '../../../../lib/objects/resources.ts';
import { fieldsOf, textOf } from '../../../../lib/objects/values/untyped-fields.ts';
import { definePlanner } from '../../../../lib/kinds/rows/planner-row.ts';
import { defineFacts } from '../../../../lib/kinds/rows/define-facts.ts';
import { defineManifests } from '../../../../lib/kinds/rows/kind-manifests.ts';
import { defineShown } from '../../../../lib/kinds/rows/kind-shown.ts';
import type { NewPlan, Snapshot } from '../../../../lib/kinds/rows/plan.ts';

export const LAMP_NODES = 'lamp-nodes';

interface LampStatus {
  phase?: string;
  message?: string;
}

export interface Lamp extends WorkloadObject {
  spec: { nodeName?: string };
  status?: LampStatus;
}

export const lampFacts = defineFacts<Lamp>({
  kind: 'Lamp',
  resource: PODS,
  settings: [{ word: 'lamps', takes: 'all pods of the nodes of --lamp-nodes' }],
  options: [{ name: LAMP_NODES, describes: 'tests: nodes whose pods are lamps', value: { placeholder: 'names' }, isForRelay: true }],
  ownersOn: ({ options }) =>
    (options?.[LAMP_NODES] ?? '').split(',').flatMap((node) => (node === '' ? [] : [{ fieldSelector: `spec.nodeName=${node}` }])),
  hasNoPods: true,
  fields: { metadata: true, spec: { nodeName: true }, status: true },
  factsOf: ({ metadata: { name, namespace, uid, resourceVersion, generation, deletionTimestamp }, spec, status }) => ({
    metadata: { name, namespace, uid, resourceVersion, generation, deletionTimestamp } as Lamp['metadata'],
    spec: { nodeName: textOf(spec.nodeName) },
    ...(status && { status: { phase: textOf(status.phase), ...(status.message !== undefined && { message: status.message }) } }),
  }),
  faultOf: () => undefined,
  isManaged: () => true,
  isFinished: ({ status }) => ['Succeeded', 'Failed'].includes(textOf(fieldsOf(status)['phase'])),
});

/** Its light shows in the pod's status. */
const LIT = 'lit';

function plan({ owner }: Snapshot<Lamp>): NewPlan<LampStatus> {
  if (owner.metadata.deletionTimestamp !== undefined || lampFacts.isFinished(owner)) return { actions: [], why: ['it burns no more'] };
  if (owner.status?.message === LIT) return { actions: [], why: ['it is lit'] };
  const status = { phase: 'Running', message: LIT };
  return { actions: [{ verb: 'status', status, why: 'a pod of our node is to be lit' }], status, why: ['it is dark'] };
}

export const lampRow = definePlanner<Lamp, LampStatus>({ plan, afterOwner: () => ({ actions: [], isDone: true }) });

export const lampShown = defineShown<Lamp>(lampFacts);

export const lampManifests = defineManifests<Lamp>(lampFacts);
