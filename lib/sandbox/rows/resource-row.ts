// A row of the table of resources: names, shape, rules, columns.
import type { FieldError } from '../../objects/field-error.ts';
import type { Reviewing } from '../objects/asker.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { Decoded } from '../schema/decode.ts';
import type { ObjectType } from '../schema/notation.ts';

/** One column of `kubectl get`. */
export interface Column {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  format?: string;
  /** Of a definition's own: kubectl shows none. */
  description?: string;
  /** 0 is always shown, 1 with `-o wide`. */
  priority?: number;
  /** @param nowMs the server's time, for ages */
  cell: (object: ApiObject, nowMs: number) => unknown;
}

export interface Subresource {
  name: string;
  kind: string;
  verbs: readonly string[];
  /** Group and version of its kind where they are not those of the resource. */
  group?: string;
  version?: string;
}

/** Changes and refusals of an object before it is stored. Each function takes and returns whole objects. */
export interface Rules {
  /**
   * The defaults of fields alone, which the writer of the object owns: without fields that only the server may set.
   * @param previous the stored object, whose spec stands in where it is the same
   */
  defaults: (object: ApiObject, previous?: ApiObject) => ApiObject;
  /** Defaults and what only the server may set. `metadata.uid` is set. */
  create: (object: ApiObject) => ApiObject;
  /** The rules of all metadata are not among those of `validate` and `validateUpdate`, and are to be asked as well. */
  validateMetadata: boolean;
  /** Finalizers without a domain are refused. */
  qualifiesFinalizers: boolean;
  validate: (object: ApiObject) => FieldError[];
  /** The body of an update with its defaults, and what an update cannot change put back. */
  update: (next: ApiObject, previous: ApiObject) => ApiObject;
  validateUpdate: (next: ApiObject, previous: ApiObject) => FieldError[];
  /** The same for the status subresource; the spec is the previous one already. */
  updateStatus?: (next: ApiObject, previous: ApiObject) => ApiObject;
  validateStatus?: (next: ApiObject, previous: ApiObject) => FieldError[];
  /** Problems of a name; nothing for a good one. */
  nameProblems: (name: string) => string[];
}

/** Where in an object its replicas are, as paths of field names: `['spec', 'replicas']`. */
export interface ScalePaths {
  spec: readonly string[];
  status: readonly string[];
  selector?: readonly string[];
  /** As the definition spells them: refusals do the same. */
  texts: { spec: string; status: string; selector?: string };
}

/** A definition's own part of one version, besides the fields of every row. */
export interface Defined {
  listKind: string;
  /** Published as it is. */
  schema: JsonSchema;
  /** Other schemas have others. */
  digest: string;
  scale?: ScalePaths;
  /** Sent with every answer. */
  warnings: readonly string[];
  /** Warnings of a write: rules that an object broke before, and that the write leaves broken. */
  brokenRules: (next: ApiObject, previous: ApiObject) => string[];
  /** Whether nothing is created any more. */
  isTerminating: () => boolean;
  /**
   * A body, `kind` and `apiVersion` included, without what the schema does not know, with its defaults. Values of another type than the
   * schema says are the business of the rules.
   * @param refuse makes the refusal of invalid metadata
   */
  decode: (body: Fields, refuse: (message: string) => Error) => Decoded;
  /** A stored object as this version shows it: the schema may have changed since it was written, or another version wrote it. */
  read: (object: ApiObject) => ApiObject;
  /** An object of this version as the version that is stored keeps it. */
  store: (object: ApiObject) => ApiObject;
  /** This version wrote an object, and shows it as it is. */
  wrote: (object: ApiObject) => void;
}

export interface ResourceRow {
  group: string;
  version: string;
  plural: string;
  singular: string;
  kind: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  /** Defined by a user: its objects come and go in JSON alone, and a strategic merge patch is refused. */
  isCustom?: true;
  /** Of a row that a definition made. */
  defined?: Defined;
  schema: ObjectType;
  /** The row whose objects these are, seen through another API group. */
  stored?: { as: ResourceRow; read: (object: ApiObject) => ApiObject; write: (object: ApiObject) => ApiObject };
  /** Objects of this row are questions, answered and not stored. @throws ApiError */
  answer?: (object: ApiObject, reviewing: Reviewing) => ApiObject;
  /** Objects of this row are figures, asked of the nodes at each look and not stored. */
  isMeasured?: true;
  subresources: readonly Subresource[];
  /** Fields that a write of the status leaves as they are, besides the spec: `metadata.ownerReferences` */
  keptByStatus: readonly string[];
  columns: readonly Column[];
  /** Fields to select by, besides `metadata.name` and `metadata.namespace`. */
  selectable: readonly string[];
  fieldsOf: (object: ApiObject) => Record<string, string>;
  rules: Rules;
  /** Which spec changes raise `metadata.generation`: those of rows that count generations. */
  countsGenerations: boolean;
  /** Seconds of grace that a deletion gets; a row without this deletes at once. */
  graceSeconds?: (object: ApiObject, askedSeconds: number | undefined) => number;
  /** The meaning of a deletion without a policy. `ignored`: the collector does not look at these objects. */
  dependents: 'delete' | 'orphan' | 'ignored';
  /** Marks an object whose deletion waits for more than its finalizers' owners. @param time RFC 3339 */
  marked?: (object: ApiObject, time: string) => ApiObject;
  /** A deletion answers the object instead of a Status. */
  answersDeleted: boolean;
  /** PUT on a name that is not there creates it. */
  createsOnUpdate: boolean;
  /** A PUT without a resourceVersion is refused. */
  needsVersion: boolean;
  /** Objects go this long after their last write. */
  lifetimeMs?: number;
}
