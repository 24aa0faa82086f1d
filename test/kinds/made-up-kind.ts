// A kind that no build has: an owner with pods, a service per pod and a config map. Given as a row to whatever asks a kind's facts, so that a test
// shows what does not depend on Jobs.
import { object, optional, text, textLike, int32 } from '../../lib/objects/values/fact-checks.ts';
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { isFinished } from '../../lib/objects/pods/pod-facts.ts';
import { factsFor } from '../../lib/kinds/facts.ts';
import { defineFacts, type ChildFacts, type KindFacts } from '../../lib/kinds/rows/kind.ts';

export interface Ensemble extends WorkloadObject {
  spec: { players: number };
  status?: { phase?: string };
}

const SERVICES = { apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true };
/** Of a group whose plural another group has too. */
const STAGES = { apiVersion: 'stage.example.com/v1', kind: 'Stage', plural: 'services', namespaced: true };
const LABEL = 'example.com/ensemble';

const childOf = (resource: ChildFacts['resource']): ChildFacts => ({
  resource,
  fields: {},
  watch: { labelSelector: LABEL },
  membershipOf: () => undefined,
  selection: ({ name }) => ({ labelSelector: `${LABEL}=${name}` }),
  partOf: ({ metadata: { annotations = {} } }) => ({ tempo: annotations['tempo'] ?? '' }),
  revision: 1,
});

const metadata = object({
  name: textLike(/^[a-z][-a-z0-9]*$/, 'a name'),
  namespace: optional(text),
  uid: textLike(/^\S+$/, 'a uid'),
  resourceVersion: textLike(/^\d+$/, 'a resourceVersion'),
});
const ensemble = object({ metadata, spec: object({ players: int32 }), status: optional(object({ phase: optional(text) })) });

export const ENSEMBLE: KindFacts = defineFacts<Ensemble>({
  // What no test of it looks at.
  ...factsFor('Job'),
  kind: 'Ensemble',
  resource: { apiVersion: 'example.com/v1', kind: 'Ensemble', plural: 'ensembles', namespaced: true },
  fields: {},
  component: 'ensemble-controller',
  repeatedReasons: new Set(),
  factsOf: (owner) => owner,
  faultOf: (told) => ensemble(told),
  isReadLive: () => false,
  isManaged: () => true,
  managerOf: () => undefined,
  hasStarted: ({ status }) => status?.phase !== undefined,
  isFinished: ({ status }) => status?.phase === 'Over',
  expectedChildren: ({ spec }) => spec.players,
  urgencyOfOwner: ({ status }) => (status?.phase === 'Playing' ? 'debounced' : 'now'),
  pods: {
    membershipOf: () => undefined,
    selection: ({ name }) => ({ labelSelector: `${LABEL}=${name}` }),
    concerns: () => true,
    isCountedIn:
      ({ metadata: { uid } }) =>
      ({ controller }) =>
        controller?.uid === uid,
    nameOf: ({ metadata: { name } }, { slot, number }) => `${name}-${slot}-${number}`,
    // Its pods have no tracking finalizer: their ends are what it waits for.
    urgencyOf: (pod) => (isFinished(pod) ? 'now' : 'debounced'),
  },
  children: [childOf(SERVICES), childOf(STAGES)],
});

/** Its owners have no namespace. */
export const TROUPE: KindFacts = {
  ...ENSEMBLE,
  kind: 'Troupe',
  resource: { ...ENSEMBLE.resource, kind: 'Troupe', plural: 'troupes', namespaced: false },
};
