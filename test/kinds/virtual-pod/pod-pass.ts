// One plan of a pod on a virtual node, as its pass would get it: the pod, what is kept, what its node decided, what the provider shows.
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { NODES } from '../../../lib/objects/resources.ts';
import type { Task } from '../../../lib/objects/task.ts';
import { virtualPodFacts, type VirtualPod } from '../../../lib/kinds/virtual-pod/facts.ts';
import type { Kept } from '../../../lib/kinds/virtual-pod/kept.ts';
import { MADE_BY } from '../../../lib/kinds/virtual-pod/node-options.ts';
import { virtualPodRow } from '../../../lib/kinds/virtual-pod/row.ts';
import type { PodDecision } from '../../../lib/kinds/preemption/node/node-decision.ts';
import {
  EMPTY_HEAD,
  readKeyOf,
  sightKeyOf,
  type Action,
  type FailedCall,
  type Plan,
  type ProviderCall,
  type Snapshot,
} from '../../../lib/kinds/rows/plan.ts';
import { podSetOf } from '../../../lib/kinds/rows/pod-set.ts';

export const NOW = new Date('2026-05-01T10:00:00Z');
export const UID = '11111111-2222-3333-4444-555555555555';
const NODE = { name: 'edge', uid: 'uid-of-edge' };

export const aPod = (change: { metadata?: object; spec?: object; status?: object } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'nginx',
    namespace: 'default',
    uid: UID,
    resourceVersion: '123',
    creationTimestamp: '2026-05-01T09:00:00Z',
    ...change.metadata,
  },
  spec: { nodeName: NODE.name, restartPolicy: 'Always', containers: [{ name: 'main', image: 'nginx:1' }], ...change.spec },
  status: { phase: 'Pending', ...change.status },
});

/** As relay and passes know it. */
export const factsOf = (pod: Pod): VirtualPod => virtualPodFacts.factsOf(pod) as VirtualPod;

export const digestOf = (pod: Pod): string => factsOf(pod).spec.digest;

export const running = (change: Partial<Task> = {}): Task => ({
  uid: UID,
  attempt: 1,
  namespace: 'default',
  name: 'nginx',
  version: 3,
  hasEnded: false,
  status: {
    phase: 'Running',
    startTime: '2026-05-01T09:59:00Z',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: '2026-05-01T09:59:00Z' } } }],
  },
  ...change,
});

export const ended = (exitCode: number): Task =>
  running({
    hasEnded: true,
    version: 5,
    status: {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      containerStatuses: [
        { name: 'main', ready: false, restartCount: 0, state: { terminated: { exitCode, finishedAt: '2026-05-01T09:59:59Z' } } },
      ],
    },
  });

export const admitted: PodDecision = { uid: UID, namespace: 'default', name: 'nginx', state: 'admitted', sequence: 1 };

/** Of a pod whose task was started a minute ago. */
export const ordered = (pod: Pod, more: Partial<Kept> = {}): Kept => ({
  attempt: 1,
  node: NODE,
  ordered: { atMs: NOW.getTime() - 60_000, digest: digestOf(pod), isTaken: true },
  seen: 3,
  ...more,
});

export interface Given {
  pod?: Pod;
  kept?: Kept;
  decision?: PodDecision | undefined;
  task?: Task | undefined;
  failedCall?: FailedCall;
  calls?: readonly ProviderCall[];
  now?: Date;
}

export type PodPlan = Plan<object> & { kept: Kept };

export function planOf({ pod = aPod(), kept, decision = admitted, task, failedCall, calls, now = NOW }: Given = {}): PodPlan {
  const given = {
    owner: pod,
    pods: podSetOf([]),
    head: EMPTY_HEAD,
    manages: ['virtual-nodes'],
    options: { 'virtual-node': 'edge=simulated' },
    isWhole: true,
    kept,
    read: new Map([
      [
        readKeyOf({ resource: NODES, namespace: '', name: NODE.name }, 'default'),
        { objects: [{ metadata: { ...NODE, annotations: { [MADE_BY]: 'simulated' } } }] },
      ],
    ]),
    sights: new Map<string, unknown>([
      [
        sightKeyOf({ sight: 'workloads', workloads: [{ kind: 'VirtualNode', namespace: '', ...NODE }] }),
        { [NODE.uid]: { decision: { latest: 1, told: 1, pods: [decision].filter(Boolean) } } },
      ],
      [sightKeyOf({ sight: 'task', node: NODE.name, uid: UID, attempt: 1 }), task ?? null],
    ]),
    ...(failedCall && { failedCall }),
    ...(calls && { calls }),
  } as unknown as Snapshot<never>;
  const plan = virtualPodRow.planner.plan(given, now);
  return { ...plan, kept: plan.head.kept as Kept };
}

export const callsIn = ({ actions }: Plan<object>): string[] => actions.flatMap((action) => (action.verb === 'call' ? [action.call] : []));

export const eventsIn = ({ actions }: Plan<object>): string[] =>
  actions.flatMap((action) => (action.verb === 'event' ? [`${action.type} ${action.reason}: ${action.message}`] : []));

export const statusIn = ({ actions }: Plan<object>): Record<string, unknown> | undefined =>
  actions.find((action): action is Extract<Action, { verb: 'status' }> => action.verb === 'status')?.status as never;

export const deletesIn = ({ actions }: Plan<object>): object[] => actions.filter(({ verb }) => verb === 'delete');
