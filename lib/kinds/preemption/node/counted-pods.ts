// Which pods take room on a node, and which of them are going to stay.
import type { Pod } from '../../../objects/kubernetes.ts';
import type { PodDecision } from './node-decision.ts';
import { podTaking, roomOf } from './room.ts';

export interface CountedPod {
  decision: PodDecision;
  /** As listed; of a pod that is in no list, one that takes the same room. */
  pod: Pod;
  /**
   * - `staying`: admitted, and nothing ends it.
   * - `reserved`: its room is kept until it is admitted.
   * - `ending`: something ends it, and it may still run.
   */
  standing: 'staying' | 'reserved' | 'ending';
}

export const uidOf = ({ metadata }: Pick<Pod, 'metadata'>): string => metadata.uid ?? '';

/** Its phase is final. Something of it may still run. */
export const isPhaseFinal = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** In the order of admission. @param listed the node's pods by uid */
export function countedPods(decisions: Iterable<PodDecision>, listed: ReadonlyMap<string, Pod>): CountedPod[] {
  const counted: CountedPod[] = [];
  for (const decision of decisions) {
    const { state, hasEnded, room } = decision;
    if (hasEnded || (state !== 'admitted' && state !== 'preempting')) continue;
    const pod = listed.get(decision.uid);
    counted.push({
      decision,
      pod: pod ?? podTaking(decision, room ?? { requests: {} }),
      standing: state === 'preempting' ? 'reserved' : standingOf(decision, pod),
    });
  }
  return counted;
}

function standingOf({ eviction }: PodDecision, pod: Pod | undefined): 'staying' | 'ending' {
  const isEnding = pod === undefined || eviction !== undefined || pod.metadata.deletionTimestamp !== undefined || isPhaseFinal(pod);
  return isEnding ? 'ending' : 'staying';
}

export const newDecision = (pod: Pod, { sequence, state }: Pick<PodDecision, 'sequence' | 'state'>): PodDecision => ({
  uid: uidOf(pod),
  namespace: pod.metadata.namespace ?? '',
  name: pod.metadata.name ?? '',
  state,
  sequence,
  ...((state === 'admitted' || state === 'preempting') && { room: roomOf(pod) }),
});
