// Stories of pods on a virtual node: what runs is at its provider, and the node decides who may.
import type { Pod, WorkloadObject } from '../../../../lib/objects/kubernetes.ts';
import { NODES, PODS } from '../../../../lib/objects/resources.ts';
import { nodeObject } from '../../../../lib/kinds/virtual-node/node-object.ts';
import { NODE_OPTIONS, virtualNodesIn } from '../../../../lib/kinds/virtual-pod/node-options.ts';
import type { SimApiServer } from '../../api-server.ts';
import { scriptAnnotations } from '../../../script-annotations.ts';
import type { Scenario } from '../../scenario.ts';
import type { HandsOfKind } from '../table.ts';

export const NODE = 'edge';
const OPTIONS = { [NODE_OPTIONS.node]: `${NODE}=simulated`, [NODE_OPTIONS.cpu]: `${NODE}=2` };

type Act = (api: SimApiServer) => Promise<unknown>;

const makeNode =
  (options: Readonly<Record<string, string>>): Act =>
  (api) => {
    const [settings] = virtualNodesIn(options);
    if (!settings) throw new Error('the options make no node');
    return api.as('POST', NODES, { body: nodeObject(settings) });
  };

interface Bound {
  cpu?: string;
  /** Instead of a request of cpu. */
  resources?: object;
  /** What the simulated provider does with it, without the prefix. */
  script?: Readonly<Record<string, string>>;
  restartPolicy?: string;
  graceSeconds?: number;
  isCritical?: boolean;
  priority?: number;
}

/** A pod that is bound to the node from its first moment. */
export const boundPod = (
  name: string,
  {
    cpu = '500m',
    resources = { requests: { cpu } },
    script = { 'run-seconds': '2' },
    restartPolicy = 'Never',
    graceSeconds = 5,
    isCritical,
    priority,
  }: Bound = {},
): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations: scriptAnnotations(script) },
  spec: {
    nodeName: NODE,
    restartPolicy,
    terminationGracePeriodSeconds: graceSeconds,
    ...(priority !== undefined && { priority }),
    ...(isCritical && { priorityClassName: 'system-node-critical', priority: 2_000_001_000 }),
    containers: [{ name: 'main', image: 'none', resources }],
  },
});

const bind =
  (name: string, bound: Bound = {}): Act =>
  (api) =>
    api.as('POST', PODS, { body: boundPod(name, bound) });

export const remove =
  (name: string, gracePeriodSeconds?: number): Act =>
  (api) =>
    api.as('DELETE', PODS, {
      name,
      body: { kind: 'DeleteOptions', apiVersion: 'v1', ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) },
    });

const label =
  (name: string): Act =>
  (api) =>
    api.as('PATCH', PODS, { name, body: { metadata: { labels: { changed: 'yes' } } }, type: 'application/merge-patch+json' });

const FOR_EVER = { 'run-seconds': '100000' };

export const story = ({
  acts,
  options = OPTIONS,
  ...of
}: Pick<Scenario, 'name' | 'acts' | 'ends' | 'withinMs'> & Partial<Scenario>): Scenario => ({
  clusters: ['west'],
  virtualNode: NODE,
  options,
  spares: ['podIsDeleted', 'podIsForcedAway', 'ownerIsRecreated', 'namespaceEnds'],
  fateOf: () => ({ startsAfterMs: 0, runsMs: 0, exitCode: undefined }),
  acts: [{ atMs: 300, act: makeNode(options) }, ...acts],
  ...of,
});

