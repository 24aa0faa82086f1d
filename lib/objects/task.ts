// A task of a provider: what runs for a pod of a virtual node.
import type { PodStatus } from './kubernetes.ts';

/** A pod runs as one task at a time. The name is the token of a start: repeated, it never makes two. */
export interface TaskName {
  /** Of the pod. */
  uid: string;
  /** From 1. */
  attempt: number;
}

export interface Task extends TaskName {
  /** Of the pod, so that a task leads to its workload. */
  namespace: string;
  name: string;
  /** Raised with each change of the task; absent: the provider has none, and an answer counts by when it was asked for. */
  version?: number;
  /** Nothing of it runs, and nothing will. */
  hasEnded: boolean;
  /** Spec section 18.1: one entry per container, in the order of the spec, also before they start. */
  status: PodStatus;
  /** Requests that it was ordered with, as quantities by resource: counted where nothing else tells. */
  requests?: Readonly<Record<string, string>>;
}

/** Ids of runs go into keys, paths and file names. */
export const RUN_ID = /^[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?$/;

/** Begins the uid of each pod that belongs to a run of run-once and to no cluster. */
export const RUN_UID_PREFIX = 'run-';

/** A run stops its own tasks: no node may take them for tasks whose pods are gone. */
export const isOfRun = ({ uid }: Pick<TaskName, 'uid'>): boolean => uid.startsWith(RUN_UID_PREFIX);
