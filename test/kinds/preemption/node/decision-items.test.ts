// How a node's decision is stored. The figures are those of docs/decisions/0012-admission-is-the-nodes-pass.md.
import { expect, test } from '@jest/globals';
import {
  itemNameFor,
  itemNamesOf,
  readDecision,
  storedDecision,
  type DecisionItems,
  type StoredDecision,
} from '../../../../lib/kinds/preemption/node/decision-items.ts';
import type { NodeDecision, PodDecision } from '../../../../lib/kinds/preemption/node/node-decision.ts';

const uidOf = (number: number): string => `0b9f2c1e-7d3a-4c58-9e21-${String(number).padStart(12, '0')}`;
const DEADLINE = '2026-01-01T00:00:45.000Z';

const podAt = (number: number, more: Partial<PodDecision> = {}): PodDecision => ({
  uid: uidOf(number),
  namespace: 'team-payments',
  name: `checkout-7d9c4b5f66-${number.toString(36).padStart(5, 'x')}`,
  state: 'admitted',
  sequence: number,
  room: { requests: { cpu: '500m', memory: '536870912' } },
  ...more,
});
const decisionOf = (count: number): NodeDecision => ({
  latest: count,
  told: count,
  pods: Array.from({ length: count }, (_, at) => podAt(at + 1)),
});
const bytesOf = (value: unknown): number => JSON.stringify(value).length;

interface Stored {
  stored: StoredDecision;
  items: DecisionItems;
}

/** What is in the table after a further write. */
function written(decision: NodeDecision, write: string, before?: Stored): Stored & { names: string[] } {
  const { stored, items } = storedDecision(decision, write, before);
  return { stored, items: new Map([...(before?.items ?? []), ...items]), names: [...items.keys()] };
}

test('a pod takes some 200 bytes, more while it is a victim or waits', () => {
  const wait = (number: number): { uid: string; deadline: string } => ({ uid: uidOf(number), deadline: DEADLINE });
  const { room: _, ...rejected } = podAt(500, { state: 'rejected' });
  const message = "Node didn't have enough resource: cpu, requested: 500, used: 600, capacity: 1000";
  expect(bytesOf(podAt(500))).toBe(199);
  expect(bytesOf({ ...rejected, rejection: { reason: 'OutOfcpu', message } })).toBe(270);
  expect(bytesOf(podAt(500, { changed: 1004, eviction: { by: uidOf(2), signal: 'cpu', deadline: DEADLINE } }))).toBe(324);
  const preemption = { startedAt: DEADLINE, victims: [wait(1), wait(2)], claims: [] };
  expect(bytesOf(podAt(500, { state: 'preempting', preemption }))).toBe(449);
});

test('two pods lie in the head; 1,000 lie in 32 items that a head of less than 600 bytes names', () => {
  expect(storedDecision(decisionOf(2), 'k3f9a2xq').items.size).toBe(0);
  expect(storedDecision(decisionOf(3), 'k3f9a2xq').items.size).toBe(1);
  const { stored, items } = storedDecision(decisionOf(1000), 'k3f9a2xq');
  expect(bytesOf(decisionOf(1000))).toBe(199_929);
  expect(items.size).toBe(32);
  expect(bytesOf(stored)).toBe(389);
  const sizes = [...items.values()].map(bytesOf);
  expect(Math.min(...sizes)).toBeGreaterThan(5000);
  expect(Math.max(...sizes)).toBeLessThan(7000);
});

test.each([0, 1, 2, 3, 40, 1000])('%d pods read as they were stored', (count) => {
  const decision: NodeDecision = { ...decisionOf(count), told: 0, unreadableSince: DEADLINE };
  const { stored, items } = storedDecision(decision, 'w1');
  const copies = new Map([...items].map(([name, content]) => [name, JSON.parse(JSON.stringify(content)) as unknown]));
  expect(readDecision(JSON.parse(JSON.stringify(stored)), copies)).toEqual(decision);
});

test('a change writes the items of its pods under new names, and no other', () => {
  const decision = decisionOf(1000);
  const before = written(decision, 'w1');
  const eviction = { by: uidOf(2), signal: 'cpu', deadline: DEADLINE };
  const changed = { ...decision, pods: decision.pods.map((pod) => (pod.uid === uidOf(7) ? { ...pod, eviction } : pod)) };
  const after = written(changed, 'w2', before);
  expect(after.names).toEqual([itemNameFor(uidOf(7), after.stored)]);
  expect(itemNamesOf(before.stored)).not.toContain(after.names[0]);
  expect(readDecision(after.stored, after.items)).toEqual(changed);
  // The head of before still names what it named.
  expect(readDecision(before.stored, after.items)).toEqual(decision);
  expect(written(changed, 'w3', after).names).toEqual([]);
});

test('a pod’s pass finds the decision on it in one item', () => {
  const { stored, items } = written(decisionOf(1000), 'w1');
  for (const number of [1, 500, 1000]) expect(items.get(itemNameFor(uidOf(number), stored) ?? '')).toContainEqual(podAt(number));
  expect(itemNameFor(uidOf(1), storedDecision(decisionOf(2), 'w1').stored)).toBeUndefined();
});

test('the number of items follows that of pods, and stays where these come and go', () => {
  let now = written(decisionOf(256), 'w256');
  const counts: number[] = [];
  for (const count of [257, 384, 385, 300, 192, 191, 3, 1]) {
    now = written(decisionOf(count), `w${count}`, now);
    counts.push(itemNamesOf(now.stored).length);
    expect(readDecision(now.stored, now.items)).toEqual(decisionOf(count));
  }
  expect(counts).toEqual([8, 8, 16, 16, 16, 8, 1, 0]);
});

test('without one of its items, or unreadable, a decision is lost', () => {
  const { stored, items } = written(decisionOf(100), 'w1');
  const [first = ''] = items.keys();
  expect(readDecision(stored, new Map([...items].filter(([name]) => name !== first)))).toBeUndefined();
  expect(readDecision(stored, new Map<string, unknown>(items).set(first, [{ uid: 7 }]))).toBeUndefined();
  expect(readDecision({ latest: 'x' }, items)).toBeUndefined();
});
