// How a kind that a cluster does not have by itself is made known to it: its definition with the columns of tables, and its admission policies.
import type { JsonSchema } from '../../objects/json-schema.ts';
import { schemaOf } from '../../objects/values/field-shapes.ts';
import type { KindFacts } from './kind.ts';

/** A manifest of apiextensions.k8s.io/v1. */
export interface DefinitionManifest {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: { name: string };
  spec: object;
}

/** A manifest of admissionregistration.k8s.io/v1. */
export interface PolicyManifest {
  apiVersion: 'admissionregistration.k8s.io/v1';
  kind: 'ValidatingAdmissionPolicy' | 'ValidatingAdmissionPolicyBinding';
  metadata: { name: string };
  spec: object;
}

/** The schema of a type of Kubernetes, such as `PodTemplateSpec`. The same value at every call; it is never changed. */
export type KubernetesTypes = (type: string) => JsonSchema;

export interface Policy {
  action: 'Deny' | 'Warn';
  /** The policy and its binding. */
  manifests: readonly PolicyManifest[];
}

export interface KindDefinition {
  manifestOf(types: KubernetesTypes): DefinitionManifest;
  /** Made when they are asked for: they are long texts. */
  policies(): readonly Policy[];
}

export interface PrintedColumn {
  name: string;
  type: 'string' | 'integer' | 'date';
  jsonPath: string;
}

/** A column with which tables end. */
export const AGE: PrintedColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

export interface NewDefinition {
  /** Columns of tables beside the name; absent: the age. */
  columns?: readonly PrintedColumn[];
  /** Absent: the schemas of the shapes in the kind's facts. @param checked those */
  schemas?(this: void, checked: Schemas, types: KubernetesTypes): Schemas;
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath: string };
  policies?: KindDefinition['policies'];
}

export interface Schemas {
  spec: JsonSchema;
  status: JsonSchema;
}

type Facts = Pick<KindFacts, 'resource' | 'shortNames' | 'shape'>;

export const defineDefinition = (facts: Facts, said: NewDefinition = {}): KindDefinition => ({
  manifestOf: (types) => manifestOf(facts, said, types),
  policies: said.policies ?? (() => []),
});

function manifestOf(
  { resource, shortNames, shape }: Facts,
  { columns, schemas, scale }: NewDefinition,
  types: KubernetesTypes,
): DefinitionManifest {
  const { kind, plural, namespaced } = resource;
  const [group = '', version = ''] = resource.apiVersion.split('/');
  const text = { type: 'string' };
  const checked = {
    spec: shape ? schemaOf(shape.spec, types) : { type: 'object' },
    status: shape ? schemaOf(shape.status, types) : { type: 'object' },
  };
  const { spec, status } = schemas?.(checked, types) ?? checked;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), ...(shortNames && { shortNames }) },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(columns && { additionalPrinterColumns: columns }),
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status },
            },
          },
          subresources: { status: {}, ...(scale && { scale }) },
        },
      ],
    },
  };
}

/** @param spec the policy's, beside what is the same for all: it is asked about each create and update, and refuses where it cannot be evaluated */
export function policyOf(
  { resource: { apiVersion: owners, plural } }: Pick<Facts, 'resource'>,
  name: string,
  action: Policy['action'],
  spec: object,
): Policy {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const [group = '', version = ''] = owners.split('/');
  const resourceRules = [{ apiGroups: [group], apiVersions: [version], operations: ['CREATE', 'UPDATE'], resources: [plural] }];
  return {
    action,
    manifests: [
      {
        apiVersion,
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: { resourceRules },
          // An owner that is being deleted must be able to lose its finalizers, valid or not.
          matchConditions: [{ name: 'not-being-deleted', expression: '!has(object.metadata.deletionTimestamp)' }],
          ...spec,
        },
      },
      { apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName: name, validationActions: [action] } },
    ],
  };
}
