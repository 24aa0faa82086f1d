// All differences between training kinds. A framework is one value of this type; the engine is written once.
import type { Container, EnvVar, PodTemplate } from '../../../objects/kubernetes.ts';
import type { FrameworkNames } from '../names/framework-names.ts';
import type { Counter, ReplicaSpec, RunPolicy, TrainingJob } from './job-types.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import type { TrainingSettings } from '../names/settings.ts';

export interface Framework extends FrameworkNames {
  /** Types to which a key in another case is renamed. */
  renamed: readonly string[];
  /** Name of the default container. */
  container: string;
  port: { name: string; number: number };
  restartPolicy: 'Never' | 'OnFailure';
  /** Defaults in addition to those of all kinds. */
  defaults?(this: void, job: TrainingJob): TrainingJob;
  /** All its defaults; absent: those of all kinds, and `defaults`. */
  ownDefaults?(this: void, job: TrainingJob): TrainingJob;
  /** The clean-up policy of a job with its defaults; absent: that of `runPolicy`. */
  cleanPodPolicyOf?(this: void, job: TrainingJob): string;
  /** Findings in its templates that later passes need, when they no longer read them. */
  findingsIn?(this: void, terms: Terms): Findings;
  validation: ValidationRules;
  /** Whether the slot has the master role. */
  isMaster(this: void, terms: Terms, slot: { type: string; index: number }): boolean;
  /** Rendezvous of the pods of a slot. @throws ClusterSpecError */
  rendezvous(this: void, terms: Terms, slot: { type: string; index: number }, settings: TrainingSettings): Rendezvous;
  status: StatusRules;
  /** Reason of the event about a job that was deleted for its age. */
  deletedReason: 'SuccessfulDeleteJob' | 'SuccessfulDeletePod';
  /** Its warnings about templates have the names of the base release: `Setted…`. */
  warnsByOldNames?: true;
  /** No event reports the exit code of a pod: upstream has other events for a leader, and none for its workers. */
  reportsNoExitCodes?: true;
  /** No event reports the delete of a pod whose slot the job no longer has. */
  shrinksSilently?: true;
}

export interface Findings {
  /** A container of the launcher is limited to some number of GPUs. */
  isGpu?: true;
  /** The account that the launcher runs as. */
  account?: string;
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

export interface Replicas {
  type: string;
  /** Its place among the types: a slot's number is role × 10^6 + index. */
  role: number;
  /** 0 or more. */
  wanted: number;
  restartPolicy: string;
  /** Undefined in a view. */
  template: PodTemplate | undefined;
}

export interface Terms {
  framework: Framework;
  /** With its defaults. */
  job: TrainingJob;
  name: string;
  namespace: string;
  uid: string;
  /** By role. */
  replicas: readonly Replicas[];
  runPolicy: RunPolicy;
}

export interface ValidationRules {
  /** Words of the controller; absent: admission's rules alone. */
  controller?: ControllerWords;
  /** Upstream had no webhook that judged its jobs: admission has the controller's words too. */
  hadNoWebhook?: true;
  /** The job's name is not checked by itself. */
  takesAnyName?: true;
  /** Replica types that the API does not name are run as well. */
  takesAnyType?: true;
  /** Containers may have any names. */
  takesAnyContainer?: true;
  /** The type that must be there. */
  needs?: { type: string; otherwise: string };
  /** The type of which there is exactly one replica. */
  single?: { type: string; otherwise: string; isRequired?: true };
  /** The least that other types may ask for; absent: 0. */
  leastReplicas?: number;
  /** In the controller's words. */
  further?(this: void, job: TrainingJob, specs: Record<string, ReplicaSpec>): string | undefined;
  /** In the words of admission. */
  atAdmission?(this: void, job: TrainingJob, specs: Record<string, ReplicaSpec>): string | undefined;
}

export interface ControllerWords {
  /** Begins what is said of the whole: `TFJobSpec is not valid`. */
  spec: string;
  /** Begins what is said of an unknown type: `PyTorchReplicaType`. */
  type?: string;
  /** Begins what is said of an image or a container. */
  container: string;
  /** Every fault of the structure has the words of `spec`. */
  isTerse?: true;
}

/** Counts of one replica type in this pass. */
export interface Tally extends Record<Counter, number> {
  /** Of the failed, with those that are made anew: slots whose restart was not reported before. */
  newlyFailed: number;
}

export interface Counts {
  terms: Terms;
  of(this: void, type: string): Tally;
  /** The pod that counts in the slot. */
  podOf(this: void, type: string, index: number): PodFacts | undefined;
  /** The slot completed, though its pod may be gone. */
  isCompleted(this: void, type: string, index: number): boolean;
}

export interface StatusRules {
  /** Whether the state of the job follows this type's replicas. */
  decides(this: void, terms: Terms, type: string): boolean;
  /** Order in which types are looked at; absent: the deciding ones first, then by role. */
  order?: readonly string[];
  /** Whether the deciding type is done; absent: all its replicas have succeeded. */
  isComplete?(this: void, counts: Counts, type: string): boolean;
  /** Whether a failed replica of the type is passed over. */
  ignoresFailure?(this: void, terms: Terms, type: string): boolean;
  /** It counts as running before it succeeds or fails. */
  runsFirst?: true;
  /** A running pod that is being deleted runs until it has ended; absent: it counts as failed. */
  runsUntilEnded?: true;
  running(this: void, terms: Terms): string;
  succeeded(this: void, terms: Terms): string;
  failed(this: void, terms: Terms, failed: number, type: string): string;
  restarting(this: void, terms: Terms, failed: number, type: string): string;
}
