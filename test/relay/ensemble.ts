// A kind of the relay's tests: an owner that somebody installs, with pods that it controls.
import { defineFacts } from '../../lib/kinds/rows/define-facts.ts';
import type { ChildFacts, KindFacts, Membership } from '../../lib/kinds/rows/kind.ts';
import type { Json, KubernetesObject, ObjectMeta, Pod, WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { controllerOf } from '../../lib/objects/pods/pod-facts.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { TerminalError } from '../../lib/ports/errors.ts';
import { aPod } from './scripted-source.ts';

export interface Ensemble extends WorkloadObject {
  spec: { size: number; managedBy?: string };
}

export const ENSEMBLES: Resource = { apiVersion: 'example.com/v1', kind: 'Ensemble', plural: 'ensembles', namespaced: true };

function membershipOf(metadata: ObjectMeta): Membership | undefined {
  const controller = controllerOf(metadata.ownerReferences);
  if (controller?.kind !== 'Ensemble') return undefined;
  return { kind: 'Ensemble', namespace: metadata.namespace ?? '', name: controller.name, uid: controller.uid, by: 'controller' };
}

export const ensembleFacts = defineFacts<Ensemble>({
  kind: 'Ensemble',
  resource: ENSEMBLES,
  fields: { metadata: true, spec: true },
  component: 'ensemble-controller',
  repeatedReasons: new Set(),
  refusedReasons: { create: 'FailedCreate', delete: 'FailedDelete' },
  factsOf: ({ metadata: { name = '', namespace = '', uid = '', resourceVersion = '' }, spec: { size } }) => ({
    metadata: { name, namespace, uid, resourceVersion },
    spec: { size },
  }),
  faultOf: () => undefined,
  isReadLive: () => false,
  settings: [{ word: 'ensembles', takes: 'ensembles' }],
  isManaged: ({ spec: { managedBy } }) => managedBy === undefined,
  managerOf: ({ spec: { managedBy } }) => managedBy,
  hasStarted: () => false,
  isFinished: () => false,
  expectedChildren: ({ spec: { size } }) => size,
  urgencyOfOwner: () => 'now',
  pods: {
    membershipOf,
    selection: ({ name }) => ({ labelSelector: `ensemble=${name}` }),
    concerns: () => true,
    isCountedIn: () => () => true,
    nameOf: (owner, { slot }) => `${owner.metadata.name}-${slot}`,
    urgencyOf: () => 'soon',
  },
  children: [],
});

interface Child extends KubernetesObject {
  spec: { port: Json };
  status?: { load: number };
}

const childOf = (kind: string, plural: string, more: Partial<ChildFacts> = {}): ChildFacts => ({
  resource: { apiVersion: 'example.com/v1', kind, plural, namespaced: true },
  fields: { metadata: true, spec: true },
  membershipOf,
  selection: ({ name }) => ({ labelSelector: `ensemble=${name}` }),
  partOf: (object) => ({ port: (object as Child).spec.port }),
  revision: 1,
  ...more,
});

/** A stage that is watched by its label, and a scaler that is watched wherever it is. */
export const stagedFacts: KindFacts = {
  ...ensembleFacts,
  children: [childOf('Stage', 'stages', { watch: { labelSelector: 'ensemble' } }), childOf('Scaler', 'scalers')],
};

const controllerNamed = (name: string) => ({ apiVersion: 'example.com/v1', kind: 'Ensemble', name, uid: `uid-${name}`, controller: true });

export const aChild = (name: string, ensemble: string, { port = 80, load = 0 }: { port?: Json; load?: number } = {}): Child => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}`, labels: { ensemble }, ownerReferences: [controllerNamed(ensemble)] },
  spec: { port },
  status: { load },
});

export const anEnsemble = (name: string, { managedBy }: { managedBy?: string } = {}): Ensemble => ({
  apiVersion: 'example.com/v1',
  kind: 'Ensemble',
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { size: 2, ...(managedBy !== undefined && { managedBy }) },
});

export function aPodOf(name: string, ensemble: string): Pod {
  const pod = aPod(name, undefined, { tracked: false });
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [controllerNamed(ensemble)] } };
}

/** What an API server answers to a list or watch of a resource that nobody has installed. */
export const notServed = (): TerminalError =>
  new TerminalError('LIST ensembles: the API server has no such resource', { code: 404, reason: 'NotFound' });

export const refused = (): TerminalError => new TerminalError('LIST ensembles: forbidden', { code: 403, reason: 'Forbidden' });
