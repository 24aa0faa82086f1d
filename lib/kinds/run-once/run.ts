// A run as its record holds it: the whole of what one step leaves for the next. Pods' manifests lie beside it, and never change.
import type { Node } from '../../objects/kubernetes.ts';
import type { Refusal } from '../preemption/checks/admission-failures.ts';
import type { RunOptions } from './options.ts';

/** Raised when an older build would misread a record. */
export const RUN_FORMAT = 1;

export type RunStage = 'admitting' | 'waiting' | 'done' | 'cancelled';

/** A container as results show it. */
export interface ContainerEnd {
  name: string;
  state: 'waiting' | 'running' | 'terminated';
  exitCode?: number;
  reason?: string;
  restarts?: number;
}

/** The status that the provider showed last, as far as a result needs it. */
export interface ShownStatus {
  phase: string;
  reason?: string;
  message?: string;
  containers: ContainerEnd[];
}

/**
 * Where a pod stands:
 * - `undecided`: the node has not decided on it yet.
 * - `room`: admitted once its victims have ended.
 * - `queued`: admitted; waits until fewer than `parallelism` pods are being started.
 * - `check`: its status is read next.
 * - `sync`: a start is written down, and its outcome is not known yet.
 * - `wait`: until `dueAtMs`.
 * - `failing`: it has failed; its status is read once more for the names of the containers.
 * - `final`: nothing follows.
 */
export type RunPodPhase = 'undecided' | 'room' | 'queued' | 'check' | 'sync' | 'wait' | 'failing' | 'final';

export interface Victim {
  uid: string;
  namespace: string;
  name: string;
  /** Then it is waited for no longer. */
  untilMs: number;
  /** When its eviction was ordered last. */
  orderedAtMs?: number;
}

export interface RunPod {
  uid: string;
  namespace: string;
  name: string;
  phase: RunPodPhase;
  /** Waits so far. */
  retry: number;
  /** The next wait. */
  delayMs: number;
  dueAtMs?: number;
  /** Of its task, from 1. */
  attempt: number;
  /** A start was written down, so a task may be there. */
  orderedAtMs?: number;
  /** The outcome of the last start is not known. */
  isUnsettled?: true;
  /** A look has shown the task of this attempt. */
  isSeen?: true;
  /** Since when looks miss a task that had been seen. */
  goneSinceMs?: number;
  /** Failures of the present call that pass by themselves. */
  tries?: number;
  syncs: number;
  /** Order of the outcomes, from 1. */
  completion?: number;
  error?: string;
  rejected?: Refusal;
  failedContainers?: string[];
  status?: ShownStatus;
  /** Pods of the cluster that make room for it and may still run. Chosen once. */
  victims?: Victim[];
  /** Its task is deleted at the provider. */
  stop?: { atMs: number; isAccepted?: true; acceptedAtMs?: number; isOver?: true };
}

export interface RunState {
  format: typeof RUN_FORMAT;
  id: string;
  manifestHash: string;
  /** The provider's word, as in `--provider`: for people and for who goes on with the run. */
  provider: string;
  node: Node;
  options: RunOptions;
  stage: RunStage;
  createdAtMs: number;
  /** Then every open pod fails. */
  deadlineAtMs: number;
  /** All outcomes are known and all stops are over. */
  finishedAtMs?: number;
  /** Outcomes so far. */
  completions: number;
  pods: RunPod[];
  error?: string;
  /** Why, in words of our own, where the error is upstream's. */
  cause?: string;
  warnings: string[];
}

/** Its result is known. */
export const hasOutcome = ({ phase }: RunPod): boolean => phase === 'failing' || phase === 'final';

export const isOver = ({ finishedAtMs }: RunState): boolean => finishedAtMs !== undefined;

/** As it is stored. @throws Error for a record of a newer version and for text that holds no run */
export function readRun(text: string): RunState {
  const state: Partial<RunState> | null = JSON.parse(text);
  if (state?.format !== RUN_FORMAT)
    throw new Error(`the record of a run has format ${String(state?.format)}, and this Farloop knows ${RUN_FORMAT}: use a newer one`);
  return state as RunState;
}
