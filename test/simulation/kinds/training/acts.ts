// What people do in a story of a training job.
import { PODS, type Resource, SERVICES } from '../../../../lib/objects/resources.ts';
import type { Framework } from '../../../../lib/kinds/training/terms/framework.ts';
import { NAMESPACE, type SimApiServer } from '../../api-server.ts';

const MERGE = 'application/merge-patch+json';
const DELETE = { kind: 'DeleteOptions', apiVersion: 'v1' };

type Act = (api: SimApiServer) => Promise<unknown>;

export interface Wanted {
  /** By type. */
  replicas: Readonly<Record<string, number>>;
  restartPolicy?: string;
  runPolicy?: object;
  /** Further fields of the spec. */
  policy?: object;
}

export const resourceOf = ({ kind, plural }: Framework): Resource => ({ apiVersion: 'kubeflow.org/v1', kind, plural, namespaced: true });

const replicasIn = ({ container }: Framework, { replicas, restartPolicy }: Wanted): object =>
  Object.fromEntries(
    Object.entries(replicas).map(([type, count]) => [
      type,
      {
        replicas: count,
        ...(restartPolicy !== undefined && { restartPolicy }),
        template: { spec: { containers: [{ name: container, image: 'example.com/train' }] } },
      },
    ]),
  );

export const submit =
  (framework: Framework, name: string, wanted: Wanted): Act =>
  (api) =>
    api.as('POST', resourceOf(framework), {
      namespace: NAMESPACE,
      body: {
        apiVersion: 'kubeflow.org/v1',
        kind: framework.kind,
        metadata: { name },
        spec: {
          runPolicy: { cleanPodPolicy: 'All', ...wanted.runPolicy },
          ...wanted.policy,
          [framework.replicasField]: replicasIn(framework, wanted),
        },
      },
    });

export const change =
  (framework: Framework, name: string, spec: object): Act =>
  (api) =>
    api.as('PATCH', resourceOf(framework), { name, body: { spec }, type: MERGE });

export const withdraw =
  (framework: Framework, name: string): Act =>
  (api) =>
    api.as('DELETE', resourceOf(framework), { name, body: { ...DELETE, propagationPolicy: 'Background' } });

export const removePod =
  (name: string): Act =>
  (api) =>
    api.as('DELETE', PODS, { name, body: DELETE });

/** Nothing if it has not succeeded by then: faults may have held its job up. */
export const removeSucceededPod =
  (name: string): Act =>
  async (api) => {
    const pod = api.pods().find(({ metadata }) => metadata.name === name);
    return pod?.status?.phase === 'Succeeded' ? await removePod(name)(api) : undefined;
  };

export const removeService =
  (name: string): Act =>
  (api) =>
    api.as('DELETE', SERVICES, { name, body: DELETE });

/** Somebody else's pod has the name of a replica. */
export const takeName =
  (name: string): Act =>
  (api) =>
    api.as('POST', PODS, {
      namespace: NAMESPACE,
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'other', image: 'example.com/other' }] } },
    });
