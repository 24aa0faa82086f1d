// The worked cases of a pod on a virtual node, by their numbers (docs/virtual-node.md). Those that model classes which Farloop does not have stand
// in LEFT_OUT, each with the reason.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { virtualPodFacts } from '../../../lib/kinds/virtual-pod/facts.ts';
import { virtualPodRow } from '../../../lib/kinds/virtual-pod/row.ts';
import type { Kept } from '../../../lib/kinds/virtual-pod/kept.ts';
import type { FailedCall } from '../../../lib/kinds/rows/plan.ts';
import {
  admitted,
  aPod,
  callsIn,
  deletesIn,
  digestOf,
  ended,
  eventsIn,
  factsOf,
  NOW,
  ordered,
  planOf,
  running,
  statusIn,
  UID,
  type PodPlan,
} from './pod-pass.ts';

const LEFT_OUT: Readonly<Record<string, string>> = {
  '8-9': 'a pod is compared by the digest of what may change, and its environment may not: there is no order to ignore',
  '13': 'the resolution cannot be switched off',
  '16': 'as 8',
  '21': 'a look that fails ends the pass: no start follows from it (test/simulation, providerBreaks)',
  '28': 'there is no state without a task: the pass looks for itself',
  '29-31': 'a provider of ours has no deletion timestamp: a pod that it ends on its own has ended',
  '35': 'a word of the provider is a wake of the pod by its uid: a pod that is gone has no pass',
  '36': 'a provider of ours changes no annotations',
  '47': 'there is no set of deleted names: what is stopped stands in the head, by uid',
  '49': 'nothing is told of a pod whose phase is final, deleted or not: 23',
  '57': 'each pod has a pass of its own',
  '59': 'an absent answer and "not found" are one word of the port',
  '75-85': 'the queue is SQS: groups, delays and dead letters are tested with its port (test/contracts/queue.ts)',
  '98-104': 'errors are the classes of lib/ports/errors.ts, which no cause changes',
  '133': 'nobody asks for a kill and waits for it: the node waits until its own deadline (test/kinds/preemption)',
};

const refused = (message: string, call: FailedCall['call'] = 'start'): FailedCall => ({ call, message, outcome: 'refused' });
const notDone = (message: string, call: FailedCall['call'] = 'start'): FailedCall => ({ call, message, outcome: 'notDone' });
const DELETED = { deletionTimestamp: '2026-05-01T10:00:10Z', deletionGracePeriodSeconds: 10 };
const isNothing = ({ actions }: PodPlan): boolean => actions.length === 0;

describe('what a provider hears of', () => {
  const plain = aPod();
  test.each([
    { name: 'VN 1: none', other: aPod(), isSame: true },
    { name: 'VN 2: the image', other: aPod({ spec: { containers: [{ name: 'main', image: 'nginx:2' }] } }), isSame: false },
    { name: 'VN 3: the phase', other: aPod({ status: { phase: 'Running' } }), isSame: true },
    { name: 'VN 5: a label', other: aPod({ metadata: { labels: { a: 'b' } } }), isSame: false },
    { name: 'VN 5: an annotation', other: aPod({ metadata: { annotations: { a: 'b' } } }), isSame: false },
    { name: 'VN 10: an ephemeral container', other: aPod({ spec: { ephemeralContainers: [{ name: 'debug' }] } }), isSame: false },
    { name: 'VN 11: the scheduler', other: aPod({ spec: { schedulerName: 'mine' } }), isSame: true },
    { name: 'a deadline', other: aPod({ spec: { activeDeadlineSeconds: 300 } }), isSame: false },
    {
      name: 'a value of the environment, which cannot change',
      other: aPod({ spec: { containers: [{ name: 'main', image: 'nginx:1', env: [{ name: 'A', value: 'b' }] }] } }),
      isSame: true,
    },
  ])('$name: the same is $isSame', ({ other, isSame }) => expect(digestOf(plain) === digestOf(other)).toBe(isSame));

  test.each([
    { name: 'VN 4: a deletion', other: aPod({ metadata: DELETED }) },
    { name: 'VN 6: a grace', other: aPod({ metadata: { ...DELETED, deletionGracePeriodSeconds: 30 } }) },
    { name: 'VN 7: a shorter grace', other: aPod({ metadata: { ...DELETED, deletionGracePeriodSeconds: 5 } }) },
  ])('$name changes the facts, and is looked at at once', ({ other }) => {
    expect(factsOf(other)).not.toEqual(factsOf(aPod()));
    expect(virtualPodFacts.urgencyOfOwner(factsOf(other))).toBe('now');
  });

  test('no environment, command or volume is among the facts', () => {
    const secret = aPod({
      spec: {
        containers: [{ name: 'main', image: 'x', command: ['hunter2'], env: [{ name: 'A', value: 'hunter2' }] }],
        volumes: [{ name: 'hunter2' }],
      },
    });
    expect(JSON.stringify(factsOf(secret))).not.toContain('hunter2');
  });
});

