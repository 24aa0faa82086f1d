// The schemas of the training kinds' fields.
import { OWN_FIELDS, REPLICA_SPEC, RUN_POLICY, STATUS } from '../terms/job-fields.ts';
import { mapOf, schemaOf, type Shape } from '../../../objects/values/field-shapes.ts';
import type { JsonSchema } from '../../../objects/json-schema.ts';

/** Types of Kubernetes that a training job's fields have. */
export interface KubernetesSchemas {
  podTemplate: JsonSchema;
  /** Of autoscaling/v2. */
  metric: JsonSchema;
  labelSelector: JsonSchema;
  quantity: JsonSchema;
}

const typeIn =
  (of: KubernetesSchemas) =>
  (name: string): JsonSchema =>
    of[name as keyof KubernetesSchemas];

export const replicaSpecs = (of: KubernetesSchemas): JsonSchema => schemaOf(mapOf(REPLICA_SPEC), typeIn(of));
export const runPolicy = (of: KubernetesSchemas): JsonSchema => schemaOf(RUN_POLICY, typeIn(of));
export const status = (of: KubernetesSchemas): JsonSchema => schemaOf(STATUS, typeIn(of));

/** The kind's own fields. */
export function ownFieldsOf(kind: string, of: KubernetesSchemas): Record<string, JsonSchema> {
  const fields: Readonly<Record<string, Shape>> = Object.hasOwn(OWN_FIELDS, kind) ? OWN_FIELDS[kind as keyof typeof OWN_FIELDS] : {};
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field, typeIn(of))]));
}

/** By kind: those of its own fields that must be there. */
export const neededFields: Readonly<Record<string, readonly string[]>> = { MXJob: ['jobMode'] };

/** Kinds whose age stands before their state, as upstream prints them. */
export const showsAgeFirst: ReadonlySet<string> = new Set(['MPIJob']);
