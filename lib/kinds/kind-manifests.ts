// What `farloop plan` has to know of a kind to plan from documents as an API server would store them. No function runs it.
import type { KubernetesObject, WorkloadObject } from '../objects/kubernetes.ts';
import type { Resource } from '../objects/resources.ts';
import type { Fields } from '../objects/untyped-fields.ts';
import type { ShapeProblem } from './manifest-shapes.ts';
import type { Plan, Snapshot } from './plan.ts';

/** Switches of the API server that change what is planned, by its names. */
export type Features = ReadonlySet<string>;

/** Documents of another resource that a kind's plan reads. */
export interface ReadBeside {
  resource: Resource;
  /** The first field that keeps the document from being read; undefined where it can be. */
  problemOf(document: Fields): ShapeProblem | undefined;
}

/** An owner as the API server stores it, or why it would refuse it. */
export type ReadOwner<Owner> = { owner: Owner } | { problem: ShapeProblem } | { refusals: readonly [Refusal, ...Refusal[]] };

export interface Refusal {
  field: string;
  message: string;
}

export interface ManifestGiven<Owner extends WorkloadObject> {
  snapshot: Snapshot<Owner>;
  now: Date;
  /** Objects of `besides`, by their resource. */
  read: ReadonlyMap<Resource, readonly KubernetesObject[]>;
  features: Features;
  /** The planner's own plan. */
  planOf(this: void, snapshot: Snapshot<Owner>): Plan<object>;
}

export interface KindManifests<Owner extends WorkloadObject = WorkloadObject> {
  /** The API server's type of the owner, by which documents are read; undefined where it knows no fields of it. */
  schema?: string;
  /** Its documents are also children, or the surroundings of others: one is an owner only where the request names it. */
  isOnlyByName?: true;
  besides(features: Features): readonly ReadBeside[];
  /** Takes out of a document what these features leave unknown. Changes the document itself. */
  prepare?(document: Fields, features: Features): void;
  /** With its defaults, and valid. */
  read(document: Fields, given: { namespace: string; now: Date }): ReadOwner<Owner>;
  /** Absent: as the planner plans. */
  plan?(given: ManifestGiven<Owner>): Plan<object>;
  /** What the kind adds to the answer beside the plan. */
  extraOf?(given: ManifestGiven<Owner>, plan: Plan<object>): Fields;
}

/** Types are erased here, once: whoever asks a row gives it owners of its kind. */
export const defineManifests = <Owner extends WorkloadObject>(manifests: KindManifests<Owner>): KindManifests => manifests;

/** The uid of an object that no API server has stored yet. */
export const UNSTORED_UID = '00000000-0000-0000-0000-000000000000';
