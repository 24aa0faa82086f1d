// A registered cluster's API server, as passes and the relay need it.
import type { Json, KubernetesObject } from '../objects/kubernetes.ts';
import type { LogRequest } from '../objects/log-request.ts';
import type { PatchType, PropagationPolicy, Resource } from '../objects/resources.ts';
import type { WantedFields } from '../objects/field-mask.ts';
import type { Deadline } from './clock.ts';

/** The API server's answer, and its `Date` (Unix milliseconds, whole seconds; R12). */
export interface Answer<Answered> {
  object: Answered;
  dateMs: number;
}

export interface ListAnswer<Item> {
  items: Item[];
  /** The lowest of the pages' (R19). */
  resourceVersion: string;
  dateMs: number;
}

export interface Named {
  namespace: string;
  name: string;
}

/** An object to delete, with its preconditions: the API server refuses another uid or version (R8). */
export interface Deletion extends Named {
  uid: string;
  resourceVersion?: string;
  propagationPolicy?: PropagationPolicy;
  /** 0: at once. Absent: as the object says. */
  gracePeriodSeconds?: number;
}

/** An object to patch, with its precondition. */
export interface PatchTarget extends Named {
  uid: string;
  subresource?: string;
}

export interface Patch {
  type: PatchType;
  body: Json | object;
}

export interface ListSelection {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

/** `fields`: those that the caller reads of each object. An adapter may leave out all others. Absent: whole objects. */
export interface ProjectedSelection extends ListSelection {
  fields?: WantedFields;
}

/** `fields`: those that the caller reads of the answer. An adapter may leave out all others. Absent: the whole object. */
export interface Reading {
  fields?: WantedFields | undefined;
}

export interface PageSelection extends ProjectedSelection {
  limit: number;
  continueToken?: string;
  metadataOnly?: boolean;
  resourceVersion?: string;
}

export interface WatchSelection extends ProjectedSelection {
  resourceVersion: string;
  timeoutSeconds: number;
}

export type WatchEvent<Item> = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: Item } | { type: 'BOOKMARK'; resourceVersion: string };

export interface Writing extends Reading {
  /** Of a create: the object is a request to this subresource of the one that it names, such as `token` of a service account. */
  subresource?: string;
  /**
   * Called with each warning of the API server, such as `unknown field "spec.foo"`. Only for writes of a person: without it the adapter asks
   * the API server to work out no warnings. A relayed cluster gives none.
   */
  warned?: (warning: string) => void;
}

/** `limitBytes` keeps the beginning of what is chosen. An empty container: the only one of the pod. */
export type BoundedLogRequest = Omit<LogRequest, 'follow'> & { limitBytes: number };

/** The chosen part of a container's log. Bytes that are no UTF-8 are replaced. */
export interface ReadLog {
  text: string;
  /** The bound was reached, so that more may follow. */
  isCut: boolean;
}

/**
 * A call lives 10 s at most. The client never repeats it, and does not send it once its deadline has passed (R17).
 * Every write carries its own precondition (R8).
 * An object that cannot be read whole comes as its metadata and a mark, see objects/unreadable.ts.
 * @throws the errors of errors.ts and no others; on writes a time-out, reset or 5xx is an UnknownOutcomeError
 */
export interface Cluster {
  /** Live: without a resourceVersion parameter. @throws NotFoundError only for a Status about that very object (R19) */
  get<Item extends KubernetesObject>(resource: Resource, target: Named, deadline: Deadline, reading?: Reading): Promise<Answer<Item>>;
  /** Live and whole: all pages of one consistent list. */
  list<Item extends KubernetesObject>(resource: Resource, selection: ProjectedSelection, deadline: Deadline): Promise<ListAnswer<Item>>;
  /** The name is the precondition. @throws ConflictError `alreadyExists` */
  create<Item extends KubernetesObject>(resource: Resource, object: Item, deadline: Deadline, writing?: Writing): Promise<Answer<Item>>;
  /**
   * @returns the object as it stands after the call: still there with a deletionTimestamp, or undefined when it is gone
   * @throws NotFoundError it was gone already; ConflictError another uid or version
   */
  delete<Item extends KubernetesObject>(
    resource: Resource,
    target: Deletion,
    deadline: Deadline,
    reading?: Reading,
  ): Promise<Answer<Item | undefined>>;
  /** Of the object, or of its status by `subresource`. The uid goes into the patch's own metadata as its precondition. @throws ConflictError another uid (422) or version (409) */
  patch<Item extends KubernetesObject>(
    resource: Resource,
    target: PatchTarget,
    patch: Patch,
    deadline: Deadline,
    writing?: Writing,
  ): Promise<Answer<Item>>;
  /**
   * Of a container of a pod, as far as it is written by now.
   * @throws TerminalError in the kubelet's or API server's own words, as of a container that has not started; NotFoundError there is no such pod
   */
  log(target: Named, wanted: BoundedLogRequest, deadline: Deadline): Promise<ReadLog>;
}

/** The relay's side: lists by page, and watches. No pass waits for these calls, so they have no deadline. */
export interface ClusterSource {
  /**
   * Resolves when the API server shows that it lives. Any answer of its own is a sign, also 403 and 429. The request costs the server next to
   * nothing. It travels on a connection of its own, so that no list or watch delays it.
   * @throws TerminalError with code 401: it lives, and refuses the credentials; NotDoneError or UnknownOutcomeError: no sign
   */
  signOfLife(signal: AbortSignal): Promise<void>;
  listPage<Item extends KubernetesObject>(
    resource: Resource,
    selection: PageSelection,
    signal: AbortSignal,
    /** An adapter may hand over items as they arrive, and leave them out of its answer. The page may break off after that. */
    each?: (item: Item) => void,
  ): Promise<ListAnswer<Item> & { continueToken?: string }>;
  /**
   * Events after that version, until the server ends the watch (the iteration ends) or the signal fires.
   * Bookmarks are always asked for. @throws ExpiredError for a 410, in the answer or as an ERROR event
   */
  watch<Item extends KubernetesObject>(resource: Resource, selection: WatchSelection, signal: AbortSignal): AsyncIterable<WatchEvent<Item>>;
}
