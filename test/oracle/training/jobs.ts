// The jobs that stories are about: small ones, of one container a pod.
import { FRAMEWORKS } from '../../../lib/kinds/training/frameworks/all.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import type { TrainingJob } from './story.ts';

export interface Replicas {
  replicas?: number;
  restartPolicy?: string;
  /** Of the template, besides its container. */
  metadata?: object;
  /** Of the template's spec. */
  pod?: object;
  /** Of the container. */
  container?: object;
}

/** A job of that kind. @param types by replica type: a number stands for so many of the default policy. @param spec besides them */
export function job(kind: string, types: Record<string, number | Replicas>, spec: Record<string, unknown> = {}): TrainingJob {
  const framework = FRAMEWORKS.find((one) => one.kind === kind);
  if (!framework) throw new Error(`no framework has the kind ${kind}`);
  const specs = Object.entries(types).map(([type, of]) => {
    const { replicas, restartPolicy, metadata, pod, container } = typeof of === 'number' ? { replicas: of } : of;
    return [
      type,
      {
        ...(replicas !== undefined && { replicas }),
        ...(restartPolicy !== undefined && { restartPolicy }),
        template: {
          ...(metadata && { metadata }),
          spec: { containers: [{ name: framework.container, image: 'registry.example/train:1', ...container }], ...pod },
        },
      },
    ];
  });
  return {
    apiVersion: 'kubeflow.org/v1',
    kind,
    metadata: { name: 'j' },
    spec: { ...spec, [framework.replicasField]: Object.fromEntries(specs) as object },
  };
}

/** A pod of somebody else's, or of nobody's. */
export const podNamed = (name: string, metadata: object = {}): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'main', image: 'registry.example/other:1' }] },
  }) as KubernetesObject;
