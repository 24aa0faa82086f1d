// A kind that exists for tests alone: pods of two roles at names that are taken again, a service for each, and a config map with the order of
// those that play.
import type { Condition, KubernetesObject, ObjectMeta, WorkloadObject } from '../../../../lib/objects/kubernetes.ts';
import type { Membership } from '../../../../lib/kinds/rows/kind.ts';
import { controllerOf, type PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import type { Resource } from '../../../../lib/objects/resources.ts';

export const ROLES = ['strings', 'winds'] as const;
export type Role = (typeof ROLES)[number];

export interface EnsembleStatus {
  phase?: 'Pending' | 'Playing' | 'Suspended' | 'Complete' | 'Failed';
  /** Ready pods, by role. */
  ready?: Partial<Record<Role, number>>;
  /** Pods that were replaced after a failure. */
  restarts?: number;
  conditions?: Condition[];
}

export interface Ensemble extends WorkloadObject {
  spec: {
    /** Pods, by role. The ensemble has succeeded once all pods of the first role with any have. */
    strings?: number;
    winds?: number;
    suspend?: boolean;
    managedBy?: string;
    /** Failures that are made good; absent: 3. */
    restartLimit?: number;
    /** A secret that must be there before any pod. Its annotation `continues` names a further one. */
    score?: { name: string; namespace?: string };
    /** Shown to the autoscaler, if the cluster has them. */
    encore?: number;
  };
  status?: EnsembleStatus;
}

const core = (kind: string, plural: string): Resource => ({ apiVersion: 'v1', kind, plural, namespaced: true });
export const ENSEMBLES: Resource = { apiVersion: 'example.com/v1', kind: 'Ensemble', plural: 'ensembles', namespaced: true };
export const SERVICES = core('Service', 'services');
export const CONFIG_MAPS = core('ConfigMap', 'configmaps');
export const SECRETS = core('Secret', 'secrets');
export const AUTOSCALERS: Resource = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};

export const ENSEMBLE_LABEL = 'example.com/ensemble';
export const SEAT_LABEL = 'example.com/seat';
/** On a pod that was made after failures at its seat: how many. It survives the loss of what the head keeps. */
export const RESTARTS_LABEL = 'example.com/restarts';
export const CONTINUES = 'example.com/continues';

const SEATS_PER_ROLE = 1_000_000;

export interface Seat {
  slot: number;
  /** Without the owner's name: `strings-0`. */
  text: string;
  role: Role;
}

/** In the order of slots. */
export const seatsOf = ({ spec }: Ensemble): Seat[] =>
  ROLES.flatMap((role, at) =>
    Array.from({ length: spec[role] ?? 0 }, (_, index) => ({ slot: at * SEATS_PER_ROLE + index, text: `${role}-${index}`, role })),
  );

export const nameOfSlot = ({ metadata }: Ensemble, slot: number): string =>
  `${metadata.name}-${ROLES[Math.floor(slot / SEATS_PER_ROLE)]}-${slot % SEATS_PER_ROLE}`;

/** @returns undefined for a pod whose label names no seat */
export function slotOf({ labels }: Pick<PodFacts, 'labels'>): number | undefined {
  const [, role = '', index] = /^([a-z]+)-(\d{1,6})$/.exec(labels[SEAT_LABEL] ?? '') ?? [];
  const at = ROLES.findIndex((each) => each === role);
  return at < 0 ? undefined : at * SEATS_PER_ROLE + Number(index);
}

export function membershipOf({ namespace = '', ownerReferences }: ObjectMeta): Membership | undefined {
  const controller = controllerOf(ownerReferences);
  if (controller?.kind !== ENSEMBLES.kind || controller.apiVersion !== ENSEMBLES.apiVersion) return undefined;
  return { kind: ENSEMBLES.kind, namespace, name: controller.name, uid: controller.uid, by: 'controller' };
}

export const targetOf = ({ metadata: { namespace = '', name = '', uid = '' } }: Ensemble) => ({ ...ENSEMBLES, namespace, name, uid });

/** An object of the ensemble, of this resource and name. */
export function belonging(owner: Ensemble, { apiVersion, kind }: Resource, metadata: ObjectMeta & { name: string }): KubernetesObject {
  const { namespace = '', name = '', uid = '' } = owner.metadata;
  const ownerReferences = [
    { apiVersion: ENSEMBLES.apiVersion, kind: ENSEMBLES.kind, name, uid, controller: true, blockOwnerDeletion: true },
  ];
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, namespace, labels: { [ENSEMBLE_LABEL]: name, ...metadata.labels }, ownerReferences },
  };
}
