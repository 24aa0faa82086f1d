// What is kept of a cluster's own words about a pod that does not run.
import { describe, expect, test } from '@jest/globals';
import type { ContainerStatus, Pod, PodStatus } from '../../../lib/objects/kubernetes.ts';
import { podFactsOf } from '../../../lib/objects/pods/pod-facts.ts';
import { LONGEST_POD_REASON, MOST_POD_REASONS, podReasonText, podReasonsOf } from '../../../lib/objects/pods/pod-reasons.ts';

const podWith = (status: PodStatus): Pod => ({ metadata: { name: 'demo-0' }, spec: { containers: [] }, status });
const waiting = (reason: string, message?: string, name = 'main'): ContainerStatus => ({
  name,
  state: { waiting: { reason, ...(message !== undefined && { message }) } },
});

const cases: { name: string; status: PodStatus; says: string[] }[] = [
  {
    name: 'the scheduler found no node',
    status: {
      phase: 'Pending',
      conditions: [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available: 3 Insufficient cpu.' },
      ],
    },
    says: ['Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.'],
  },
  {
    name: 'scheduling gates',
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    says: ['SchedulingGated'],
  },
  {
    name: 'images of a container and of an init container',
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'True' }],
      initContainerStatuses: [waiting('ErrImagePull', 'no such image', 'prepare')],
      containerStatuses: [waiting('ImagePullBackOff', 'Back-off pulling image "nope"')],
    },
    says: ['ErrImagePull (container prepare): no such image', 'ImagePullBackOff (container main): Back-off pulling image "nope"'],
  },
  {
    name: 'a container that the kernel killed; of its message nothing, for a program may write that',
    status: {
      phase: 'Failed',
      initContainerStatuses: [{ name: 'prepare', state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
      containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 137, reason: 'OOMKilled', message: 'password=x' } } }],
    },
    says: ['OOMKilled (container main)'],
  },
  {
    name: 'an ordinary failure, which its exit code tells',
    status: { phase: 'Failed', containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 1, reason: 'Error' } } }] },
    says: [],
  },
  {
    name: 'a container that waits to be started again, with its last exit code',
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          ...waiting('CrashLoopBackOff', 'back-off 40s restarting failed container=main pod=demo-0'),
          lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        },
      ],
    },
    says: ['CrashLoopBackOff (container main): back-off restarting failed container, last exit code 137 (OOMKilled)'],
  },
  {
    name: 'what every pod passes through is no reason',
    status: {
      phase: 'Pending',
      initContainerStatuses: [waiting('PodInitializing', 'x', 'prepare')],
      containerStatuses: [waiting('ContainerCreating'), { name: 'b', state: { waiting: {} } }, { name: 'c', state: { running: {} } }],
    },
    says: [],
  },
  {
    name: 'a running pod says nothing',
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'x' }] },
    says: [],
  },
  {
    name: 'how long the kubelet waits, and for which pod, makes no difference',
    status: {
      phase: 'Running',
      containerStatuses: [
        waiting(
          'CrashLoopBackOff',
          'back-off 2m40s restarting failed container=main pod=demo-0_default(6b1f0d4e-0000-4000-8000-00000000a0b1)',
        ),
      ],
    },
    says: ['CrashLoopBackOff (container main): back-off restarting failed container'],
  },
  {
    name: 'an eviction is told once, though the condition tells it too',
    status: {
      phase: 'Failed',
      reason: 'Evicted',
      message: 'The node was low on resource: memory.',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: 'The node was low on resource' }],
    },
    says: ['Evicted: The node was low on resource: memory.'],
  },
  {
    name: 'a pod that is to go for the sake of others',
    status: {
      phase: 'Running',
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'default-scheduler: preempting' }],
    },
    says: ['PreemptionByScheduler: default-scheduler: preempting'],
  },
  {
    name: 'of a pod that has ended, what it once waited for is over',
    status: {
      phase: 'Failed',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
      containerStatuses: [waiting('ImagePullBackOff')],
    },
    says: [],
  },
  {
    name: 'lines, control characters and halves of characters are no part of it',
    status: { phase: 'Pending', containerStatuses: [waiting('Err\u001b[31m', 'one\r\n\ttwo\u0007\u2028three\ud800')] },
    says: ['Err [31m (container main): one two three\ufffd'],
  },
];

describe('reasons of pods', () => {
  for (const { name, status, says } of cases)
    test(`kept: ${name}`, () => {
      expect((podReasonsOf(podWith(status)) ?? []).map(podReasonText)).toEqual(says);
      const facts = podFactsOf(podWith(status));
      expect('reasons' in facts).toBe(says.length > 0);
    });

  test('the end of the run before, of containers that run or wait again', () => {
    const before = (exitCode: number, reason: string): Pick<ContainerStatus, 'lastState'> => ({
      lastState: { terminated: { exitCode, reason } },
    });
    const pod = podWith({
      phase: 'Running',
      initContainerStatuses: [{ name: 'log', state: { running: {} }, ...before(1, 'Error') }],
      containerStatuses: [
        { name: 'main', state: { running: {} }, ...before(137, 'OOMKilled') },
        { name: 'over', state: { terminated: { exitCode: 0 } }, ...before(2, 'Error') },
        { ...waiting('CrashLoopBackOff'), name: 'waits', ...before(3, 'Error') },
        { name: 'first', state: { running: {} } },
      ],
    });
    expect(podFactsOf(pod).lastEnds).toEqual([
      { container: 'main', exitCode: 137, reason: 'OOMKilled' },
      { container: 'waits', exitCode: 3 },
      { container: 'log', exitCode: 1 },
    ]);
    expect(podFactsOf(podWith({ containerStatuses: [{ name: 'first', state: { running: {} } }] }))).not.toHaveProperty('lastEnds');
  });

  test('when the run before ended: of the latest end, which stands first', () => {
    const before = (name: string, finishedAt?: string): ContainerStatus => ({
      name,
      state: { running: {} },
      lastState: { terminated: { exitCode: 1, ...(finishedAt !== undefined && { finishedAt }) } },
    });
    const endsOf = (...containerStatuses: ContainerStatus[]): unknown => podFactsOf(podWith({ containerStatuses })).lastEnds;
    expect(endsOf(before('main', '2026-09-21T14:13:29Z'))).toEqual([{ container: 'main', exitCode: 1, finishedAt: 1_790_000_009 }]);
    expect(endsOf(before('timeless'), before('early', '2026-09-21T14:13:29Z'), before('late', '2026-09-21T14:13:30Z'))).toEqual([
      { container: 'late', exitCode: 1, finishedAt: 1_790_000_010 },
      { container: 'early', exitCode: 1 },
      { container: 'timeless', exitCode: 1 },
    ]);
  });

  test('few, and short, however much is said', () => {
    const containerStatuses = Array.from({ length: 60_000 }, (_, at) => waiting('Err'.repeat(100), '😀'.repeat(1_000), `c${at}`));
    const reasons = podReasonsOf(podWith({ phase: 'Pending', containerStatuses })) ?? [];
    expect(reasons).toHaveLength(MOST_POD_REASONS);
    for (const { reason, message = '' } of reasons) {
      expect(reason.length).toBeLessThanOrEqual(LONGEST_POD_REASON.reason);
      expect(message.length).toBeLessThanOrEqual(LONGEST_POD_REASON.message);
      expect(message).toMatch(/^(😀)+…$/u);
    }
  });
});
