// How people act on workloads of a kind, as data: pure functions of the whole owner, as the API server has it. Every kind can be deleted; a member
// that is absent is something that the kind cannot do.
import type { WorkloadObject } from '../../objects/kubernetes.ts';

/** The change that a scaling would make. */
export interface Scaling {
  /** A merge patch of the owner. */
  patch: object;
  /** For people, as in `workers`. */
  of: string;
  from: number;
  to: number;
  /** Names of the pods that end, without the workload's own name before them; absent: whichever. */
  ending?: readonly string[];
  /** Pods that may start by it, or end; absent: as many as the difference. */
  pods?: number;
  /** Why not as many as the difference, as a sentence's end. */
  bound?: string;
}

/** The part of an ended workload that another one can do alone. */
export interface Remainder {
  /** Parts that did not succeed, of so many. */
  open: number;
  total: number;
  /** For people, as in `indexes`. */
  of: string;
  /** A merge patch of the new owner's status, by which the other parts are done. */
  status: object;
}

export interface KindActions<Owner extends WorkloadObject = WorkloadObject> {
  suspension?: {
    isSuspended(this: void, owner: Owner): boolean;
    /** A merge patch of the owner. */
    patchOf(this: void, suspend: boolean): object;
    /** Pods that run now, as its status says. */
    running(this: void, owner: Owner): number;
    /** Pods that are started when it goes on. */
    started(this: void, owner: Owner): number;
  };
  /** @returns why not, as a sentence for people, if it cannot be scaled so */
  scalingOf?(this: void, owner: Owner, asked: { replicas: number; type?: string | undefined }): Scaling | string;
  /** A new owner that does the same, without a name. */
  copyOf(this: void, owner: Owner): WorkloadObject;
  /** @returns why nothing can be retried alone, as a sentence for people */
  remainderOf?(this: void, owner: Owner): Remainder | string;
}

/** Erases the owner's type, once, as `defineFacts` does. Callers must pass only owners of that kind. */
export const defineActions = <Owner extends WorkloadObject>(actions: KindActions<Owner>): KindActions => actions;
