// A cluster for Jobs whose API server also serves the seven kinds of training jobs, by the definitions that `farloop crds` prints.
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';
import { comesAbout } from '../claims.ts';
import { startJobsCluster, type JobsCluster, type JobsClusterOptions } from './jobs-cluster.ts';
import { trainingDefinitions } from '../kinds/training/definition/definitions.ts';

const DEFINITIONS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

interface Definition {
  spec: { group: string; names: { kind: string; plural: string } };
}

const RESOURCES: ReadonlyMap<string, Resource> = new Map(
  (trainingDefinitions() as unknown as Definition[]).map(({ spec: { group, names } }) => [
    names.kind,
    { apiVersion: `${group}/v1`, kind: names.kind, plural: names.plural, namespaced: true },
  ]),
);

/** All seven. */
export const trainingResources = (): Resource[] => [...RESOURCES.values()];

/** How a kind of training job is asked for. @throws Error when there is no such kind */
export function resourceOf(kind: string): Resource {
  const resource = RESOURCES.get(kind);
  if (!resource) throw new Error(`${kind} is none of ${[...RESOURCES.keys()].join(', ')}`);
  return resource;
}

const SERVED_MS = 30_000;

/** Everything of a control plane but its Job controller. @throws Error when the API server does not serve a kind within 30 s */
export async function startTrainingCluster(options: Partial<JobsClusterOptions> = {}): Promise<JobsCluster> {
  const cluster = await startJobsCluster({ controllers: '*,-job', ...options });
  try {
    for (const definition of trainingDefinitions()) await cluster.api.create<KubernetesObject>(DEFINITIONS, definition, cluster.soon());
    for (const [kind, resource] of RESOURCES) {
      const isServed = (): Promise<boolean> =>
        cluster.api.list(resource, { namespace: 'default' }, cluster.soon()).then(
          () => true,
          () => false,
        );
      if (!(await comesAbout(isServed, SERVED_MS))) throw new Error(`the API server does not serve ${kind} within ${SERVED_MS / 1000} s`);
    }
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
