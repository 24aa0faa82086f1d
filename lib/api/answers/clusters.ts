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
  states: v.array(v.object({ state: clusterState, sinceTime: v.exactOptional(time), reason: text })),
  manages: managesWords,
  takesOnly: v.exactOptional(v.pipe(text, v.description('Which workloads alone are managed, where that is not all of a kind.'))),
  manage: manageOfBefore,
  namespaces: v.pipe(v.array(text), v.description('Empty: all.')),
  era: count,
  kubeSystemUid: v.exactOptional(text),
  budget: v.object({ writesPerSecond: number, burst: number }),
  access: v.picklist(['direct', 'relayed']),
  identity: v.exactOptional(v.picklist(['user', 'irsa', 'pod-identity'])),
  credential: v.exactOptional(v.picklist(['service-account', 'kubeconfig', 'eks'])),
  relayNamespace: v.exactOptional(text),
  eks: v.exactOptional(v.object({ name: text, region: text })),
  options: v.exactOptional(v.pipe(v.record(text, text), v.description('Options of kinds, by flag without dashes.'))),
  left: v.object({ writes: number, closedForSeconds: number }),
  backlog: count,
  draining: v.exactOptional(v.literal(true)),
  leaving: v.exactOptional(v.literal(true)),
  relay: v.exactOptional(
    v.object({
      session: text,
      heardTime: time,
      silentForSeconds: count,
      clockOffsetMs: number,
      watches: v.array(v.object({ resource: text, ageSeconds: whole, resourceVersion: text })),
      suspects: count,
    }),
  ),
});

export const ObjectsOnCluster = v.object({
  live: v.pipe(yes, v.description('False: the cluster was not read, so an empty list proves nothing.')),
  problem: v.exactOptional(text),
  manages: managesWords,
  manage: manageOfBefore,
  namespaces: v.array(text),
  items: v.array(v.object({ namespace: text, name: text, uid: text, managedBy: v.exactOptional(text), managed: yes })),
});
