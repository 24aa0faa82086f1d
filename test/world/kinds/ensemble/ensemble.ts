// A kind that exists for tests alone, and the example of docs/adding-a-kind.md: pods of two roles at names that are taken again, a service for
// each, and a config map with the order of those that play.
import type { KubernetesObject, WorkloadObject } from '../../../../lib/objects/kubernetes.ts';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import type { Resource } from '../../../../lib/objects/resources.ts';
import { count, flag, int32, objectOf, text, wordOf, type TypeOf } from '../../../../lib/objects/values/field-shapes.ts';
import { CONDITIONS } from '../../../../lib/kinds/rows/owner-facts.ts';

export const ROLES = ['strings', 'winds'] as const;
export type Role = (typeof ROLES)[number];

export const spec = objectOf({
  /** Pods, by role. The ensemble has succeeded once all pods of the first role with any have. */
  strings: count,
  winds: count,
  suspend: flag,
  managedBy: text,
  /** Failures that are made good; absent: 3. */
  restartLimit: int32,
  /** A secret that must be there before any pod. Its annotation `continues` names a further one. */
  score: objectOf({ name: text, namespace: text }, ['name']),
  /** Shown to the autoscaler, if the cluster has them. */
  encore: int32,
});

export const status = objectOf({
  phase: wordOf('Pending', 'Playing', 'Suspended', 'Complete', 'Failed'),
  /** Ready pods, by role. */
  ready: objectOf({ strings: count, winds: count }),
  /** Pods that were replaced after a failure. */
  restarts: count,
  conditions: CONDITIONS,
});

export type EnsembleStatus = TypeOf<typeof status>;

export interface Ensemble extends WorkloadObject {
  spec: TypeOf<typeof spec>;
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
export const seatsOf = ({ spec: wanted }: Ensemble): Seat[] =>
  ROLES.flatMap((role, at) =>
    Array.from({ length: wanted[role] ?? 0 }, (_, index) => ({ slot: at * SEATS_PER_ROLE + index, text: `${role}-${index}`, role })),
  );

export const nameOfSlot = ({ metadata }: KubernetesObject, slot: number): string =>
  `${metadata.name}-${ROLES[Math.floor(slot / SEATS_PER_ROLE)]}-${slot % SEATS_PER_ROLE}`;

/** @returns undefined for a pod whose label names no seat */
export function slotOf({ labels }: Pick<PodFacts, 'labels'>): number | undefined {
  const [, role = '', index] = /^([a-z]+)-(\d{1,6})$/.exec(labels[SEAT_LABEL] ?? '') ?? [];
  const at = ROLES.findIndex((each) => each === role);
  return at < 0 ? undefined : at * SEATS_PER_ROLE + Number(index);
}