export const VIRTUAL_NODE_STORIES: readonly Scenario[] = [
  story({
    name: 'virtual-runs',
    acts: [
      { atMs: 1_000, act: bind('a') },
      { atMs: 1_000, act: bind('b', { script: { 'run-seconds': '1', 'exit-codes': '3' } }) },
    ],
    ends: { a: { end: 'Complete' }, b: { end: 'Failed' } },
    withinMs: 4_500,
  }),
  story({
    name: 'virtual-deleted',
    acts: [
      { atMs: 1_000, act: bind('a', { script: FOR_EVER }) },
      { atMs: 3_000, act: remove('a') },
    ],
    ends: { a: { end: 'gone' } },
    withinMs: 4_500,
  }),
  story({
    name: 'virtual-deleted-early',
    acts: [
      { atMs: 1_000, act: bind('a', { script: { ...FOR_EVER, 'ignore-stop': '2' } }) },
      { atMs: 1_020, act: remove('a') },
      { atMs: 1_500, act: bind('b') },
    ],
    ends: { a: { end: 'gone' }, b: { end: 'Complete' } },
    withinMs: 5_200,
  }),
  story({
    name: 'virtual-forced',
    acts: [
      { atMs: 1_000, act: bind('a', { script: FOR_EVER }) },
      { atMs: 3_000, act: remove('a', 0) },
      // The same name, another pod.
      { atMs: 3_100, act: bind('a') },
    ],
    ends: { a: { end: 'Complete' } },
    withinMs: 7_500,
  }),
  story({
    name: 'virtual-critical',
    acts: [
      { atMs: 1_000, act: bind('a', { cpu: '1', script: FOR_EVER }) },
      { atMs: 1_500, act: bind('b', { cpu: '1', script: FOR_EVER }) },
      { atMs: 4_000, act: bind('c', { cpu: '1500m', isCritical: true }) },
    ],
    ends: { a: { end: 'Failed' }, b: { end: 'Failed' }, c: { end: 'Complete' } },
    withinMs: 9_500,
    // A victim whose pass is lost is waited for until its deadline.
    struckMs: 12_000,
  }),
  story({
    name: 'virtual-two-critical',
    acts: [
      { atMs: 1_000, act: bind('a', { cpu: '1', script: { ...FOR_EVER, 'ignore-stop': '3' } }) },
      { atMs: 1_500, act: bind('b', { cpu: '1', script: FOR_EVER }) },
      { atMs: 4_000, act: bind('c', { cpu: '1', isCritical: true }) },
      { atMs: 4_000, act: bind('d', { cpu: '1', isCritical: true }) },
    ],
    ends: { a: { end: 'Failed' }, b: { end: 'Failed' }, c: { end: 'Complete' }, d: { end: 'Complete' } },
    withinMs: 14_000,
  }),
  story({
    name: 'virtual-full',
    acts: [
      { atMs: 1_000, act: bind('a', { cpu: '1500m', script: FOR_EVER }) },
      // Times of creation are whole seconds.
      { atMs: 2_500, act: bind('b', { cpu: '1' }) },
    ],
    ends: { a: { end: 'steady' }, b: { end: 'Failed' } },
    withinMs: 4_000,
  }),
  story({
    name: 'virtual-lost',
    acts: [
      { atMs: 1_000, act: bind('a', { script: { ...FOR_EVER, lose: '2' } }) },
      { atMs: 1_000, act: bind('b', { script: { 'run-seconds': '2', 'fail-create': '2: no capacity' } }) },
    ],
    ends: { a: { end: 'Failed' }, b: { end: 'Complete' } },
    withinMs: 19_000,
    // A task that nobody has seen is lost no sooner than after two minutes.
    struckMs: 130_000,
  }),
  story({
    name: 'virtual-changed',
    acts: [
      { atMs: 1_000, act: bind('a', { script: { 'run-seconds': '4' } }) },
      { atMs: 2_500, act: label('a') },
    ],
    ends: { a: { end: 'Complete' } },
    withinMs: 7_500,
  }),
];

/** The others have thousands of calls. */
export const VIRTUAL_NODE_CORE_STORIES: readonly string[] = ['virtual-runs', 'virtual-deleted', 'virtual-forced'];

export const VIRTUAL_NODE_HANDS: HandsOfKind = {};

export const isRunning = (owner: WorkloadObject): boolean => (owner as unknown as Pod).status?.phase === 'Running';
