// Kubernetes objects as JSON, with RFC 3339 texts for times. The types name only the fields that we read. All other fields of an object
// pass through untouched.

import type { JobScheduling } from './scheduling-policy.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  subresource?: string;
  fieldsV1?: { [key: string]: Json };
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  /** An ordered integer of any length, kept as text; see resource-version.ts. */
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object of the API server. */
export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  /** Not a field of the API. Set by the reader of an object that could not be read whole: which field, and why. See unreadable.ts. */
  unreadable?: string;
}

/** An object that owns a workload, of any kind. Only its kind knows the fields of spec and status. */
export interface WorkloadObject extends KubernetesObject {
  spec?: object;
  status?: object;
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: { [key: string]: Json };
}

export interface Container {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  env?: EnvVar[];
  restartPolicy?: string;
  resources?: { requests?: Record<string, string | number>; limits?: Record<string, string | number> };
  [field: string]: unknown;
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  restartPolicy?: string;
  nodeName?: string;
  hostname?: string;
  subdomain?: string;
  terminationGracePeriodSeconds?: number;
  [field: string]: unknown;
}

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: PodSpec;
}

export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { exitCode: number; reason?: string; message?: string; startedAt?: string; finishedAt?: string };
}

export interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: ContainerState;
  lastState?: ContainerState;
  [field: string]: unknown;
}

export interface PodStatus {
  phase?: string;
  conditions?: Condition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  startTime?: string;
  reason?: string;
  message?: string;
  [field: string]: unknown;
}

export interface Pod extends KubernetesObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface Node extends KubernetesObject {
  spec?: { taints?: Taint[]; [field: string]: unknown };
  status?: { allocatable?: Record<string, string | number>; [field: string]: unknown };
}

export interface PodFailurePolicyRule {
  action: string;
  onExitCodes?: { containerName?: string; operator: string; values: number[] };
  onPodConditions?: { type: string; status?: string }[];
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  podFailurePolicy?: { rules: PodFailurePolicyRule[] };
  successPolicy?: { rules: { succeededIndexes?: string; succeededCount?: number }[] };
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  /** Absent in a view, because templates are only read live (R10). Present in the API server's answers. */
  template?: PodTemplate;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  managedBy?: string;
  /** Alpha: only where its switch is on. */
  scheduling?: JobScheduling;
}

export interface JobStatus {
  conditions?: Condition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  ready?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
}

export interface Job extends KubernetesObject {
  spec: JobSpec;
  status?: JobStatus;
}

/** The body of a refusal. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  status?: string;
  code?: number;
  reason?: string;
  message?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: { reason?: string; message?: string; field?: string }[];
    retryAfterSeconds?: number;
  };
}
