// The node's decisions, case by case: A20 to A24 of the specification, and what its stateless design adds.
import { describe, expect, test } from '@jest/globals';
import { countedPods } from '../../../../lib/kinds/preemption/node/counted-pods.ts';
import { decideAdmissions } from '../../../../lib/kinds/preemption/node/node-admission.ts';
import { NO_DECISION } from '../../../../lib/kinds/preemption/node/node-decision.ts';
import type { Pod } from '../../../../lib/objects/kubernetes.ts';
import {
  aNode,
  aPod,
  arrive,
  at,
  byUid,
  calm,
  cc,
  decisionIn,
  entryOf,
  hrb,
  loseTable,
  nodePass,
  podPass,
  remove,
  taskEnds,
  withoutPod,
  worldOf,
  type World,
} from '../node-world.ts';

/** A node on which these pods run. */
function running(pods: readonly Pod[], node = aNode()): World {
  return calm(pods.reduce(arrive, worldOf(node)), byUid(pods));
}

const statesIn = (world: World): Record<string, string> =>
  Object.fromEntries((decisionIn(world)?.pods ?? []).map(({ name, state }) => [name, state]));
const evictedIn = (world: World): string[] =>
  (decisionIn(world)?.pods ?? []).flatMap(({ name, eviction }) => (eviction === undefined ? [] : [`${name} by ${eviction.by}`]));
const tasksIn = (world: World, task: string): string[] => Object.keys(world.tasks).filter((uid) => world.tasks[uid] === task);
const preemptionsIn = (world: World): unknown[] =>
  world.counted.flatMap((count) => (count.metric === 'kubelet_preemptions' ? [count.labels.preemption_signal] : []));
const hrbs = ['h0', 'h1', 'h2'].map((name, second) => hrb(name, { second, graceSeconds: 30 }));

describe('A20: two critical pods together on a full node', () => {
  const critical = ['c0', 'c1'].map((name, second) => cc(name, { cpu: '500m', memory: '50Mi', second: 100 + second }));
  const templates = byUid([...hrbs, ...critical]);
  const full = critical.reduce(arrive, running(hrbs));

  test('the first takes two, the second the third, and no victim goes twice', () => {
    const { world, admission } = nodePass(full, templates);
    expect(statesIn(world)).toEqual({ h0: 'admitted', h1: 'admitted', h2: 'admitted', c0: 'preempting', c1: 'preempting' });
    expect(evictedIn(world).toSorted()).toEqual(['h0 by uid-c1', 'h1 by uid-c0', 'h2 by uid-c0']);
    expect(entryOf(world, 'uid-c0')?.preemption?.victims).toHaveLength(2);
    expect(admission.waits).toEqual(expect.arrayContaining(hrbs.map(({ metadata }) => ({ uid: metadata.uid, deadline: at(45) }))));
    expect(admission.requeueAt).toBe(at(45));
    expect(admission.tells.map(({ name }) => name).toSorted()).toEqual(['c0', 'c1', 'h0', 'h1', 'h2']);
  });

  test('the second waits also for the rest of what the first one’s victims leave', () => {
    const { world } = nodePass(full, templates);
    expect(entryOf(world, 'uid-c1')?.preemption?.victims.map(({ uid }) => uid)).toEqual(['uid-h0']);
    const ownVictimGone = calm(taskEnds(calm(world, templates), 'uid-h0'), templates);
    expect(statesIn(ownVictimGone)).toMatchObject({ c0: 'preempting', c1: 'preempting' });
    expect(tasksIn(ownVictimGone, 'running')).toEqual([]);
  });

  test('H12: both run once all three have ended, each counted once by what was missing, with one event', () => {
    const stopping = calm(full, templates);
    expect(tasksIn(stopping, 'stopping').toSorted()).toEqual(['uid-h0', 'uid-h1', 'uid-h2']);
    const done = ['uid-h1', 'uid-h0', 'uid-h2'].reduce((world, uid) => calm(taskEnds(world, uid), templates), stopping);
    expect(tasksIn(done, 'running').toSorted()).toEqual(['uid-c0', 'uid-c1']);
    expect(statesIn(done)).toEqual({ c0: 'admitted', c1: 'admitted' });
    expect(new Set(preemptionsIn(done))).toEqual(new Set(['cpu', 'pods']));
    expect(preemptionsIn(done)).toHaveLength(3);
    expect(done.events).toEqual(['Preempting uid-h0', 'Preempting uid-h1', 'Preempting uid-h2']);
    expect(nodePass(done, templates).admission).toMatchObject({ isChanged: false, tells: [], waits: [] });
  });
});

