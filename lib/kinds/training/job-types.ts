// The typed object of all training kinds. The names of the field with the replica specs are the frameworks'.
import type { Json, PodTemplate, WorkloadObject } from '../../objects/kubernetes.ts';

export interface ReplicaSpec {
  replicas?: number;
  /** Absent in a view: templates are only read live. */
  template?: PodTemplate;
  /** `Always`, `OnFailure`, `Never` or `ExitCode`. */
  restartPolicy?: string;
}

export interface GroupPolicy {
  minAvailable?: number;
  queue?: string;
  minResources?: Record<string, string | number>;
  priorityClass?: string;
  scheduleTimeoutSeconds?: number;
}

export interface RunPolicy {
  /** `Running`, `All`, `None` or empty. */
  cleanPodPolicy?: string;
  ttlSecondsAfterFinished?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  schedulingPolicy?: GroupPolicy;
  suspend?: boolean;
  managedBy?: string;
}

export interface ElasticPolicy {
  minReplicas?: number;
  maxReplicas?: number;
  maxRestarts?: number;
  rdzvBackend?: string;
  rdzvPort?: number;
  rdzvHost?: string;
  rdzvId?: string;
  rdzvConf?: { key: string; value: string }[];
  standalone?: boolean;
  nProcPerNode?: number;
  metrics?: Json[];
}

export interface TrainingSpec {
  runPolicy?: RunPolicy;
  /** TFJob: empty or `AllWorkers`. */
  successPolicy?: string;
  /** TFJob. */
  enableDynamicWorker?: boolean;
  /** PyTorchJob and PaddleJob. */
  elasticPolicy?: ElasticPolicy;
  /** PyTorchJob. */
  nprocPerNode?: string;
  /** MXJob. */
  jobMode?: string;
  /** MPIJob. */
  slotsPerWorker?: number;
  /** MPIJob: beside the one of `runPolicy`, from before there was that one. */
  cleanPodPolicy?: string;
  /** MPIJob. */
  mainContainer?: string;
  /** Among them the replica specs, by type. */
  [field: string]: unknown;
}

export interface JobCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
  lastTransitionTime?: string;
}

/** Counters that are 0 are absent where the API server stores them. */
export interface ReplicaStatus {
  active?: number;
  succeeded?: number;
  failed?: number;
  selector?: string;
}

export interface TrainingStatus {
  conditions?: JobCondition[];
  replicaStatuses?: Record<string, ReplicaStatus>;
  startTime?: string;
  completionTime?: string;
  lastReconcileTime?: string;
}

export interface TrainingJob extends WorkloadObject {
  spec: TrainingSpec;
  status?: TrainingStatus;
}