describe('create and update', () => {
  test('VN 12: a task that the provider does not know is started once, under an intent', () => {
    const plan = planOf();
    expect(callsIn(plan)).toEqual(['start']);
    expect(eventsIn(plan)).toEqual(['Normal ProviderCreateSuccess: Create pod in provider successfully']);
    expect(plan.kept.ordered).toEqual({ atMs: NOW.getTime(), digest: digestOf(aPod()) });
  });

  test('VN 14, 24: a changed pod is told of once', () => {
    const kept = ordered(aPod());
    for (const changed of [
      aPod({ spec: { containers: [{ name: 'main', image: 'nginx:2' }] } }),
      aPod({ spec: { activeDeadlineSeconds: 300 } }),
    ]) {
      const plan = planOf({ pod: changed, kept, task: running() });
      expect(callsIn(plan)).toEqual(['update']);
      expect(eventsIn(plan)).toEqual(['Normal ProviderUpdateSuccess: Update pod in provider successfully']);
      expect(callsIn(planOf({ pod: changed, kept: plan.kept, task: running() }))).toEqual([]);
    }
  });

  test('VN 15, 22: an unchanged pod is not, however often it is looked at', () => {
    const pod = aPod({ status: running().status });
    const plan = planOf({ pod, kept: ordered(pod), task: running() });
    expect([isNothing(plan), plan.outcome]).toEqual([true, 'converged']);
  });

  test.each([
    { name: 'VN 17: it stays pending where it may be started again', restartPolicy: 'Always', phase: 'Pending' },
    { name: 'VN 18: it has failed where it may not', restartPolicy: 'Never', phase: 'Failed' },
  ])('$name', ({ restartPolicy, phase }) => {
    const pod = aPod({ spec: { restartPolicy } });
    const plan = planOf({ pod, kept: planOf({ pod }).kept, failedCall: refused('boom') });
    expect(statusIn(plan)).toMatchObject({ phase, reason: 'ProviderFailed', message: 'boom' });
    expect(eventsIn(plan)).toEqual(['Warning ProviderCreateFailed: boom']);
    expect(callsIn(plan)).toEqual([]);
    const next = aPod({ spec: { restartPolicy }, status: statusIn(plan) as object });
    const later = planOf({ pod: next, kept: plan.kept, now: new Date(NOW.getTime() + 5_000) });
    expect(callsIn(later)).toEqual(phase === 'Pending' ? ['start'] : []);
  });

  test('a trouble that may pass is no failure of the pod for five tries', () => {
    let kept = planOf().kept;
    for (let tries = 1; tries <= 6; tries += 1) {
      const plan = planOf({ kept, failedCall: notDone('no capacity') });
      expect(statusIn(plan)?.['reason']).toBe(tries > 5 ? 'ProviderFailed' : undefined);
      ({ kept } = plan);
    }
  });

  test('VN 19: an update that fails leaves the phase of what runs as it is', () => {
    const pod = aPod({ metadata: { labels: { a: 'b' } }, status: running().status });
    const plan = planOf({ pod, kept: ordered(aPod()), task: running(), failedCall: refused('boom', 'update') });
    expect(eventsIn(plan)).toEqual(['Warning ProviderUpdateFailed: boom']);
    expect(statusIn(plan)).toBeUndefined();
  });

  test('VN 20: an environment that names what is not there is tried again for ever, and no status tells', () => {
    let kept: Kept | undefined;
    const waits: (number | undefined)[] = [];
    for (let tries = 0; tries < 30; tries += 1) {
      const failedCall: FailedCall = { call: 'start', outcome: 'unresolved', message: 'configmap "m" not found' };
      const plan = planOf({ pod: aPod(), failedCall, ...(kept && { kept }) });
      expect([eventsIn(plan), statusIn(plan), plan.outcome]).toEqual([[], undefined, 'waiting']);
      expect(plan.kept.note).toBe('its environment cannot be had yet: configmap "m" not found');
      waits.push(plan.requeueAfterSeconds);
      kept = plan.kept;
    }
    expect([...waits.slice(0, 8), waits.at(-1)]).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    // A failure of the provider afterwards is its first.
    expect(planOf({ pod: aPod(), failedCall: notDone('boom'), ...(kept && { kept }) }).kept.failures).toMatchObject({ count: 1 });
  });

  test.each(['Succeeded', 'Failed'])('VN 23, 58: a pod that is %s already is not started', (phase) => {
    const plan = planOf({ pod: aPod({ status: { phase } }) });
    expect([callsIn(plan), statusIn(plan)]).toEqual([[], undefined]);
    expect(plan.kept.ended).toEqual({ wasKilled: false });
  });

  test('VN 25: after twenty failures it is parked, in the words of the reference', () => {
    let kept = planOf().kept;
    let plan = planOf({ kept });
    for (let tries = 1; tries <= 20; tries += 1) {
      plan = planOf({ kept, failedCall: refused('boom') });
      ({ kept } = plan);
    }
    expect(plan.outcome).toBe('parked');
    expect(plan.why).toEqual(['maximum retries (20) reached: failed to sync pod "default/nginx" in the provider: boom']);
  });
});