test('A21: a plain pod that arrives meanwhile finds the room taken', () => {
  const plain = aPod('plain', { cpu: '1m', second: 200 });
  const critical = cc('c0', { cpu: '900m', memory: '50Mi' });
  const templates = byUid([...hrbs, critical, plain]);
  const world = calm(arrive(calm(arrive(running(hrbs), critical), templates), plain), templates);
  expect(statesIn(world)).toMatchObject({ c0: 'preempting' });
  expect(world.pods['uid-plain']?.status).toMatchObject({ phase: 'Failed', reason: 'OutOfpods' });
  expect(world.pods['uid-plain']?.status?.message).toBe(
    "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 4, capacity: 3",
  );
  // Its status is the decision now.
  expect(entryOf(world, 'uid-plain')).toBeUndefined();
  expect(tasksIn(world, 'running')).toEqual([]);
});

test('A22, H5, H10: a victim that is still alive after 45 s lets the pod in, is told of, and is not counted', () => {
  const critical = cc('c0', { cpu: '400m', memory: '50Mi' });
  const small = hrbs.slice(0, 1);
  const templates = byUid([...small, critical]);
  const waiting = calm(arrive(running(small, aNode({ cpu: '400m' })), critical), templates);
  expect(waiting.nextPass).toBe(at(45));
  const pass = (second: number): World => calm({ ...waiting, second, wakes: { node: true, pods: [] } }, templates);
  expect(statesIn(pass(44))).toMatchObject({ c0: 'preempting' });
  const late = pass(45);
  expect(tasksIn(late, 'running')).toEqual(['uid-c0']);
  expect(tasksIn(late, 'stopping')).toEqual(['uid-h0']);
  expect(late.events).toEqual(['ExceededGracePeriod uid-h0', 'Preempting uid-h0']);
  const dead = calm(taskEnds(late, 'uid-h0'), templates);
  expect(preemptionsIn(dead)).toEqual([]);
  expect(dead.counted).toContainEqual({ metric: 'virtual_node_preemption_wait_seconds', seconds: 45 });
  expect(statesIn(dead)).toEqual({ c0: 'admitted' });
});

test('A23: a pass dies between its commit and the kill; the next one tells the same victims, once', () => {
  const critical = cc('c0', { cpu: '400m', memory: '50Mi' });
  const templates = byUid([...hrbs, critical]);
  const died = nodePass(arrive(running(hrbs), critical), templates, true).world;
  const victims = entryOf(died, 'uid-c0')?.preemption?.victims;
  expect(victims).toHaveLength(1);
  expect(tasksIn(died, 'stopping')).toEqual([]);
  const next = nodePass(died, templates);
  expect(next.admission.isChanged).toBe(false);
  expect(next.admission.tells.map(({ uid }) => uid)).toEqual(['uid-h2', 'uid-c0']);
  expect(entryOf(next.world, 'uid-c0')?.preemption?.victims).toEqual(victims);
  const killed = calm(podPass(podPass(next.world, 'uid-h2'), 'uid-h2'), templates);
  expect(tasksIn(killed, 'stopping')).toEqual(['uid-h2']);
  const done = calm(taskEnds(killed, 'uid-h2'), templates);
  expect(done.events).toEqual(['Preempting uid-h2']);
  expect(preemptionsIn(done)).toEqual(['pods']);
  expect(tasksIn(done, 'running').toSorted()).toEqual(['uid-c0', 'uid-h0', 'uid-h1']);
});

