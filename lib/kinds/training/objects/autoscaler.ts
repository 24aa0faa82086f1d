// The HorizontalPodAutoscaler of an elastic PyTorchJob with metrics.
import type { Terms } from '../terms/framework.ts';
import { canonicalText } from '../../../objects/child-state.ts';
import type { Json, KubernetesObject } from '../../../objects/kubernetes.ts';
import type { Resource } from '../../../objects/resources.ts';
import { formatQuantity, parseQuantity, QuantityError } from '../../../objects/values/quantity.ts';
import { fieldsOf, isFields } from '../../../objects/values/untyped-fields.ts';
import { digestOf } from '../names/digest.ts';
import { TRAINING_JOB } from '../names/slots.ts';
import { ownerReferenceOf } from '../terms/terms.ts';

export const AUTOSCALERS: Resource = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};

/** Undefined if the job has none. */
export function autoscalerSpecOf({ framework, name, job }: Terms): Record<string, Json> | undefined {
  const { elasticPolicy } = job.spec;
  if (!framework.isAutoscaled || !elasticPolicy?.metrics) return undefined;
  const { minReplicas, maxReplicas, metrics } = elasticPolicy;
  return {
    scaleTargetRef: { apiVersion: 'kubeflow.org/v1', kind: framework.kind, name },
    ...(minReplicas !== undefined && { minReplicas }),
    ...(maxReplicas !== undefined && { maxReplicas }),
    metrics: metrics.length > 0 ? metrics : USUAL_METRICS,
  };
}

/** The API server's default for an empty list. */
const USUAL_METRICS: Json = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];

const OWN_FIELDS = ['scaleTargetRef', 'minReplicas', 'maxReplicas', 'metrics'];

export const autoscalerPartOf = (scaler: KubernetesObject): Json => ({
  digest: digestOfAutoscaler(fieldsOf((scaler as { spec?: unknown }).spec)),
});

export const digestOfAutoscaler = (spec: Record<string, unknown>): string =>
  digestOf(
    canonicalText(Object.fromEntries(OWN_FIELDS.flatMap((name) => (spec[name] === undefined ? [] : [[name, asStored(spec[name])]])))),
  );

const QUANTITIES = new Set(['value', 'averageValue']);

/** The API server writes quantities in their shortest form. */
function asStored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asStored);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => [name, QUANTITIES.has(name) ? quantityAsStored(own) : asStored(own)]),
  );
}

function quantityAsStored(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  try {
    return formatQuantity(parseQuantity(value));
  } catch (error) {
    if (error instanceof QuantityError) return value;
    throw error;
  }
}

export const autoscalerOf = (terms: Terms, spec: Record<string, Json>): KubernetesObject =>
  ({
    apiVersion: AUTOSCALERS.apiVersion,
    kind: AUTOSCALERS.kind,
    metadata: {
      name: terms.name,
      namespace: terms.namespace,
      labels: { [TRAINING_JOB]: terms.name },
      ownerReferences: [ownerReferenceOf(terms)],
    },
    spec,
  }) as KubernetesObject;
