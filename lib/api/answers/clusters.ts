// Clusters in the API's answers.
import * as v from 'valibot';
import { CLUSTER_STATES } from '../../reconciler/cluster/cluster-state.ts';
import { count, number, text, time, whole, yes } from './values.ts';

const clusterState = v.picklist(CLUSTER_STATES);

export const managesWords = v.pipe(v.array(text), v.description('Which kinds are managed: the words of --manage.'));
export const manageOfBefore = v.pipe(
  v.picklist(['own', 'all']),
  v.metadata({ written: { deprecated: true }, description: 'What of Jobs is managed, where any is; `manages` says all.' }),
);

export const Cluster = v.object({
  name: text,
  state: v.pipe(clusterState, v.description('The one that says most of those that hold.')),
  states: v.pipe(
    v.array(
      v.object({
        state: clusterState,
        sinceTime: v.exactOptional(v.pipe(time, v.description('Absent where it is not known.'))),
        reason: v.pipe(text, v.description('A sentence for people.')),
      }),
    ),
    v.description('Every one that holds, the most important first; never empty.'),
  ),
  manages: managesWords,
  takesOnly: v.exactOptional(v.pipe(text, v.description('Which workloads alone are managed, where that is not all of a kind.'))),
  manage: manageOfBefore,
  namespaces: v.pipe(v.array(text), v.description('Empty: all.')),
  era: count,
  kubeSystemUid: v.exactOptional(text),
  budget: v.object({ writesPerSecond: number, burst: number }),
  access: v.pipe(
    v.picklist(['direct', 'relayed']),
    v.description('How passes reach the cluster: they call its API server, or its relay carries out their commands.'),
  ),
  identity: v.exactOptional(v.picklist(['user', 'irsa', 'pod-identity'])),
  credential: v.exactOptional(v.picklist(['service-account', 'kubeconfig', 'eks'])),
  relayNamespace: v.exactOptional(text),
  eks: v.exactOptional(v.object({ name: text, region: text })),
  options: v.exactOptional(v.pipe(v.record(text, text), v.description('Options of kinds, by flag without dashes.'))),
  left: v.pipe(
    v.object({ writes: number, closedForSeconds: number }),
    v.description('Of the write budget: writes that may go at once, and how long the API server has asked all clients to wait.'),
  ),
  backlog: v.pipe(count, v.description('Workloads with a pass under way or waiting, among the oldest thousand of all clusters.')),
  draining: v.exactOptional(v.pipe(v.literal(true), v.description('Work that has begun is finished; no new work begins.'))),
  leaving: v.exactOptional(v.pipe(v.literal(true), v.description('It is being removed: passes do nothing on it any more.'))),
  relay: v.exactOptional(
    v.object({
      session: text,
      heardTime: time,
      silentForSeconds: count,
      clockOffsetMs: number,
      watches: v.array(
        v.object({
          resource: text,
          ageSeconds: v.pipe(whole, v.description('Since the watch last proved to be alive.')),
          resourceVersion: text,
        }),
      ),
      suspects: v.pipe(count, v.description('Workloads with a digest mismatch at the last heartbeat.')),
    }),
  ),
});

export const ObjectsOnCluster = v.object({
  live: v.pipe(yes, v.description('False: the cluster was not read, so an empty list proves nothing.')),
  problem: v.exactOptional(v.pipe(text, v.description('Why reading the cluster failed; absent if it was not tried.'))),
  manages: managesWords,
  manage: manageOfBefore,
  namespaces: v.array(text),
  items: v.array(
    v.object({
      namespace: text,
      name: text,
      uid: text,
      managedBy: v.exactOptional(v.pipe(text, v.description('The manager that the object names.'))),
      managed: v.pipe(yes, v.description('Whether Farloop manages it there.')),
    }),
  ),
});
