// A workload as the relay knows it.
import type { OwnerName } from '../wire/observations.ts';
import type { CompactPod } from './compact-pod.ts';
import type { Members } from './pod-table.ts';

/** A pod that its workload hears of for the last time. */
export interface GonePod {
  facts: CompactPod;
  /** The facts are told relative to this one. */
  owner: OwnerName;
  /** `departed`: it lives on, but is nobody's business any more. `moved`: it belongs to another workload. */
  state: 'deleted' | 'departed' | 'moved';
}

export interface KnownOwner {
  version: string;
  /** Somebody else manages it. */
  foreign: boolean;
  /** Of its spec, as the API server counts; undefined once it is being deleted. */
  generation: number | undefined;
}

export interface Workload {
  owner: OwnerName;
  /** What is known of its owner; undefined: it has not been observed, or is gone. */
  known: KnownOwner | undefined;
  /** JSON of the owner's facts, from when it was observed until it was sent. */
  unsent: { body: string; deleted: boolean } | undefined;
  pods: Members;
  list: number;
  /** Since the last heartbeat. */
  changed: boolean;
}

/** An object, and the version of its own at which it is known. */
export interface OwnVersion {
  uid: string;
  namespace: string;
  name: string;
  version: string;
}
