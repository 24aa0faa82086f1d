// The schemas of the training kinds' fields.
import { OWN_FIELDS, REPLICA_SPEC, RUN_POLICY, STATUS } from '../../lib/kinds/training/terms/job-fields.ts';
import { mapOf, schemaOf, type Shape } from '../../lib/objects/values/field-shapes.ts';
import type { JsonSchema } from '../../lib/sandbox/schema/json-schema.ts';

/** What the tables of Kubernetes types say. */
export interface KubernetesSchemas {
  podTemplate: JsonSchema;
  /** Of autoscaling/v2. */
  metric: JsonSchema;
  labelSelector: JsonSchema;
  quantity: JsonSchema;
}

export const replicaSpecs = (of: KubernetesSchemas): JsonSchema => schemaOf(mapOf(REPLICA_SPEC), { ...of });
export const runPolicy = (of: KubernetesSchemas): JsonSchema => schemaOf(RUN_POLICY, { ...of });
export const status = (of: KubernetesSchemas): JsonSchema => schemaOf(STATUS, { ...of });

/** The kind's own fields. */
export function ownFieldsOf(kind: string, of: KubernetesSchemas): Record<string, JsonSchema> {
  const fields: Readonly<Record<string, Shape>> = Object.hasOwn(OWN_FIELDS, kind) ? OWN_FIELDS[kind as keyof typeof OWN_FIELDS] : {};
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field, { ...of })]));
}

/** By kind: those of its own fields that must be there. */
export const neededFields: Readonly<Record<string, readonly string[]>> = { MXJob: ['jobMode'] };

/** Kinds whose age stands before their state, as upstream prints them. */
export const showsAgeFirst: ReadonlySet<string> = new Set(['MPIJob']);
