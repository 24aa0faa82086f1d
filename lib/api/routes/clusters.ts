// Routes about clusters.
import * as v from 'valibot';
import { Cluster, ObjectsOnCluster } from '../answers/clusters.ts';
import { listClusters } from '../clusters.ts';
import { objectsOnCluster } from '../objects-on-cluster.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { kindNamed, only } from './parameters.ts';
import { route } from './route.ts';

export const clusterRoutes = [
  route('GET /v1/clusters', {
    summary: 'Registered clusters',
    answer: v.object({ items: v.array(Cluster) }),
    handle: async (ports) => ({ items: await listClusters(ports) }),
  }),
  route('GET /v1/clusters/{cluster}/{kind}/{name}', {
    summary:
      'Objects of that kind (as in `jobs`) and name as the cluster has them now, whoever manages them; not live where the API holds no credentials of clusters',
    query: { namespace: only('namespace') },
    answer: ObjectsOnCluster,
    errors: { 404: 'there is no such cluster or kind' },
    async handle(ports, { path: { cluster, kind, name }, query: { namespace } }) {
      const found = await objectsOnCluster(ports, { cluster, facts: kindNamed(kind), name, namespace });
      if (!found) throw new RefusedRequestError(404, `there is no cluster ${cluster}`);
      return found;
    },
  }),
] as const;
