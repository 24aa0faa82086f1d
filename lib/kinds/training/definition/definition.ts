// Definitions of the training kinds: one for each framework, the pod template put in from the tables of Kubernetes types.
import type { JsonSchema } from '../../../objects/json-schema.ts';
import { AGE, defineDefinition, type KindDefinition, type KubernetesTypes, type PrintedColumn } from '../../rows/kind-definition.ts';
import { trainingFacts } from '../facts.ts';
import type { Framework } from '../terms/framework.ts';
import type { KubernetesSchemas } from './fields.ts';
import { neededFields, ownFieldsOf, replicaSpecs, runPolicy, showsAgeFirst, status } from './fields.ts';
import { trainingPolicies } from './policies.ts';

const STATE: PrintedColumn = { name: 'State', type: 'string', jsonPath: '.status.conditions[-1:].type' };

export function trainingDefinition(framework: Framework): KindDefinition {
  const { kind, replicasField, isScalable } = framework;
  return defineDefinition(trainingFacts(framework), {
    columns: showsAgeFirst.has(kind) ? [AGE, STATE] : [STATE, AGE],
    schemas: (_, types) => {
      const { of, parts } = partsBy(types);
      const spec = {
        type: 'object',
        required: [...(neededFields[kind] ?? []), replicasField],
        properties: { ...ownFieldsOf(kind, of), [replicasField]: parts.replicaSpecs, runPolicy: parts.runPolicy },
      };
      return { spec, status: parts.status };
    },
    ...(isScalable && {
      scale: {
        specReplicasPath: `.spec.${replicasField}.Worker.replicas`,
        statusReplicasPath: '.status.replicaStatuses.Worker.active',
        labelSelectorPath: '.status.replicaStatuses.Worker.selector',
      },
    }),
    policies: () => trainingPolicies(framework),
  });
}

interface Parts {
  of: KubernetesSchemas;
  parts: Record<'replicaSpecs' | 'runPolicy' | 'status', JsonSchema>;
}

const made = new WeakMap<KubernetesTypes, Parts>();

/** The same for all frameworks: a pod template is large. */
function partsBy(types: KubernetesTypes): Parts {
  const known = made.get(types);
  if (known) return known;
  const of = kubernetesSchemas(types);
  const parts = { of, parts: { replicaSpecs: replicaSpecs(of), runPolicy: runPolicy(of), status: status(of) } };
  made.set(types, parts);
  return parts;
}

function kubernetesSchemas(types: KubernetesTypes): KubernetesSchemas {
  const limits = types('ResourceRequirements').properties?.['limits']?.additionalProperties;
  return {
    podTemplate: types('PodTemplateSpec'),
    metric: types('MetricSpec'),
    labelSelector: types('LabelSelector'),
    quantity: typeof limits === 'object' ? limits : {},
  };
}
