// Where nothing is ending, the node decides on each pod as one admission does, over random nodes. SEED=n is a run again.
import { expect, test } from '@jest/globals';
import { withPodFieldDefaults } from '../../../../lib/admission/pod/pod-defaults.ts';
import { admit } from '../../../../lib/kinds/preemption/checks/admission.ts';
import { rebuiltDecision } from '../../../../lib/kinds/preemption/node/lost-decision.ts';
import { decideAdmissions } from '../../../../lib/kinds/preemption/node/node-admission.ts';
import { isMirror } from '../../../../lib/kinds/preemption/victims/critical-pods.ts';
import type { NodeDecision } from '../../../../lib/kinds/preemption/node/node-decision.ts';
import type { Pod } from '../../../../lib/objects/kubernetes.ts';
import { hasEnded, randomAdmission } from '../random-admissions.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const COUNT = 300;
const now = new Date('2026-01-01T00:00:00Z');

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
const decisionOn = ({ pods }: NodeDecision, pod: Pod) => pods.find(({ uid }) => uid === uidOf(pod));

test(`${COUNT} nodes decide as admissions do, and again the same (SEED=${SEED})`, () => {
  const found = new Set<string>();
  for (let number = 0; number < COUNT; number++) {
    const { node, pods: all, incoming: given } = randomAdmission(SEED, number);
    const settings = { ordering: number % 3 === 0 ? ('priority' as const) : ('qos' as const) };
    const incoming = withPodFieldDefaults(given);
    const pods = all
      .map(withPodFieldDefaults)
      .filter((pod) => !hasEnded(pod))
      .map((pod) => ({ ...pod, status: { ...pod.status, phase: 'Running' } }));
    const before = rebuiltDecision({ pods, running: [] }, now);
    expect(before.pods.map(({ uid }) => uid).toSorted()).toEqual(pods.map(uidOf).toSorted());
    // In the order in which the node has admitted them.
    const inOrder = before.pods.flatMap(({ uid }) => pods.filter((pod) => uidOf(pod) === uid));
    // A mirror pod shows one that runs already: the node only counts it.
    const one = isMirror(incoming) ? ({ state: 'admitted', victims: [] } as const) : admit({ node, pods: inOrder, incoming, settings });
    const snapshot = { node, pods: [incoming, ...pods], ended: new Map(), settings };
    const { decision } = decideAdmissions({ ...snapshot, decision: before }, now);
    const { state, rejection, preemption } = decisionOn(decision, incoming) ?? {};
    const label = `SEED=${SEED}, number ${number}`;
    expect([label, state]).toEqual([label, one.state]);
    expect(rejection).toEqual(one.state === 'rejected' ? { reason: one.reason, message: one.message } : undefined);
    expect(preemption?.victims.map(({ uid }) => uid)).toEqual(one.state === 'preempting' ? one.victims.map(uidOf) : undefined);
    expect(preemption?.claims ?? []).toEqual([]);
    const evicted = decision.pods.flatMap(({ uid, eviction }) => (eviction?.by === uidOf(incoming) ? [uid] : []));
    expect(evicted.toSorted()).toEqual(one.victims.map(uidOf).toSorted());
    expect(decideAdmissions({ ...snapshot, decision }, now).isChanged).toBe(false);
    found.add(one.state);
  }
  expect([...found].toSorted()).toEqual(['admitted', 'preempting', 'rejected']);
});
