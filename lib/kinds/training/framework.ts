// All that tells one training kind from another. A framework is one value of this type; the engine is written once.
import type { Container, EnvVar } from '../../objects/kubernetes.ts';
import type { TrainingJob } from './job-types.ts';
import type { TrainingSettings } from './settings.ts';
import type { StatusRules } from './success.ts';
import type { Terms } from './terms.ts';
import type { ValidationRules } from './validation.ts';

export interface Framework {
  kind: string;
  plural: string;
  /** Label `framework` of metrics. */
  name: string;
  /** Label value, and source of Events. */
  controller: string;
  /** Field of the spec with the replica specs. */
  replicasField: string;
  /** Canonical types, in the order of the API; the index is the role of a slot. */
  types: readonly string[];
  /** Types to which a key in another case is renamed. */
  renamed: readonly string[];
  /** Name of the default container. */
  container: string;
  port: { name: string; number: number };
  restartPolicy: 'Never' | 'OnFailure';
  /** Upstream no longer has the kind, so it keeps the behaviour of the base release. */
  isOfBase?: true;
  /** It has the subresource `scale`, so its replica statuses tell the selector. */
  isScalable?: true;
  /** Its pods are made by steps of its own, with the objects that they need, and it has no services. */
  isMpi?: true;
  /** Its metrics are scaled by an autoscaler. */
  isAutoscaled?: true;
  /** Defaults in addition to those of all kinds. */
  defaults?(this: void, job: TrainingJob): TrainingJob;
  validation: ValidationRules;
  /** Whether the slot has the master role. */
  isMaster(this: void, terms: Terms, slot: { type: string; index: number }): boolean;
  /** What the pods of a slot get. @throws ClusterSpecError */
  rendezvous(this: void, terms: Terms, slot: { type: string; index: number }, settings: TrainingSettings): Rendezvous;
  status: StatusRules;
  /** Reason of the event about a job that was deleted for its age. */
  deletedReason: 'SuccessfulDeleteJob' | 'SuccessfulDeletePod';
}

export interface Rendezvous {
  /** Appended to the environment of every container, or of the first one of this name. */
  variables: readonly EnvVar[];
  onlyIn?: string;
  /** Appended to the user's own. */
  initContainers?: readonly Container[];
}

/** The pods' cluster cannot be described, so none is made. */
export class ClusterSpecError extends Error {
  override readonly name = 'ClusterSpecError';
}
