// A workload in the relay's cache.
import type { ObjectMeta } from '../../objects/kubernetes.ts';
import { isResourceVersion } from '../../objects/values/resource-version.ts';
import type { OwnerName } from '../../wire/words/observations.ts';
import type { Members } from './pod-table.ts';

export interface KnownOwner {
  version: string;
  /** Another controller manages it. */
  foreign: boolean;
  /** The API server's count of spec changes; undefined once the owner is being deleted. */
  generation: number | undefined;
}

export interface Workload {
  owner: OwnerName;
  /** The cached owner; undefined if it was not observed or is gone. */
  known: KnownOwner | undefined;
  /** JSON of the owner's facts, from the observation until it is sent. */
  unsent: { body: string; deleted: boolean } | undefined;
  pods: Members;
  list: number;
  /** Name of the watch that showed its owner last; undefined if none did. */
  watch?: string;
  /** Whether it changed since the last heartbeat. */
  changed: boolean;
}

/** An object, and the version at which the cache holds it. */
export interface OwnVersion {
  uid: string;
  namespace: string;
  name: string;
  version: string;
}

/** Whether a message can name the child. */
export const isNamed = ({ name, namespace, uid, resourceVersion }: ObjectMeta): boolean =>
  Boolean(name && namespace && uid) && isResourceVersion(resourceVersion);
