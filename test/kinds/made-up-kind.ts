// A kind that no build has: an owner with pods, a service per pod and a config map. Given as a row to whatever asks a kind's facts, so that a test
// shows what does not depend on Jobs.
import { int32, objectOf, text } from '../../lib/objects/values/field-shapes.ts';
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { isFinished } from '../../lib/objects/pods/pod-facts.ts';
import { JOB_SETTINGS } from '../../lib/kinds/job/settings.ts';
import { defineFacts, type NewChild } from '../../lib/kinds/rows/define-facts.ts';
import type { ChildFacts, KindFacts } from '../../lib/kinds/rows/kind.ts';

export interface Ensemble extends WorkloadObject {
  spec: { players: number };
  status?: { phase?: string };
}

const SERVICES = { apiVersion: 'v1', kind: 'Service', plural: 'services', namespaced: true };
/** Of a group whose plural another group has too. */
const STAGES = { apiVersion: 'stage.example.com/v1', kind: 'Stage', plural: 'services', namespaced: true };
const LABEL = 'example.com/ensemble';

const childOf = (resource: ChildFacts['resource']): NewChild<Ensemble> => ({
  resource,
  membershipOf: () => undefined,
  partOf: ({ metadata: { annotations = {} } }) => ({ tempo: annotations['tempo'] ?? '' }),
});

const factsOf = (resource: Resource): KindFacts =>
  defineFacts<Ensemble>({
    resource,
    labels: LABEL,
    spec: objectOf({ players: int32 }, ['players']),
    status: objectOf({ phase: text }),
    settings: JOB_SETTINGS,
    isManaged: () => true,
    isFinished: ({ status }) => status?.phase === 'Over',
    expectedChildren: ({ spec }) => spec.players,
    urgencyOfOwner: ({ status }) => (status?.phase === 'Playing' ? 'debounced' : 'now'),
    pods: {
      namesHoldNumbers: true,
      membershipOf: () => undefined,
      concerns: () => true,
      nameOf: ({ metadata: { name } }, { slot, number }) => `${name}-${slot}-${number}`,
      // Its pods have no tracking finalizer: their ends are what it waits for.
      urgencyOf: (pod) => (isFinished(pod) ? 'now' : 'debounced'),
    },
    children: [childOf(SERVICES), childOf(STAGES)],
  });

export const ENSEMBLE = factsOf({ apiVersion: 'example.com/v1', kind: 'Ensemble', plural: 'ensembles', namespaced: true });

/** Its owners have no namespace. */
export const TROUPE = factsOf({ apiVersion: 'example.com/v1', kind: 'Troupe', plural: 'troupes', namespaced: false });