describe('status', () => {
  test("VN 26, 27, 37, 38: it is the owner's status, which the loop writes with uid and version", () => {
    const plan = planOf({ kept: ordered(aPod()), task: running() });
    expect(statusIn(plan)).toMatchObject({ phase: 'Running', startTime: '2026-05-01T09:59:00Z' });
    expect(plan.actions.map(({ verb }) => verb)).toEqual(['status']);
  });

  test('VN 32: a final phase is never overwritten', () => {
    const pod = aPod({ status: { phase: 'Succeeded' } });
    expect(statusIn(planOf({ pod, kept: ordered(pod), task: ended(1) }))).toBeUndefined();
  });

  test('VN 33: the same again writes nothing', () => {
    const pod = aPod({ status: running().status });
    expect(isNothing(planOf({ pod, kept: ordered(pod), task: running({ version: 4 }) }))).toBe(true);
  });

  test('VN 34: what somebody else has changed is put right', () => {
    const pod = aPod({ status: { ...running().status, conditions: [{ type: 'Ready', status: 'False', reason: 'NodeNotReady' }] } });
    expect(statusIn(planOf({ pod, kept: ordered(pod), task: running() }))?.['conditions']).toMatchObject([
      { type: 'Ready', status: 'True' },
    ]);
  });

  test('conditions of others stay, and the phase does not go back', () => {
    const gate = { type: 'example.com/gate', status: 'True' };
    const pod = aPod({ status: { ...running().status, conditions: [gate] } });
    const pending = running({ status: { ...running().status, phase: 'Pending' } });
    const plan = planOf({ pod, kept: ordered(pod), task: pending });
    expect(statusIn(plan)).toMatchObject({ phase: 'Running', conditions: [gate, { type: 'Ready', status: 'True' }] });
  });

  test('a state older than one that was seen decides nothing', () => {
    const pod = aPod({ status: running().status });
    const plan = planOf({ pod, kept: ordered(pod, { seen: 7 }), task: ended(0) });
    expect([isNothing(plan), plan.requeueAfterSeconds]).toEqual([true, 2]);
  });

  test('a final phase waits until nothing runs', () => {
    const isOver = running({ status: { ...running().status, phase: 'Failed' } });
    expect(statusIn(planOf({ kept: ordered(aPod()), task: isOver }))?.['phase']).toBe('Running');
  });
});

