// A node's decision on one pod, in words for people.
import type { PodDecision } from '../preemption/node/node-decision.ts';

/** @param nameByUid namespace and name of the pods that it speaks of */
export function decisionText(
  { namespace, name, state, rejection, preemption, eviction }: PodDecision,
  node: string,
  nameByUid: ReadonlyMap<string, string>,
): string {
  const pod = `${namespace}/${name}`;
  if (eviction) return `${node} evicts ${pod}${eviction.by === undefined ? '' : ` for ${nameByUid.get(eviction.by) ?? eviction.by}`}`;
  if (rejection) return `${node} rejects ${pod}: ${rejection.message}`;
  const victims = (preemption?.victims ?? []).map(({ uid }) => nameByUid.get(uid) ?? uid);
  if (state === 'preempting')
    return `${node} keeps a place for ${pod} until others have ended${victims.length > 0 ? `: ${victims.join(', ')}` : ''}`;
  return state === 'admitted' ? `${node} admits ${pod}` : `${node} does not admit ${pod} any more: it is being deleted, or has ended`;
}
