// The facts of an ensemble, and how its children are found.
import { createHash } from 'node:crypto';
import { int32, object, optional, text, textLike } from '../../../../lib/objects/values/fact-checks.ts';
import type { Json, KubernetesObject } from '../../../../lib/objects/kubernetes.ts';
import { isFinished, isReady } from '../../../../lib/objects/pods/pod-facts.ts';
import { canonicalText } from '../../../../lib/objects/child-state.ts';
import { defineFacts, type ChildFacts } from '../../../../lib/kinds/rows/kind.ts';
import {
  AUTOSCALERS,
  CONFIG_MAPS,
  ENSEMBLE_LABEL,
  ENSEMBLES,
  membershipOf,
  nameOfSlot,
  SECRETS,
  SERVICES,
  seatsOf,
  slotOf,
  type Ensemble,
} from './ensemble.ts';

const WORD = 'ensembles';
const AUTOSCALED = 'ensemble-autoscaler';
const metadata = object({
  name: textLike(/^[a-z][-a-z0-9]*$/, 'a name'),
  namespace: text,
  uid: textLike(/^\S+$/, 'a uid'),
  resourceVersion: textLike(/^\d+$/, 'a resourceVersion'),
});

/** What is compared of a config map or a service. */
export const partOfData = (data: unknown): Json =>
  createHash('sha256')
    .update(canonicalText(data ?? {}))
    .digest('hex')
    .slice(0, 16);
const specOf = (child: KubernetesObject): Record<string, Json> => (child as { spec?: Record<string, Json> }).spec ?? {};

const childOf = (resource: ChildFacts['resource'], partOf: ChildFacts['partOf'], more: Partial<ChildFacts> = {}): ChildFacts => ({
  resource,
  fields: { apiVersion: true, kind: true, metadata: true, spec: true, data: true },
  watch: { labelSelector: ENSEMBLE_LABEL },
  membershipOf,
  selection: ({ name }) => ({ labelSelector: `${ENSEMBLE_LABEL}=${name}` }),
  partOf,
  revision: 1,
  ...more,
});

export const ensembleFacts = defineFacts<Ensemble>({
  kind: ENSEMBLES.kind,
  resource: ENSEMBLES,
  shortNames: ['ens'],
  fields: { metadata: { '*': true, managedFields: false }, spec: true, status: true },
  component: 'ensemble-controller',
  repeatedReasons: new Set(['SuccessfulCreatePod', 'FailedCreatePod', 'FailedCreateService']),
  refusedReasons: { create: 'FailedCreatePod', delete: 'FailedDeletePod' },
  factsOf: ({ metadata: { managedFields: _managedFields, ...own }, apiVersion, kind, spec, status }) => ({
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: own,
    spec,
    ...(status && { status }),
  }),
  faultOf: object({ metadata, spec: object({ strings: optional(int32), winds: optional(int32) }) }),
  isReadLive: () => false,
  options: [{ name: AUTOSCALED, describes: 'tests: each ensemble has an autoscaler', isForRelay: true }],
  settings: [{ word: WORD, takes: 'all Ensembles' }],
  isManaged: ({ spec: { managedBy } }, manages) => managedBy === undefined && manages.includes(WORD),
  managerOf: ({ spec: { managedBy } }) => managedBy,
  hasStarted: ({ status }) => status?.phase !== undefined,
  isFinished: ({ status }) => status?.phase === 'Complete' || status?.phase === 'Failed',
  expectedChildren: (owner) => seatsOf(owner).length,
  urgencyOfOwner: () => 'now',
  pods: {
    asks: ['node', 'podReason', 'containerWords', 'unmetCondition'],
    membershipOf,
    selection: ({ name }) => ({ labelSelector: `${ENSEMBLE_LABEL}=${name}` }),
    concerns: ({ uid }, { controller }) => controller?.uid === uid,
    isCountedIn:
      ({ metadata: { uid } }) =>
      ({ controller }) =>
        controller?.uid === uid,
    namesAreReused: true,
    slotOf,
    nameOf: (owner, { slot }) => nameOfSlot(owner, slot),
    // Without a tracking finalizer the end of a pod is what its ensemble waits for.
    urgencyOf: (pod) => (isFinished(pod) ? 'now' : isReady(pod) ? 'soon' : 'debounced'),
  },
  children: [
    childOf(SERVICES, (service) => ({ selector: specOf(service)['selector'] ?? null }), {
      refusedReasons: { create: 'FailedCreateService', delete: 'FailedDeleteService' },
    }),
    childOf(CONFIG_MAPS, (map) => partOfData((map as { data?: Json }).data)),
    childOf(AUTOSCALERS, (scaler) => ({ most: specOf(scaler)['maxReplicas'] ?? 0 }), {
      isUsed: ({ options }) => options?.[AUTOSCALED] !== undefined,
    }),
  ],
  furtherRights: [{ resource: SECRETS, verbs: ['get'] }],
});
