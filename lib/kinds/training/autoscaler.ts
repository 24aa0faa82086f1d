// The HorizontalPodAutoscaler of an elastic PyTorchJob with metrics.
import type { Terms } from './framework.ts';
import { canonicalText } from '../../objects/child-state.ts';
import type { Json, KubernetesObject } from '../../objects/kubernetes.ts';
import type { Resource } from '../../objects/resources.ts';
import { fieldsOf } from '../../objects/untyped-fields.ts';
import { digestOf } from './digest.ts';
import { TRAINING_JOB } from './slots.ts';
import { ownerReferenceOf } from './terms.ts';

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
    metrics,
  };
}

const OWN_FIELDS = ['scaleTargetRef', 'minReplicas', 'maxReplicas', 'metrics'];

export const autoscalerPartOf = (scaler: KubernetesObject): Json => ({
  digest: digestOfAutoscaler(fieldsOf((scaler as { spec?: unknown }).spec)),
});

export const digestOfAutoscaler = (spec: Record<string, unknown>): string =>
  digestOf(canonicalText(Object.fromEntries(OWN_FIELDS.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])))));

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