describe('A24: a node that cannot be read', () => {
  const pods = [aPod('p0', { cpu: '1m' }), cc('c0')];
  const templates = byUid(pods);
  const unreadable: World = { ...pods.reduce(arrive, worldOf(aNode())), node: undefined };

  test('is read again before a pod is rejected for it', () => {
    const waiting = calm(unreadable, templates);
    expect(statesIn(waiting)).toEqual({});
    expect(waiting.nextPass).toBe(at(10));
    const readable: World = { ...waiting, node: aNode(), second: 59, wakes: { node: true, pods: [] } };
    expect(tasksIn(calm(readable, templates), 'running')).toEqual(['uid-c0', 'uid-p0']);
    expect(decisionIn(calm(readable, templates))?.unreadableSince).toBeUndefined();
  });

  test('rejects them after a minute, and asks for no further pass', () => {
    const waiting = calm(unreadable, templates);
    const rejected = calm({ ...waiting, second: 60, wakes: { node: true, pods: [] } }, templates);
    for (const { metadata } of pods)
      expect(rejected.pods[metadata.uid as string]?.status).toMatchObject({
        phase: 'Failed',
        reason: 'InvalidNodeInfo',
        message: 'Pod was rejected: Kubelet cannot get node info.',
      });
    const last = calm({ ...rejected, wakes: { node: true, pods: [] } }, templates);
    expect(last.nextPass).toBeUndefined();
    expect(decisionIn(last)).toMatchObject({ pods: [] });
  });
});

describe('room', () => {
  test('is held by a pod that has left every list, until its pass has seen that nothing runs', () => {
    const critical = cc('c0', { cpu: '1000m', memory: '50Mi' });
    const plain = aPod('plain', { cpu: '200m', second: 200 });
    const templates = byUid([...hrbs, plain, critical]);
    const forced = withoutPod(running(hrbs), 'uid-h0');
    const rejected = calm(arrive(forced, plain), templates);
    expect(rejected.pods['uid-plain']?.status?.message).toMatch(/pods, requested: 1, used: 3, capacity: 3$/);
    const ended = calm(taskEnds(rejected, 'uid-h0'), templates);
    expect(statesIn(ended)).toEqual({ h1: 'admitted', h2: 'admitted' });
  });

  test('of pods that end anyway is claimed before anybody is evicted', () => {
    const critical = cc('c0', { cpu: '300m', memory: '50Mi' });
    const templates = byUid([...hrbs, critical]);
    const removed = calm(remove(running(hrbs), 'uid-h1'), templates);
    const world = calm(arrive(removed, critical), templates);
    expect(evictedIn(world)).toEqual([]);
    expect(entryOf(world, 'uid-c0')?.preemption).toEqual({
      startedAt: at(0),
      victims: [],
      claims: [{ uid: 'uid-h1', deadline: at(45) }],
    });
    const done = calm(taskEnds(world, 'uid-h1'), templates);
    expect(tasksIn(done, 'running').toSorted()).toEqual(['uid-c0', 'uid-h0', 'uid-h2']);
    expect(preemptionsIn(done)).toEqual([]);
  });

  test('of a final phase is held until its task has stopped', () => {
    const plain = aPod('plain', { cpu: '200m', second: 200 });
    const templates = byUid([...hrbs, plain]);
    const full = running(hrbs);
    const failed = { ...hrbs[0], status: { phase: 'Failed' } } as Pod;
    const world = calm(arrive({ ...full, pods: { ...full.pods, 'uid-h0': failed } }, plain), templates);
    expect(world.pods['uid-plain']?.status?.reason).toBe('OutOfpods');
  });
});

test('a pod that is deleted while it waits is cancelled, and its victims are not revived', () => {
  const critical = cc('c0', { cpu: '400m', memory: '50Mi' });
  const templates = byUid([...hrbs, critical]);
  const decided = nodePass(arrive(running(hrbs), critical), templates).world;
  const cancelled = nodePass(remove(decided, 'uid-c0'), templates).world;
  expect(entryOf(cancelled, 'uid-c0')).toMatchObject({ state: 'cancelled' });
  expect(entryOf(cancelled, 'uid-c0')?.room).toBeUndefined();
  const done = calm(taskEnds(calm(cancelled, templates), 'uid-h2'), templates);
  expect(tasksIn(done, 'running').toSorted()).toEqual(['uid-h0', 'uid-h1']);
  expect(done.pods['uid-h2']?.status).toMatchObject({ phase: 'Failed', reason: 'Preempting' });
  expect(done.tasks['uid-c0']).toBe('over');
});

