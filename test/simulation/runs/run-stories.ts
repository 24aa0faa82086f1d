// The stories that runs are told in: each is met by every single fault, and by storms of them.
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { aPod, asking } from '../../kinds/run-once/run-world.ts';
import type { Story } from './run-story.ts';

const running = (name: string, command: string, annotations: Record<string, string> = {}): Pod => {
  const pod = aPod(name, {
    restartPolicy: 'Never',
    containers: [{ name: 'main', image: 'i', command: ['sh', '-c', command], resources: { requests: { cpu: '1' } } }],
  });
  return { ...pod, metadata: { ...pod.metadata, annotations } };
};
const tooLarge = aPod('large', { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '1000' } } }] });

const critical = (name: string, cpu: string): Pod => {
  const pod = running(name, 'sleep 3');
  const containers = pod.spec.containers.map((container) => ({ ...container, resources: { requests: { cpu } } }));
  return { ...pod, spec: { ...pod.spec, priority: 2_000_000_000, containers } };
};
const bound = (name: string, spec: Record<string, unknown>): Pod =>
  aPod(name, { terminationGracePeriodSeconds: 2, nodeName: 'edge', ...spec });

export const STORIES: readonly Story[] = [
  { name: 'two servers come up', pods: [running('a', 'sleep 600'), running('b', 'sleep 600')], ends: {} },
  {
    name: 'commands run to their ends, one of them badly',
    pods: [running('good', 'sleep 3'), running('bad', 'sleep 1; exit 3'), tooLarge],
    options: { until: 'completed', parallelism: 2, logs: 5 },
    ends: { bad: 'failed: Error: container "main" exited with code 3' },
  },
  {
    name: 'tasks are deleted at the end',
    pods: [running('a', 'sleep 600'), running('b', 'sleep 1')],
    options: { until: 'started', cleanup: 'always' },
    ends: {},
  },
  {
    name: 'cancelled while it runs',
    pods: [running('a', 'sleep 600'), running('b', 'sleep 600')],
    options: { until: 'completed' },
    cancelAfterSeconds: 4,
    ends: { a: 'run cancelled', b: 'run cancelled' },
    mayNotRun: true,
  },
  {
    name: 'the provider refuses one of them',
    pods: [running('a', 'sleep 600'), running('refused', 'true', { 'sim.farloop.dev/fail-create': 'InvalidInput: no such image' })],
    options: { rejected: 'fail' },
    ends: { refused: 'error syncing pod "refused_ns(refused)": no such image' },
    mayNotRun: true,
  },
  {
    name: 'a critical pod takes the place of a pod of the cluster',
    pods: [critical('urgent', '60')],
    options: { until: 'completed', capacity: 'node', preempt: true },
    cluster: {
      pods: [bound('victim', asking('8')), bound('critical-too', { priority: 2_000_000_000, ...asking('2') })],
      evicts: ['victim'],
    },
    ends: {},
  },
  {
    name: 'mirror pods show the ends of their pods',
    pods: [running('good', 'sleep 3'), running('bad', 'sleep 1; exit 3')],
    options: { until: 'completed', mirror: true },
    cluster: { pods: [bound('other', {})], evicts: [] },
    ends: { bad: 'failed: Error: container "main" exited with code 3' },
  },
];
