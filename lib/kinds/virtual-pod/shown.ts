// How a pod on a virtual node is displayed: by its phase, and by what its passes noted last.
import { isFields, textOf } from '../../objects/values/untyped-fields.ts';
import { defineShown } from '../rows/kind-shown.ts';
import { obstaclesOf, type Reason } from '../rows/reasons.ts';
import type { Standing } from '../rows/state.ts';
import { virtualPodFacts, type VirtualPod } from './facts.ts';

export const virtualPodShown = defineShown<VirtualPod>(virtualPodFacts, {
  reasons: {
    WaitsForNode: 'Waiting',
    WaitsForEnvironment: 'Waiting',
    WaitsForProvider: 'Waiting',
    RunsAtProvider: 'Running',
    Ended: undefined,
  },
  reasonsOf: ({ owner, kept }, _now, circumstances): Reason[] => {
    const { phase, reason, message } = owner.status ?? {};
    const obstacles = obstaclesOf(circumstances);
    if (phase === 'Succeeded' || phase === 'Failed')
      return [
        {
          code: 'Ended',
          text: `it ${phase === 'Succeeded' ? 'succeeded' : 'failed'}${reason ? `: ${reason}${message ? `: ${message}` : ''}` : ''}`,
        },
      ];
    const note = isFields(kept) ? textOf(kept['note']) : '';
    return [
      ...obstacles,
      {
        code: phase === 'Running' ? 'RunsAtProvider' : waitOf(kept),
        text: note === '' ? 'no pass has decided anything yet: the latest passes say why' : note,
      },
    ];
  },
  unmanagedText: () => 'it is on none of the virtual nodes: ask for the workload that it belongs to, as in job/demo',
  standingOf: ({ status }): Standing | undefined => {
    const { phase, reason } = status ?? {};
    if (phase === 'Succeeded') return { state: 'Succeeded' };
    if (phase === 'Failed') return { state: 'Failed', ...(reason !== undefined && reason !== '' && { reason }) };
    return undefined;
  },
  // Lists are narrowed by it.
  fields: [{ name: 'nodeName', in: 'spec', is: 'text' }],
  figuresOf: (owner) => {
    const { containerStatuses = [] } = owner?.status ?? {};
    const of = owner?.spec.containers.length;
    return [
      { name: 'ready', value: containerStatuses.filter(({ ready }) => ready).length, ...(of !== undefined && { of }) },
      { name: 'restarts', value: containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0) },
    ];
  },
  lettingGoText: () => 'the pod is gone: what may still run for it is stopped as soon as its provider answers',
  eventsPerPod: new Set(['Preempting']),
  hiddenStatus: new Set(['qosClass']),
});

/** As its passes noted: it waits for a word of its node, for an object that its environment names, or for the provider. */
function waitOf(kept: unknown): 'WaitsForNode' | 'WaitsForEnvironment' | 'WaitsForProvider' {
  const { failures, ordered } = isFields(kept) ? kept : {};
  // A start that was ordered since has had its environment.
  if (isFields(ordered)) return 'WaitsForProvider';
  if (isFields(failures)) return failures['isUnresolved'] === true ? 'WaitsForEnvironment' : 'WaitsForProvider';
  return 'WaitsForNode';
}
