// What a story is: a training job, and what happens to it. It is played in a namespace of its name, where the job is `j`.
// Whoever plays it is the kubelet: it binds each pod, and ends it a moment after its deletion.
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';

export type Gang = 'volcano' | 'scheduler-plugins';

export interface Story {
  name: string;
  /** Both controllers run with that gang scheduler. */
  gang?: Gang;
  /** There before the job. */
  before?: readonly KubernetesObject[];
  job: TrainingJob;
  steps: readonly Step[];
  /** Pods that stay when they are deleted, until a step lets them go. */
  held?: readonly string[];
}

export interface TrainingJob extends KubernetesObject {
  spec: Record<string, unknown>;
}

export interface Step {
  /** As it is recorded. */
  says: string;
  act: (stage: Acts) => Promise<void>;
}

/** What a step can do. Pods are named as the job names them, without its own name: `worker-0`. */
export interface Acts {
  /** Does nothing where there is no such pod, or one that has ended. */
  report: (pod: string, status: PodReport) => Promise<void>;
  remove: (kind: string, name: string) => Promise<void>;
  /** A merge patch of the job, or of another object. */
  change: (patch: object, of?: Changed) => Promise<void>;
  create: (object: KubernetesObject) => Promise<void>;
  letGo: (pod: string) => void;
  /** @throws Error when that has not come about within a minute */
  waitFor: (what: string, holds: (seen: Seen) => boolean) => Promise<void>;
}

export interface Changed {
  kind: string;
  name: string;
  subresource?: string;
}

export interface PodReport {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  reason?: string;
  /** Of each container, where it has ended. Without it a failed pod has no states of containers: the node knew of none. */
  exitCode?: number;
  /** Of each container. */
  restartCount?: number;
  /** Why no container starts. */
  waiting?: { reason: string; message: string };
}

export interface Seen {
  job: (TrainingJob & { status?: TrainingStatus }) | undefined;
  /** By kind and name: `Pod/j-worker-0`. */
  objects: ReadonlyMap<string, KubernetesObject>;
}

export interface TrainingStatus {
  conditions?: { type: string; status: string; reason?: string; message?: string }[];
  replicaStatuses?: Record<string, object>;
  startTime?: string;
  completionTime?: string;
}
