// What the simulated node does next with a pod, step by step.
import { describe, expect, test } from '@jest/globals';
import type { ContainerStatus, Pod } from '../../lib/objects/kubernetes.ts';
import type { Moment } from '../../lib/simulated-node/container-states.ts';
import { nextStep } from '../../lib/simulated-node/pod-step.ts';

const startMs = Date.parse('2024-01-01T00:00:00Z');
const node = { nodeName: 'n', labels: { zone: 'a' }, hostIp: '192.0.2.1' };
const at = (ms: number, more: Partial<Moment> = {}): Moment => ({
  nowMs: startMs + ms,
  attempt: 0,
  startedAtMs: () => undefined,
  restartBackoffMs: 10_000,
  ...more,
});

function aPod({
  metadata = {},
  spec = {},
  status = {},
  command = ['sleep', '5'],
}: {
  metadata?: Partial<Pod['metadata']>;
  spec?: Partial<Pod['spec']>;
  status?: Pod['status'];
  command?: string[];
}): Pod {
  return {
    metadata: { name: 'p', namespace: 'default', uid: 'u', ...metadata },
    spec: { restartPolicy: 'Never', nodeName: 'n', containers: [{ name: 'main', image: 'x', command }], ...spec },
    status,
  };
}

const running = (restartCount = 0): ContainerStatus => ({
  name: 'main',
  ready: true,
  restartCount,
  state: { running: { startedAt: '2024-01-01T00:00:00Z' } },
});
const started = (more: Pod['status'] = {}): Pod['status'] => ({
  phase: 'Running',
  startTime: '2024-01-01T00:00:00Z',
  conditions: [
    { type: 'Ready', status: 'True' },
    { type: 'ContainersReady', status: 'True' },
  ],
  containerStatuses: [running()],
  ...more,
});
const unbound = { nodeName: '' };
const deleted = { deletionTimestamp: '2024-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };

describe('the next step for a pod', () => {
  test.each([
    { name: 'unbound', pod: aPod({ spec: unbound }), step: { verb: 'bind' } },
    { name: 'unbound and deleted', pod: aPod({ spec: unbound, metadata: deleted }), step: { verb: 'nothing' } },
    { name: 'gated', pod: aPod({ spec: { ...unbound, schedulingGates: [{ name: 'g' }] } }), step: { verb: 'nothing' } },
    { name: "another scheduler's", pod: aPod({ spec: { ...unbound, schedulerName: 'mine' } }), step: { verb: 'nothing' } },
    { name: 'for our labels', pod: aPod({ spec: { ...unbound, nodeSelector: { zone: 'a' } } }), step: { verb: 'bind' } },
    { name: 'for other labels', pod: aPod({ spec: { ...unbound, nodeSelector: { zone: 'b' } } }), step: { verb: 'nothing' } },
    { name: "another node's", pod: aPod({ spec: { nodeName: 'other' } }), step: { verb: 'nothing' } },
    {
      name: 'bound',
      pod: aPod({}),
      step: { verb: 'report', status: { phase: 'Running', containerStatuses: [{ restartCount: 0, ready: true }] } },
    },
    {
      name: 'bound, and over as soon as it begins: one report tells both',
      pod: aPod({ command: ['true'] }),
      step: {
        verb: 'report',
        status: {
          phase: 'Succeeded',
          startTime: '2024-01-01T00:00:00Z',
          podIP: expect.stringMatching(/^10\./),
          conditions: ['PodScheduled', 'Initialized', 'Ready', 'ContainersReady', 'PodReadyToStartContainers'].map((type) => ({
            type,
            status: type === 'PodScheduled' || type === 'Initialized' ? 'True' : 'False',
          })),
          containerStatuses: [{ ready: false, state: { terminated: { exitCode: 0, startedAt: '2024-01-01T00:00:00Z' } } }],
        },
      },
    },
    {
      name: 'bound late in a second, and to run for a moment',
      pod: aPod({ command: ['sleep', '0.1'] }),
      nowMs: 950,
      step: { verb: 'report', status: { phase: 'Running', containerStatuses: [{ state: { running: {} } }] } },
    },
    {
      name: 'bound, and restarting as soon as it begins',
      pod: aPod({ command: ['false'], spec: { restartPolicy: 'OnFailure' } }),
      step: { verb: 'report', status: { phase: 'Running', containerStatuses: [{ restartCount: 0, state: { running: {} } }] } },
    },
    { name: 'running', pod: aPod({ status: started() }), step: { verb: 'wait', untilMs: startMs + 5000 } },
    { name: 'running for ever', pod: aPod({ status: started(), command: ['serve'] }), step: { verb: 'nothing' } },
    {
      name: 'due to end',
      pod: aPod({ status: started() }),
      nowMs: 6000,
      step: {
        verb: 'report',
        status: {
          phase: 'Succeeded',
          containerStatuses: [{ state: { terminated: { exitCode: 0, finishedAt: '2024-01-01T00:00:05Z' } } }],
        },
      },
    },
    {
      name: 'due to fail',
      pod: aPod({ status: started(), command: ['false'] }),
      step: { verb: 'report', status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 1 } } }] } },
    },
    {
      name: 'due to fail, restarting: the first time at once',
      pod: aPod({ status: started(), command: ['false'], spec: { restartPolicy: 'OnFailure' } }),
      nowMs: 1000,
      step: {
        verb: 'report',
        status: { containerStatuses: [{ restartCount: 1, state: { running: {} }, lastState: { terminated: { exitCode: 1 } } }] },
      },
    },
    {
      name: 'failing again: it waits',
      pod: aPod({ status: started({ containerStatuses: [running(1)] }), command: ['false'], spec: { restartPolicy: 'OnFailure' } }),
      step: {
        verb: 'report',
        status: { containerStatuses: [{ restartCount: 1, ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
      },
    },
    {
      name: 'waiting for its second restart',
      pod: aPod({
        status: started({
          containerStatuses: [
            {
              name: 'main',
              restartCount: 1,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: { terminated: { exitCode: 1, finishedAt: '2024-01-01T00:00:00Z' } },
            },
          ],
        }),
        spec: { restartPolicy: 'OnFailure' },
      }),
      nowMs: 5000,
      step: { verb: 'wait', untilMs: startMs + 10_000 },
    },
    {
      name: 'Always: a good end restarts too',
      pod: aPod({ status: started(), command: ['true'], spec: { restartPolicy: 'Always' } }),
      step: { verb: 'report', status: { containerStatuses: [{ restartCount: 1 }] } },
    },
    {
      name: 'deleted while it runs',
      pod: aPod({ status: started(), metadata: deleted }),
      step: {
        verb: 'report',
        status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 143, reason: 'Error' } } }] },
      },
    },
    {
      name: 'deleted before it ran',
      pod: aPod({ metadata: deleted }),
      step: { verb: 'report', status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 137 } } }] } },
    },
    { name: 'ended and deleted', pod: aPod({ status: { phase: 'Failed' }, metadata: deleted }), step: { verb: 'remove' } },
    {
      name: 'ended, deleted, and held by finalizers only',
      pod: aPod({ status: { phase: 'Failed' }, metadata: { ...deleted, deletionGracePeriodSeconds: 0, finalizers: ['a/b'] } }),
      nowMs: 60_000,
      step: { verb: 'nothing' },
    },
    {
      name: 'ended, and just deleted at once',
      pod: aPod({ status: { phase: 'Failed' }, metadata: { ...deleted, deletionGracePeriodSeconds: 0 } }),
      step: { verb: 'wait', untilMs: startMs + 5_000 },
    },
    {
      name: 'ended, deleted at once, and left there by the API server',
      pod: aPod({ status: { phase: 'Failed' }, metadata: { ...deleted, deletionGracePeriodSeconds: 0 } }),
      nowMs: 5_000,
      step: { verb: 'remove' },
    },
    { name: 'ended', pod: aPod({ status: { phase: 'Succeeded' } }), step: { verb: 'nothing' } },
    {
      name: 'beyond its deadline',
      pod: aPod({ status: started(), spec: { activeDeadlineSeconds: 2 } }),
      nowMs: 2000,
      step: { verb: 'report', status: { phase: 'Failed', reason: 'DeadlineExceeded' } },
    },
  ])('$name: $step.verb', ({ pod, nowMs = 0, step }) => {
    expect(nextStep(pod, at(nowMs), node)).toMatchObject(step);
  });

  describe('what holds up a pod', () => {
    const noNode = { ...unbound, nodeSelector: { zone: 'nowhere' } };
    const held = (seconds?: string): Partial<Pod['metadata']> => ({
      annotations: {
        'sim.farloop.dev/waiting': 'ImagePullBackOff: Back-off pulling image "x": not found',
        ...(seconds !== undefined && { 'sim.farloop.dev/waiting-seconds': seconds }),
      },
    });
    const waiting: Pod['status'] = {
      phase: 'Pending',
      startTime: '2024-01-01T00:00:00Z',
      containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ImagePullBackOff' } } }],
    };
    const evicted = { annotations: { 'sim.farloop.dev/evicted': 'low on memory', 'sim.farloop.dev/run-seconds': '2' } };

    test.each([
      { name: 'for other labels', pod: aPod({ spec: noNode }), step: { verb: 'nothing' } },
      {
        name: 'an image that cannot be pulled',
        pod: aPod({ metadata: held() }),
        step: {
          verb: 'report',
          status: {
            phase: 'Pending',
            containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x": not found' } } }],
          },
        },
      },
      { name: 'that waits for ever', pod: aPod({ metadata: held(), status: waiting }), step: { verb: 'nothing' } },
      { name: 'that waits no more', pod: aPod({ status: waiting }), step: { verb: 'report', status: { phase: 'Running' } } },
      {
        name: 'that waits for a while',
        pod: aPod({ metadata: held('3'), status: waiting }),
        nowMs: 1000,
        step: { verb: 'wait', untilMs: startMs + 3000 },
      },
      {
        name: 'that has waited',
        pod: aPod({ metadata: held('3'), status: waiting }),
        nowMs: 3000,
        step: { verb: 'report', status: { phase: 'Running' } },
      },
      {
        name: 'that waits beyond its deadline',
        pod: aPod({ metadata: held(), status: waiting, spec: { activeDeadlineSeconds: 2 } }),
        nowMs: 2000,
        step: { verb: 'report', status: { phase: 'Failed', reason: 'DeadlineExceeded' } },
      },
      { name: 'that is to be evicted', pod: aPod({ metadata: evicted }), step: { verb: 'report', status: { phase: 'Running' } } },
      {
        name: 'that is to be evicted later',
        pod: aPod({ metadata: evicted, status: started() }),
        nowMs: 500,
        step: { verb: 'wait', untilMs: startMs + 2000 },
      },
      {
        name: 'that is evicted',
        pod: aPod({ metadata: evicted, status: started() }),
        nowMs: 2000,
        step: {
          verb: 'report',
          status: {
            phase: 'Failed',
            reason: 'Evicted',
            message: 'low on memory',
            conditions: expect.arrayContaining([expect.objectContaining({ type: 'DisruptionTarget', status: 'True' })]),
          },
        },
      },
    ])('$name: $step.verb', ({ pod, nowMs = 0, step }) => {
      expect(nextStep(pod, at(nowMs), node)).toMatchObject(step);
    });
  });

  test('a run that this node started ends by its own clock, not by the whole second of the status', () => {
    const pod = aPod({ status: started(), command: ['sleep', '1'] });
    expect(nextStep(pod, at(1500, { startedAtMs: () => startMs + 900 }), node)).toEqual({ verb: 'wait', untilMs: startMs + 1900 });
  });
});
