// The workload whose view is written and read, and what is heard of its pods.
import type { PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import type { ClusterRecord } from '../../lib/ports/clusters.ts';
import type { PodObservation } from '../../lib/wire/words/observations.ts';

export const KEY: WorkloadKey = { cluster: 'west', kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-1' };

export const RECORD: ClusterRecord = {
  name: 'west',
  era: 0,
  manages: ['all-jobs'],
  namespaces: [],
  senders: [],
  budget: { writesPerSecond: 1, burst: 1 },
  version: 1,
};

/** @param number of the pod, and its index unless `facts` say otherwise @param version at which it was heard */
export function observed(number: number, version: number, facts: Partial<PodFacts> = {}, deleted = false): PodObservation {
  const pod: PodFacts = {
    uid: `pod-${number}`,
    name: `demo-${number}`,
    namespace: 'default',
    resourceVersion: String(version),
    labels: {},
    index: String(number),
    number: 0,
    tracked: true,
    phase: 'Running',
    createdAt: 0,
    assigned: true,
    conditions: [],
    containers: [],
    ...facts,
  };
  return { heardAt: String(version), presence: deleted ? 'deleted' : 'there', child: pod };
}
