// Small nodes, and all that can happen on them in every order: arrivals, passes, deaths of passes, ends, deletions, deadlines, a lost
// table. In each state that can be reached: nothing is overbooked that no deadline has let in, nobody is evicted twice or for nothing.
import { expect, test } from '@jest/globals';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { playAll, type Play } from './node-orders.ts';
import { aNode, aPod, arrive, byUid, calm, cc, worldOf } from './node-world.ts';

type Case = Omit<Play, 'first' | 'templates' | 'arriving'> & {
  name: string;
  node: Parameters<typeof aNode>[0];
  running: Pod[];
  arriving: Pod[];
};

const plain = (name: string, cpu: string, second = 0): Pod => aPod(name, { cpu, second, graceSeconds: 30 });
const critical = (name: string, cpu: string, second = 100): Pod => cc(name, { cpu, memory: '1Mi', second });

const cases: Case[] = [
  {
    name: 'A20: two critical pods on a node of three',
    node: { cpu: '900m', pods: '3' },
    running: [plain('a', '300m', 1), plain('b', '300m', 2), plain('c', '300m', 3)],
    arriving: [critical('x', '400m'), critical('y', '400m', 101)],
  },
  {
    name: 'two critical pods, each read overtaken',
    node: { cpu: '600m', pods: '2' },
    running: [plain('a', '300m', 1), plain('b', '300m', 2)],
    arriving: [critical('x', '300m'), critical('y', '200m', 101)],
    isSplit: true,
  },
  {
    name: 'plain pods that come meanwhile and are victims before they run',
    node: { cpu: '600m', pods: '3' },
    running: [plain('a', '300m', 1)],
    arriving: [plain('b', '300m', 2), critical('x', '300m'), plain('c', '100m', 3)],
    isSplit: true,
    mayDie: true,
  },
  {
    name: 'a critical pod that is deleted while it waits',
    node: { cpu: '600m', pods: '2' },
    running: [plain('a', '300m', 1), plain('b', '300m', 2)],
    arriving: [critical('x', '300m'), critical('y', '300m', 101)],
    removable: ['uid-x'],
  },
  {
    name: 'a victim that is deleted',
    node: { cpu: '600m', pods: '2' },
    running: [plain('a', '300m', 1), plain('b', '300m', 2)],
    arriving: [critical('x', '300m'), plain('c', '300m', 3)],
    removable: ['uid-b'],
  },
  {
    name: 'deletions by force, and ends of their own',
    node: { cpu: '600m', pods: '2' },
    running: [plain('a', '300m', 1), plain('b', '300m', 2)],
    arriving: [critical('x', '300m'), plain('c', '300m', 50)],
    forcible: ['uid-b'],
    finishing: ['uid-a'],
  },
  {
    name: 'deadlines that pass',
    node: { cpu: '600m', pods: '2' },
    running: [plain('a', '300m', 1), plain('b', '300m', 2)],
    arriving: [critical('x', '300m'), critical('y', '300m', 101)],
    deadlines: 2,
  },
  {
    name: 'a lost table, at any moment',
    node: { cpu: '600m', pods: '2' },
    running: [plain('a', '300m', 1), plain('b', '300m', 2)],
    arriving: [critical('x', '300m'), critical('y', '200m', 101)],
    mayLoseTable: true,
    mayDie: true,
  },
  {
    name: 'a lost table, and pods that leave every list',
    node: { cpu: '600m', pods: '2' },
    running: [plain('a', '300m', 1), plain('b', '300m', 2)],
    arriving: [critical('x', '300m')],
    forcible: ['uid-a'],
    removable: ['uid-x'],
    mayLoseTable: true,
  },
];

test.each(cases)('$name', ({ node, running, arriving, ...play }) => {
  const templates = byUid([...running, ...arriving]);
  const first = calm(running.reduce(arrive, worldOf(aNode(node))), templates);
  const outcome = playAll({ ...play, first, templates, arriving: Object.keys(byUid(arriving)) });
  expect(outcome.broken).toEqual([]);
  expect(outcome.ends).toBeGreaterThan(0);
});
