// Definitions of the training kinds: one for each framework, the pod template put in from the tables of Kubernetes types.
import type { Framework } from '../../lib/kinds/training/terms/framework.ts';
import { FRAMEWORKS } from '../../lib/kinds/training/frameworks/all.ts';
import { definitionSchemaOf } from '../../lib/sandbox/schema/definition-schema.ts';
import type { JsonSchema } from '../../lib/sandbox/schema/json-schema.ts';
import { propertyOf, valuesOf } from '../../lib/sandbox/schema/json-schema.ts';
import type { KubernetesSchemas } from './training-fields.ts';
import { neededFields, ownFieldsOf, replicaSpecs, runPolicy, showsAgeFirst, status } from './training-fields.ts';

export const GROUP = 'kubeflow.org';
export const VERSION = 'v1';

/** A manifest of apiextensions.k8s.io/v1. */
export interface DefinitionManifest {
  apiVersion: 'apiextensions.k8s.io/v1';
  kind: 'CustomResourceDefinition';
  metadata: { name: string };
  spec: object;
}

const state = { name: 'State', type: 'string', jsonPath: '.status.conditions[-1:].type' };
const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** Of every framework. Parts are shared among them: a definition is copied before it is changed. */
export function trainingDefinitions(): DefinitionManifest[] {
  const schemas = kubernetesSchemas();
  const parts: Record<'replicaSpecs' | 'runPolicy' | 'status', JsonSchema> = {
    replicaSpecs: replicaSpecs(schemas),
    runPolicy: runPolicy(schemas),
    status: status(schemas),
  };
  return FRAMEWORKS.map((framework) => definitionOf(framework, schemas, parts));
}

function kubernetesSchemas(): KubernetesSchemas {
  const resources = propertyOf(definitionSchemaOf('ResourceRequirements'), 'limits') ?? {};
  return {
    podTemplate: definitionSchemaOf('PodTemplateSpec'),
    metric: definitionSchemaOf('MetricSpec'),
    labelSelector: definitionSchemaOf('LabelSelector'),
    quantity: valuesOf(resources) ?? {},
  };
}

function definitionOf(
  { kind, plural, replicasField, isScalable }: Framework,
  schemas: KubernetesSchemas,
  parts: Record<'replicaSpecs' | 'runPolicy' | 'status', JsonSchema>,
): DefinitionManifest {
  const text = { type: 'string' };
  const spec = {
    type: 'object',
    required: [...(neededFields[kind] ?? []), replicasField],
    properties: { ...ownFieldsOf(kind, schemas), [replicasField]: parts.replicaSpecs, runPolicy: parts.runPolicy },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          additionalPrinterColumns: showsAgeFirst.has(kind) ? [age, state] : [state, age],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status: parts.status },
            },
          },
          subresources: {
            status: {},
            ...(isScalable && {
              scale: {
                specReplicasPath: `.spec.${replicasField}.Worker.replicas`,
                statusReplicasPath: '.status.replicaStatuses.Worker.active',
                labelSelectorPath: '.status.replicaStatuses.Worker.selector',
              },
            }),
          },
        },
      ],
    },
  };
}
