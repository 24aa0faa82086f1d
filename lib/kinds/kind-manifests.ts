// How `farloop plan` reads a kind's documents as an API server would store them. No function uses it.
import type { KubernetesObject, WorkloadObject } from '../objects/kubernetes.ts';
import type { KindOptions } from '../objects/kind-options.ts';
import type { Resource } from '../objects/resources.ts';
import type { Fields } from '../objects/untyped-fields.ts';
import type { ShapeProblem } from './manifest-shapes.ts';
import type { Plan, Snapshot } from './plan.ts';

/** Documents of another resource that a kind's plan reads. */
export interface ReadBeside {
  resource: Resource;
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
  options: KindOptions;
  /** The planner's own plan. */
  planOf(this: void, snapshot: Snapshot<Owner>): Plan<object>;
}

export interface KindManifests<Owner extends WorkloadObject = WorkloadObject> {
  /** The API server's type of the owner, used to read documents; undefined if the server does not know its fields. */
  schema?: string;
  /** Its documents may also be children, or read by other kinds. One is an owner only if the request names it. */
  isOnlyByName?: true;
  besides(options: KindOptions): readonly ReadBeside[];
  /** Removes fields that the API server does not know with these options. Changes the document itself. */
  prepare?(document: Fields, options: KindOptions): void;
  /** Adds the API server's defaults and validates. */
  read(document: Fields, given: { namespace: string; now: Date }): ReadOwner<Owner>;
  /** Absent: the planner's plan. */
  plan?(given: ManifestGiven<Owner>): Plan<object>;
  /** Fields of the answer in addition to the plan. */
  extraOf?(given: ManifestGiven<Owner>, plan: Plan<object>): Fields;
}

/** Erases the owner's type, once. Callers must pass a row only owners of its kind. */
export const defineManifests = <Owner extends WorkloadObject>(manifests: KindManifests<Owner>): KindManifests => manifests;

/** The uid of an object that no API server has stored yet. */
export const UNSTORED_UID = '00000000-0000-0000-0000-000000000000';