test('a victim that ends by itself before its pass kills it is not counted', () => {
  const critical = cc('c0', { cpu: '400m', memory: '50Mi' });
  const templates = byUid([...hrbs, critical]);
  const decided = nodePass(arrive(running(hrbs), critical), templates).world;
  const done = calm(taskEnds(decided, 'uid-h2'), templates);
  expect(tasksIn(done, 'running').toSorted()).toEqual(['uid-c0', 'uid-h0', 'uid-h1']);
  expect(preemptionsIn(done)).toEqual([]);
});

test('a critical pod that nobody can make room for is rejected, and nobody is evicted', () => {
  const tooLarge = cc('c0', { cpu: '1001m' });
  const templates = byUid([...hrbs, tooLarge]);
  const world = calm(arrive(running(hrbs), tooLarge), templates);
  expect(world.pods['uid-c0']?.status).toMatchObject({ phase: 'Failed', reason: 'UnexpectedAdmissionError' });
  expect(tasksIn(world, 'running')).toHaveLength(3);
  expect(world.counted).toContainEqual({
    metric: 'virtual_node_admissions_total',
    labels: { result: 'rejected', reason: 'UnexpectedAdmissionError' },
  });
});

test.each([
  [undefined, 10],
  [0, 10],
  [7, 10],
  [9, 13],
  [30, 45],
])('of a grace period of %s s a pod is waited for %d s', (graceSeconds, seconds) => {
  const victim = hrb('h0', { ...(graceSeconds !== undefined && { graceSeconds }) });
  const critical = cc('c0', { cpu: '1000m' });
  const { world } = nodePass(arrive(running([victim]), critical), byUid([victim, critical]));
  expect(entryOf(world, 'uid-c0')?.preemption?.victims).toEqual([{ uid: 'uid-h0', deadline: at(seconds) }]);
});

test('ports of the host are held by a pod that no list has', () => {
  const holder = hrb('h0');
  Object.assign(holder.spec.containers[0] ?? {}, { ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }, { containerPort: 81 }] });
  const world = withoutPod(running([holder]), 'uid-h0');
  expect(entryOf(world, 'uid-h0')?.room).toEqual({
    requests: { cpu: '300m', memory: '314572800' },
    hostPorts: [{ address: '0.0.0.0', protocol: 'TCP', port: 80 }],
  });
  const [counted] = countedPods(decisionIn(world)?.pods ?? [], new Map());
  expect(counted).toMatchObject({ standing: 'ending', pod: { spec: { containers: [{ ports: [{ hostPort: 80, protocol: 'TCP' }] }] } } });
});

test('pods that wait are decided oldest first, then by uid', () => {
  const pods = [hrb('b', { second: 5 }), hrb('a', { second: 5 }), hrb('z', { second: 1 }), hrb('y', { second: 9 })];
  const world = calm(pods.reduce(arrive, worldOf(aNode())), byUid(pods));
  expect(decisionIn(world)?.pods.map(({ name }) => name)).toEqual(['z', 'a', 'b']);
  expect(world.pods['uid-y']?.status?.reason).toBe('OutOfpods');
});