describe('deletion', () => {
  const deleted = aPod({ metadata: DELETED, status: running().status });

  test('VN 39, 48: the provider stops it; the end that it tells is written; then the API server lets it go', () => {
    const first = planOf({ pod: deleted, kept: ordered(deleted), task: running() });
    expect(callsIn(first)).toEqual(['stop']);
    expect(first.actions[0]).toMatchObject({ graceSeconds: 10 });
    expect(eventsIn(first)).toEqual(['Normal ProviderDeleteSuccess: Delete pod in provider successfully']);
    expect(deletesIn(first)).toEqual([]);
    const second = planOf({ pod: deleted, kept: first.kept, task: ended(143) });
    expect(statusIn(second)).toMatchObject({ phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 143 } } }] });
    const third = planOf({ pod: aPod({ metadata: DELETED, status: statusIn(second) as object }), kept: second.kept, task: ended(143) });
    expect(deletesIn(third)).toMatchObject([{ uid: UID, gracePeriodSeconds: 0 }]);
    expect(third.tells).toMatchObject([{ kind: 'VirtualNode', name: 'edge' }]);
  });

  test('VN 40: a task that the provider does not know is no reason to keep it', () => {
    const told = planOf({
      pod: deleted,
      kept: ordered(deleted),
      task: running(),
      failedCall: { call: 'stop', message: 'pod not found', outcome: 'notFound' },
    });
    expect(eventsIn(told)).toEqual(['Warning ProviderDeleteFailed: pod not found']);
    expect(deletesIn(planOf({ pod: deleted, kept: told.kept }))).toHaveLength(1);
  });

  test('VN 41: a stop that fails is tried again, and the pod stays', () => {
    const failed = planOf({ pod: deleted, kept: ordered(deleted), task: running(), failedCall: notDone('random error', 'stop') });
    expect(eventsIn(failed)).toEqual(['Warning ProviderDeleteFailed: random error']);
    expect(deletesIn(failed)).toEqual([]);
    const later = new Date(NOW.getTime() + 2_000);
    expect(callsIn(planOf({ pod: deleted, kept: failed.kept, task: running(), now: later }))).toEqual(['stop']);
  });

  test('VN 43: a pod of which nothing was ever started goes at once', () => {
    const plan = planOf({ pod: aPod({ metadata: DELETED }) });
    expect([callsIn(plan), deletesIn(plan).length]).toEqual([[], 1]);
  });

  test('VN 44, 45: the delete names the uid, so a pod of the same name stays', () => {
    expect(deletesIn(planOf({ pod: aPod({ metadata: DELETED }) }))).toMatchObject([{ name: 'nginx', uid: UID }]);
  });

  test('VN 50, 131: what may have been started is waited for until no pass can be sending, then stopped', () => {
    const { seen: _seen, ...kept } = ordered(deleted, { ordered: { atMs: NOW.getTime() - 1_000, digest: digestOf(deleted) } });
    const pending = aPod({ metadata: DELETED });
    const waits = planOf({ pod: pending, kept });
    expect([isNothing(waits), waits.requeueAfterSeconds]).toEqual([true, 29]);
    expect(callsIn(planOf({ pod: pending, kept: waits.kept, task: running() }))).toEqual(['stop']);
  });

  describe('the object is gone', () => {
    const key = { kind: 'VirtualPod', namespace: 'default', name: 'nginx', uid: UID };
    const sight = `task edge ${UID} 1`;
    const after = (task: unknown, kept: object | undefined = ordered(aPod())) =>
      virtualPodRow.planner.afterOwner({
        key,
        pods: [],
        children: new Map(),
        kept,
        nowMs: NOW.getTime(),
        options: { 'virtual-node': 'edge=simulated' },
        sights: new Map([[sight, task]]),
      });

    test('VN 42, 46, 130: its task is stopped, with what is left of the grace, or at once', () => {
      expect(after(running())).toMatchObject({ isDone: false, actions: [{ call: 'stop', graceSeconds: 1 }] });
      expect(after(running(), ordered(aPod(), { stop: { atMs: 0, graceSeconds: 7 } })).actions).toMatchObject([{ graceSeconds: 7 }]);
      expect(after(running(), undefined).actions).toMatchObject([{ call: 'stop' }]);
    });

    test('it is forgotten, and its node told, once nothing runs', () => {
      expect(after(ended(0))).toMatchObject({ isDone: true, actions: [], tells: [{ name: 'edge' }] });
      expect(after(null)).toMatchObject({ isDone: true });
    });

    test('a start that may still be on its way is waited for', () => {
      const kept = { attempt: 1, node: { name: 'edge', uid: 'u' }, ordered: { atMs: NOW.getTime() - 10_000, digest: 'd' } };
      expect(after(null, kept)).toMatchObject({ isDone: false, requeueAfterSeconds: 20 });
    });
  });
});

describe('a task that is not known any more', () => {
  const twice = (pod: Pod, kept = ordered(pod)): PodPlan => {
    const once = planOf({ pod, kept });
    expect(statusIn(once)).toBeUndefined();
    return planOf({ pod, kept: once.kept, now: new Date(NOW.getTime() + 11_000) });
  };

  test('VN 51: while it is known its state is written', () => {
    expect(statusIn(planOf({ kept: ordered(aPod()), task: running() }))?.['phase']).toBe('Running');
  });

  test('VN 52: two looks miss it: it has failed, and what ran is gone', () => {
    const status = statusIn(twice(aPod({ status: running().status })));
    expect(status).toMatchObject({
      phase: 'Failed',
      reason: 'NotFound',
      message: 'The pod status was not found and may have been deleted from the provider',
      containerStatuses: [
        {
          state: {
            terminated: {
              exitCode: -137,
              reason: 'NotFound',
              message: 'Container was not found and was likely deleted',
              startedAt: '2026-05-01T09:59:00Z',
            },
          },
        },
      ],
    });
  });

  test('VN 53, 54: one that was just taken and never seen is young', () => {
    const { seen: _seen, ...kept } = ordered(aPod());
    expect(statusIn(twice(aPod(), kept))).toBeUndefined();
  });

  test('VN 55: after two minutes it is not; containers that waited stay as they are', () => {
    const pod = aPod({ status: { containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ContainerCreating' } } }] } });
    expect(statusIn(twice(pod, ordered(pod, { lost: { sinceMs: NOW.getTime() - 130_000, looks: 0 } })))).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { waiting: { reason: 'ContainerCreating' } } }],
    });
  });

  test('VN 56: one that is being deleted is not lost: it goes', () => {
    expect(deletesIn(planOf({ pod: aPod({ metadata: DELETED, status: running().status }), kept: ordered(aPod()) }))).toHaveLength(1);
  });
});

