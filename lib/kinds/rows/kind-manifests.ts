// How `farloop plan` reads a kind's documents as an API server would store them. No function uses it.
import type { KubernetesObject, Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { KindOptions } from '../../objects/kind-options.ts';
import type { Resource } from '../../objects/resources.ts';
import { isFields, type Fields } from '../../objects/values/untyped-fields.ts';
import * as v from 'valibot';
import type { KindFacts } from './kind.ts';
import { metadata, object, problemIn, type ShapeProblem } from './manifest-shapes.ts';
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
export type DocumentPlan = Omit<Plan<object>, 'actions' | 'head'> & { actions: (Action | EvictAction)[]; admission?: object };

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

/** The part of a kind's facts that reading documents needs. */
type FactsToRead = Pick<KindFacts, 'kind'> & Partial<Pick<KindFacts, 'faultOf'>>;

export type NewManifests<Owner extends WorkloadObject> = Partial<KindManifests<Owner>> & {
  /** Why the API server, or an admission policy of the kind, would refuse an owner of the right shape. Read by the usual `read` alone. */
  refusalsOf?(this: void, owner: Owner): readonly Refusal[];
};

/** Erases the owner's type, once. Callers must pass a row only owners of its kind. Absent `read`: the shape is that of the kind's facts. */
export function defineManifests<Owner extends WorkloadObject>(facts: FactsToRead, said: NewManifests<Owner> = {}): KindManifests {
  const { refusalsOf, ...manifests } = said as NewManifests<WorkloadObject>;
  return { besides: () => [], read: (document, given) => readOwner(facts, refusalsOf, document, given), ...manifests };
}

/** The uid of an object that no API server has stored yet. */
export const UNSTORED_UID = '00000000-0000-0000-0000-000000000000';

const shape = object({ metadata });

function readOwner(
  { faultOf }: FactsToRead,
  refusalsOf: NewManifests<WorkloadObject>['refusalsOf'],
  document: Fields,
  { namespace, now }: { namespace: string; now: Date },
): ReadOwner<WorkloadObject> {
  if (!v.is(shape, document)) return { problem: problemIn(shape, document) };
  const { metadata: given } = document;
  const owner = {
    ...document,
    metadata: {
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: now.toISOString().replace(/\.\d+Z$/, 'Z'),
      ...given,
      namespace,
      uid: given.uid || UNSTORED_UID,
    },
  } as unknown as WorkloadObject;
  const fault = faultOf?.(owner);
  if (fault) return { problem: { ...fault, found: foundAt(owner, fault.field) } };
  const [refusal, ...others] = refusalsOf?.(owner) ?? [];
  return refusal ? { refusals: [refusal, ...others] } : { owner };
}

/** The value at a field such as `spec.groups[2].count`, or where the way to it ends. */
function foundAt(owner: object, field: string): string | undefined {
  const steps = field.split(/[.[\]]+/).filter((step) => step !== '');
  const found = steps.reduce((value: unknown, step) => {
    if (Array.isArray(value)) return value[Number(step)] as unknown;
    return isFields(value) ? value[step] : value;
  }, owner);
  return found === undefined ? undefined : JSON.stringify(found).slice(0, LONGEST_FOUND);
}

const LONGEST_FOUND = 80;