describe('after a lost table', () => {
  const critical = cc('c0', { cpu: '400m', memory: '50Mi' });
  const templates = byUid([...hrbs, critical]);
  const preempting = calm(arrive(running(hrbs), critical), templates);

  test('what runs is admitted, a victim stays one, and the pod that waited claims it', () => {
    expect(tasksIn(preempting, 'stopping')).toEqual(['uid-h2']);
    const rebuilt = calm(loseTable(preempting), templates);
    expect(statesIn(rebuilt)).toEqual({ h0: 'admitted', h1: 'admitted', h2: 'admitted', c0: 'preempting' });
    expect(entryOf(rebuilt, 'uid-h2')?.eviction).toEqual({ deadline: at(45) });
    expect(entryOf(rebuilt, 'uid-c0')?.preemption).toMatchObject({ victims: [], claims: [{ uid: 'uid-h2' }] });
    const done = calm(taskEnds(rebuilt, 'uid-h2'), templates);
    expect(tasksIn(done, 'running').toSorted()).toEqual(['uid-c0', 'uid-h0', 'uid-h1']);
  });

  test('a pod that no list has takes its room while it runs', () => {
    const rebuilt = calm(loseTable(withoutPod(preempting, 'uid-h0')), templates);
    expect(entryOf(rebuilt, 'uid-h0')?.room).toEqual({ requests: { cpu: '300m', memory: '314572800' } });
  });

  test('a final phase with nothing running is decided, also of a rejected pod', () => {
    const plain = aPod('plain', { cpu: '1m', second: 200 });
    const all = { ...templates, ...byUid([plain]) };
    const done = calm(taskEnds(calm(arrive(preempting, plain), all), 'uid-h2'), all);
    const victim = done.pods['uid-h2'] as Pod;
    const started = { ...victim, status: { ...victim.status, startTime: at(0) } };
    const { world: rebuilt } = nodePass(loseTable({ ...done, pods: { ...done.pods, 'uid-h2': started } }), all);
    expect(statesIn(rebuilt)).toEqual({ h0: 'admitted', h1: 'admitted', c0: 'admitted' });
    expect(rebuilt.pods['uid-plain']?.status?.phase).toBe('Failed');
  });

  test('a victim whose task never ran stays a victim', () => {
    const marked = podPass(nodePass(arrive(running(hrbs), critical), templates).world, 'uid-h2');
    const { 'uid-h2': _, ...tasks } = marked.tasks;
    const pod = marked.pods['uid-h2'] as Pod;
    const pending = { ...pod, status: { ...pod.status, phase: 'Pending' } };
    const rebuilt = calm(loseTable({ ...marked, tasks, pods: { ...marked.pods, 'uid-h2': pending } }), templates);
    expect(rebuilt.pods['uid-h2']?.status?.phase).toBe('Failed');
    expect(tasksIn(rebuilt, 'running').toSorted()).toEqual(['uid-c0', 'uid-h0', 'uid-h1']);
  });
});

describe('more pods at once than a head can hold the decisions on', () => {
  const pods = Array.from({ length: 400 }, (_, number) => hrb(`p${String(number).padStart(3, '0')}`, { second: number }));

  test('are decided on in several passes, oldest first, and a pod that is forgotten makes place for another', () => {
    let listed = pods;
    let decision = NO_DECISION;
    const decided: string[] = [];
    for (let pass = 0; pass < 20 && decided.length < pods.length; pass++) {
      const snapshot = { node: aNode({ pods: '20' }), pods: listed, decision, ended: new Map(), settings: { ordering: 'qos' as const } };
      decision = decideAdmissions({ ...snapshot, mostCharacters: 30_000 }, new Date(at(1_000))).decision;
      expect(JSON.stringify(decision.pods).length).toBeLessThan(32_000);
      decided.push(...decision.pods.map(({ name }) => name).filter((name) => !decided.includes(name)));
      // The passes of rejected pods write their status.
      const rejected = new Set(decision.pods.flatMap(({ uid, state }) => (state === 'rejected' ? [uid] : [])));
      listed = listed.map((pod) => (rejected.has(pod.metadata.uid ?? '') ? { ...pod, status: { phase: 'Failed' } } : pod));
    }
    expect(decided).toEqual(pods.map(({ metadata }) => metadata.name));
    expect(decision.pods.filter(({ state }) => state === 'admitted').map(({ name }) => name)).toEqual(['p000', 'p001', 'p002']);
  });
});

test('a mirror pod takes room without being asked for it, for what it shows runs already', () => {
  const annotations = { 'kubernetes.io/config.mirror': 'run-1' };
  const plain = cc('m0', { cpu: '1000m', second: 50 });
  const mirror = { ...plain, metadata: { ...plain.metadata, annotations } };
  const world = calm(arrive(running(hrbs), mirror), byUid([...hrbs, mirror]));
  expect([statesIn(world)['m0'], evictedIn(world)]).toEqual(['admitted', []]);
  const next = cc('c9', { cpu: '100m', second: 60 });
  expect(statesIn(calm(arrive(world, next), byUid([...hrbs, mirror, next])))['c9']).not.toBe('admitted');
});