describe('ownership', () => {
  test('VN 125: the grace only shrinks', () => {
    const graceOf = (seconds: number, kept = ordered(aPod())): PodPlan =>
      planOf({
        pod: aPod({ metadata: { ...DELETED, deletionGracePeriodSeconds: seconds }, status: running().status }),
        kept,
        task: running(),
      });
    const thirty = graceOf(30);
    const ten = graceOf(10, thirty.kept);
    const sixty = graceOf(60, ten.kept);
    expect([thirty, ten, sixty].map(({ kept }) => kept.stop?.graceSeconds)).toEqual([30, 10, 10]);
    expect([callsIn(thirty), callsIn(ten), callsIn(sixty)]).toEqual([['stop'], ['stop'], []]);
  });

  test('VN 126: a grace of none is one second', () => {
    const pod = aPod({
      spec: { terminationGracePeriodSeconds: 0 },
      metadata: { ...DELETED, deletionGracePeriodSeconds: 0 },
      status: running().status,
    });
    expect(planOf({ pod, kept: ordered(pod), task: running() }).kept.stop?.graceSeconds).toBe(1);
  });

  test('VN 127: a victim that ends well has been evicted all the same', () => {
    const evicted = { ...admitted, eviction: { by: 'other', deadline: '2026-05-01T10:00:30Z' } };
    const pod = aPod({ status: running().status });
    const first = planOf({ pod, kept: ordered(pod), decision: evicted, task: running() });
    expect(statusIn(first)?.['conditions']).toMatchObject([
      { type: 'Ready' },
      { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' },
    ]);
    expect(statusIn(first)?.['phase']).toBe('Running');
    expect(eventsIn(first)).toEqual(['Warning Preempting: Preempted in order to admit critical pod']);
    const told = aPod({ status: statusIn(first) as object });
    const second = planOf({ pod: told, kept: first.kept, decision: evicted, task: running() });
    expect(callsIn(second)).toEqual(['stop']);
    const third = planOf({ pod: told, kept: second.kept, decision: evicted, task: ended(0) });
    expect(statusIn(third)).toMatchObject({ phase: 'Failed', reason: 'Preempting' });
  });

  test('VN 128: what happens to a pod that has ended changes nothing', () => {
    const pod = aPod({ metadata: { labels: { late: 'yes' } }, status: { phase: 'Succeeded' } });
    expect(isNothing(planOf({ pod, kept: { attempt: 1, ended: { wasKilled: false } } }))).toBe(true);
  });

  test('VN 129: a task that outlives a final phase is stopped, and the phase stays', () => {
    const plan = planOf({ pod: aPod({ status: { phase: 'Succeeded' } }), task: running() });
    expect([callsIn(plan), statusIn(plan)]).toEqual([['stop'], undefined]);
  });

  test('VN 132: it is let go as soon as nothing runs, not when its grace is over', () => {
    const pod = aPod({ metadata: { ...DELETED, deletionGracePeriodSeconds: 3_600 }, status: { phase: 'Failed' } });
    expect(deletesIn(planOf({ pod, kept: ordered(pod), task: ended(143) }))).toHaveLength(1);
  });

  test('VN 134: a pod of the same name has its own task and head, by uid', () => {
    expect(planOf().actions[0]).toMatchObject({ verb: 'call', uid: UID, attempt: 1 });
  });
});

test('every worked case is tested, or has a reason not to be', () => {
  const text = readFileSync(import.meta.filename, 'utf8');
  const named = [...text.matchAll(/VN ((?:\d+(?:, )?)+)/g)].flatMap(([, numbers = '']) => numbers.split(', ').filter(Boolean).map(Number));
  const leftOut = Object.keys(LEFT_OUT).flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  });
  const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const all = [...from(1, 59), ...from(75, 85), ...from(98, 104), ...from(125, 134)];
  expect([...new Set([...named, ...leftOut])].toSorted((a, b) => a - b)).toEqual(all);
});
