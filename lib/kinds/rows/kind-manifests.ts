// How `farloop plan` reads a kind's documents as an API server would store them. No function uses it.
import type { KubernetesObject, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { KindOptions } from '../../objects/kind-options.ts';
import type { Resource } from '../../objects/resources.ts';
import type { Fields } from '../../objects/values/untyped-fields.ts';
import type { ShapeProblem } from './manifest-shapes.ts';
import type { Action, Plan, Snapshot, Target } from './plan.ts';

/** Documents of another resource that a kind's plan reads. */
export interface ReadBeside {
  resource: Resource;
  /** The API server's type; absent: `problemOf` alone checks the types of fields. */
  schema?: string;
  /** The first field of a wrong shape; undefined if the document can be read. */
  problemOf(document: Fields): ShapeProblem | undefined;
}

/** An owner as the API server stores it, or why the server would refuse it. */
export type ReadOwner<Owner> = { owner: Owner } | { problem: ShapeProblem } | { refusals: readonly [Refusal, ...Refusal[]] };

export interface Refusal {
  field: string;
  message: string;
}

export interface ManifestGiven<Owner extends WorkloadObject> {
  snapshot: Snapshot<Owner>;
  now: Date;
  /** The objects of `besides`, by resource. */
  read: ReadonlyMap<Resource, readonly KubernetesObject[]>;
  /** All pods of the documents, whole, whatever their namespace. */
  pods: readonly Pod[];
  /** The Head document, if there is one: its schema lets fields of the kind's own pass. */
  head: Fields | undefined;
  /** Where the document of an object of `read` or `pods`, or the Head, begins, such as `job.yaml:12`. */
  sourceOf(this: void, object: object): string;
  options: KindOptions;
  /** The planner's own plan. */
  planOf(this: void, snapshot: Snapshot<Owner>): Plan<object>;
}

/** Asks the pod's own workload to end it, with this status. The pass that asks does not carry it out. */
export type EvictAction = { verb: 'evict'; status: object; why: string } & Target;

/** A plan as `farloop plan` prints it: with requests to other workloads too, and the admission of a pod. */
export type DocumentPlan = Omit<Plan<object>, 'actions'> & { actions: (Action | EvictAction)[]; admission?: object };

export interface KindManifests<Owner extends WorkloadObject = WorkloadObject> {
  /** The API server's type of the owner, used to read documents; undefined if the server does not know its fields. */
  schema?: string;
  /** Its documents may also be children, or read by other kinds. One is an owner only if the request names it, and only then is `besides` read. */
  isOnlyByName?: true;
  besides(options: KindOptions): readonly ReadBeside[];
  /** Removes fields that the API server does not know with these options. Changes the document itself. */
  prepare?(document: Fields, options: KindOptions): void;
  /** Adds the API server's defaults and validates. */
  read(document: Fields, given: { namespace: string; now: Date }): ReadOwner<Owner>;
  /**
   * Absent: the planner's plan.
   * @throws UnusableManifestError the documents do not fit together
   */
  plan?(given: ManifestGiven<Owner>): DocumentPlan;
  /** Fields of the answer in addition to the plan. */
  extraOf?(given: ManifestGiven<Owner>, plan: DocumentPlan): Fields;
}

/** Erases the owner's type, once. Callers must pass a row only owners of its kind. */
export const defineManifests = <Owner extends WorkloadObject>(manifests: KindManifests<Owner>): KindManifests => manifests;

/** The uid of an object that no API server has stored yet. */
export const UNSTORED_UID = '00000000-0000-0000-0000-000000000000';
