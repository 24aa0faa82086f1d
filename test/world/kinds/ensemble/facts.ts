// The facts of an ensemble, and how its children are found.
import { defineFacts } from '../../../../lib/kinds/rows/define-facts.ts';
import { digestOf } from '../../../../lib/kinds/rows/child.ts';
import type { Json } from '../../../../lib/objects/kubernetes.ts';
import { isFinished, isReady } from '../../../../lib/objects/pods/pod-facts.ts';
import { fieldsOf, type Fields } from '../../../../lib/objects/values/untyped-fields.ts';
import * as ensemble from './ensemble.ts';
import type { Ensemble } from './ensemble.ts';

const AUTOSCALED = 'ensemble-autoscaler';
const specOf = (child: object): Fields => fieldsOf(fieldsOf(child)['spec']);
const numberIn = (value: unknown): number => (typeof value === 'number' ? value : 0);

export const ensembleFacts = defineFacts<Ensemble>({
  resource: ensemble.ENSEMBLES,
  shortNames: ['ens'],
  labels: ensemble.ENSEMBLE_LABEL,
  spec: ensemble.spec,
  status: ensemble.status,
  isFinished: ({ status }) => status?.phase === 'Complete' || status?.phase === 'Failed',
  expectedChildren: (owner) => ensemble.seatsOf(owner).length,
  options: [{ name: AUTOSCALED, describes: 'tests: each ensemble has an autoscaler', isForRelay: true }],
  pods: {
    asks: ['node', 'podReason', 'containerWords', 'unmetCondition'],
    slotOf: ensemble.slotOf,
    nameOf: (owner, { slot }) => ensemble.nameOfSlot(owner, slot),
    // Without a tracking finalizer the end of a pod is what its ensemble waits for.
    urgencyOf: (pod) => (isFinished(pod) ? 'now' : isReady(pod) ? 'soon' : 'debounced'),
  },
  children: [
    { resource: ensemble.SERVICES, partOf: (service) => ({ selector: (specOf(service)['selector'] ?? null) as Json }) },
    { resource: ensemble.CONFIG_MAPS, fields: { data: true }, partOf: (map) => digestOf(fieldsOf(map)['data']) },
    {
      resource: ensemble.AUTOSCALERS,
      partOf: (scaler) => ({ most: numberIn(specOf(scaler)['maxReplicas']) }),
      isUsed: ({ options }) => options?.[AUTOSCALED] !== undefined,
    },
  ],
  furtherRights: [{ resource: ensemble.SECRETS, verbs: ['get'] }],
});
