// A registered cluster's API server, as passes and the relay need it.
import type { Json, KubernetesObject } from '../objects/kubernetes.ts';
import type { PatchType, PropagationPolicy, Resource } from '../objects/resources.ts';
import type { WantedFields } from '../objects/field-mask.ts';
import type { Deadline } from './clock.ts';

/** What the API server answered, and its `Date` (Unix milliseconds, whole seconds; R12). */
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

/** What to delete, and as what it was known: another uid or version is refused (R8). */
export interface Deletion extends Named {
  uid: string;
  resourceVersion?: string;
  propagationPolicy?: PropagationPolicy;
}

/** What to patch, and as what it was known. */
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

/** What is read of the objects. An adapter may leave out all other fields (absent: they are wanted whole). */
export interface ProjectedSelection extends ListSelection {
  fields?: WantedFields;
}

/** What is read of an answer. An adapter may leave out all other fields of it (absent: it is wanted whole). */
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
  /**
   * Where a person writes, and not a pass: told of each warning of the API server, such as `unknown field "spec.foo"`. Absent: it is
   * asked to work none out. A cluster that is reached through its relay gives none.
   */
  warned?: (warning: string) => void;
}

/**
 * Every call lives 10 s at most, is never repeated by the client, and is not sent once its deadline has passed (R17).
 * Every write carries its own precondition (R8).
 * Objects that cannot be read whole carry their metadata and a mark, see objects/unreadable.ts.
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
}

/** The relay's side: lists by page and watches. Not bound to a pass, so without its deadline. */
export interface ClusterSource {
  /**
   * Resolves when the API server shows that it lives: any answer of its own is a sign, also one that forbids, or asks for patience. The
   * question costs the server next to nothing, and travels on a connection of its own, which no list or watch holds up.
   * @throws TerminalError with code 401: it lives, and refuses the credentials; NotDoneError or UnknownOutcomeError: no sign
   */
  signOfLife(signal: AbortSignal): Promise<void>;
  listPage<Item extends KubernetesObject>(
    resource: Resource,
    selection: PageSelection,
    signal: AbortSignal,
    /** An adapter may hand over items as they come, and leave them out of its answer: also those of a page that breaks off then. */
    each?: (item: Item) => void,
  ): Promise<ListAnswer<Item> & { continueToken?: string }>;
  /**
   * Events after that version, until the server ends the watch (the iteration ends) or the signal fires.
   * Bookmarks are always asked for. @throws ExpiredError for a 410, in the answer or as an ERROR event
   */
  watch<Item extends KubernetesObject>(resource: Resource, selection: WatchSelection, signal: AbortSignal): AsyncIterable<WatchEvent<Item>>;
}
