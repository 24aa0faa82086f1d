// How a virtual node is displayed: by its condition Ready, and by the pods that it has decided on.
import type { Condition } from '../../objects/kubernetes.ts';
import { fieldsOf, listOf } from '../../objects/values/untyped-fields.ts';
import { defineShown } from '../rows/kind-shown.ts';
import { obstaclesOf, type Reason } from '../rows/reasons.ts';
import { problemOfNode } from '../virtual-pod/node-options.ts';
import { virtualNodeFacts, type VirtualNode } from './facts.ts';

const readyOf = ({ status }: VirtualNode): Condition | undefined =>
  ((status?.['conditions'] ?? []) as Condition[]).find(({ type }) => type === 'Ready');

export const virtualNodeShown = defineShown<VirtualNode>(virtualNodeFacts, {
  reasons: { TakesPods: 'Running', Cordoned: 'Running', ProviderNotReady: 'Waiting', ServedByAnother: 'Waiting' },
  reasonsOf: ({ owner, kept }, _now, circumstances): Reason[] => {
    const foreign = problemOfNode(owner);
    if (foreign !== undefined) return [{ code: 'ServedByAnother', text: foreign }];
    const ready = readyOf(owner);
    const obstacles = obstaclesOf(circumstances);
    if (ready?.status !== 'True')
      return [...obstacles, { code: 'ProviderNotReady', text: ready?.message ?? 'no pass has looked at it yet' }];
    const pods = listOf(fieldsOf(fieldsOf(kept)['decision'])['pods']);
    const count = (state: string): number => pods.filter((pod) => pod['state'] === state && pod['hasEnded'] !== true).length;
    const waits = count('preempting');
    const isCordoned = fieldsOf(owner.spec)['unschedulable'] === true;
    const taking = isCordoned ? 'it is cordoned and takes no new pods' : 'it takes pods';
    const text = `${taking}: ${count('admitted')} admitted${waits > 0 ? `, ${waits} waiting until others have ended` : ''}`;
    return [...obstacles, { code: isCordoned ? 'Cordoned' : 'TakesPods', text }];
  },
});
