// What holds of every admission, over random nodes with thirty pods and more: for whom pods are evicted, which, and that none of them
// is evicted for nothing. A run prints nothing but its seed, and only where something fails; SEED=n is that run again.
import { describe, expect, test } from '@jest/globals';
import { withPodFieldDefaults } from '../../../../lib/admission/pod/pod-defaults.ts';
import type { Pod } from '../../../../lib/objects/kubernetes.ts';
import { admit, type Admission, type AdmissionInput } from '../../../../lib/kinds/preemption/checks/admission.ts';
import { rebuiltDecision } from '../../../../lib/kinds/preemption/node/lost-decision.ts';
import { decideAdmissions } from '../../../../lib/kinds/preemption/node/node-admission.ts';
import type { NodeDecision } from '../../../../lib/kinds/preemption/node/node-decision.ts';
import { isPlainlyCritical, isPlainlyPreemptable, plainClassOf, stillNeeded, type Choice, type Need } from '../plain-choice.ts';
import { hasEnded, randomAdmission } from '../random-admissions.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const COUNT = 150;
const LEAST_PODS = 30;

interface Decided {
  id: string;
  ordering: Choice['ordering'];
  input: AdmissionInput;
  admission: Admission;
  needs: Need[];
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

function needsOf({ failures }: Admission): Need[] {
  return failures.flatMap((failure) => {
    if (!('resource' in failure)) return [];
    const quantity = failure.requested - (failure.capacity - failure.used);
    return [{ resource: failure.resource, quantity }];
  });
}

function inputOf(number: number, ordering: Choice['ordering']): AdmissionInput {
  const { node, pods, incoming } = randomAdmission(SEED, number, LEAST_PODS);
  const staying = pods.map(withPodFieldDefaults).filter((pod) => !hasEnded(pod));
  return frozen({ node, pods: staying, incoming: withPodFieldDefaults(incoming), settings: { ordering } });
}

const decided: Decided[] = Array.from({ length: COUNT }, (_, number) => {
  const ordering = number % 3 === 0 ? 'priority' : 'qos';
  const input = inputOf(number, ordering);
  const admission = admit(input);
  return { id: `SEED=${SEED}, number ${number}`, ordering, input, admission, needs: needsOf(admission) };
});
const preempting = decided.filter(({ admission }) => admission.state === 'preempting');

/** Those for which a statement does not hold. */
const wrong = (list: readonly Decided[], holds: (one: Decided) => boolean): string[] =>
  list.filter((one) => !holds(one)).map(({ id }) => id);

/** In ascending order of worth: pods of a later group go only for what those of earlier groups cannot give. */
function groupOf({ ordering }: Decided, pod: Pod): string {
  const rank = ['BestEffort', 'Burstable', 'Guaranteed'].indexOf(plainClassOf(pod));
  if (ordering === 'qos') return String(rank);
  const priority = String(Number(pod.spec['priority'] ?? 0) + 10 ** 9).padStart(10, '0');
  return `${isPlainlyCritical(pod) ? 1 : 0}-${priority}-${rank}`;
}

/** What would be missing without one victim, though all that could go in groups of less worth went, and all other victims. */
function missingWithout(one: Decided, spared: Pod): Need[] {
  const { pods, incoming } = one.input;
  const group = groupOf(one, spared);
  const cheaper = pods.filter((pod) => isPlainlyPreemptable(incoming, pod) && groupOf(one, pod) < group);
  const others = one.admission.victims.filter((pod) => pod !== spared && groupOf(one, pod) >= group);
  return stillNeeded(one.needs, [...cheaper, ...others]);
}

describe('the random admissions', () => {
  test('show evictions of every class, several at once, and each other end', () => {
    const classes = new Set(preempting.flatMap(({ admission }) => admission.victims.map(plainClassOf)));
    expect([...classes].toSorted((a, b) => a.localeCompare(b))).toEqual(['BestEffort', 'Burstable', 'Guaranteed']);
    expect(preempting.filter(({ admission }) => admission.victims.length > 1).length).toBeGreaterThan(10);
    for (const state of ['admitted', 'rejected'])
      expect(decided.filter(({ admission }) => admission.state === state).length).toBeGreaterThan(10);
  });
});

describe('nothing is evicted', () => {
  test('unless the pod is then admitted', () => {
    expect(wrong(decided, ({ admission }) => admission.victims.length > 0 === (admission.state === 'preempting'))).toEqual([]);
  });

  test('for a pod that is not critical', () => {
    expect(wrong(preempting, ({ input }) => isPlainlyCritical(input.incoming))).toEqual([]);
  });

  test('for a pod that would be rejected for another reason', () => {
    const hasOther = ({ admission }: Decided): boolean => admission.failures.some((failure) => !('resource' in failure));
    expect(decided.filter(hasOther).length).toBeGreaterThan(0);
    expect(wrong(decided.filter(hasOther), ({ admission }) => admission.state === 'rejected')).toEqual([]);
  });

  test('for a pod that fits', () => {
    expect(wrong(preempting, ({ needs }) => needs.length > 0)).toEqual([]);
  });
});

describe('those that are evicted', () => {
  test('are pods of the node that the incoming one may preempt, each once', () => {
    expect(
      wrong(preempting, ({ input: { pods, incoming }, admission: { victims } }) => {
        const isKnown = victims.every((victim) => pods.includes(victim) && isPlainlyPreemptable(incoming, victim));
        return isKnown && new Set(victims).size === victims.length;
      }),
    ).toEqual([]);
  });

  test('free what is missing', () => {
    expect(wrong(preempting, ({ needs, admission }) => stillNeeded(needs, admission.victims).length === 0)).toEqual([]);
  });

  test('are needed: without the last one chosen of a group something would be missing', () => {
    expect(
      wrong(preempting, (one) => {
        const lastOfGroups = new Map(one.admission.victims.map((victim) => [groupOf(one, victim), victim]));
        return [...lastOfGroups.values()].every((victim) => missingWithout(one, victim).length > 0);
      }),
    ).toEqual([]);
  });

  test('would not have been enough where none could be found', () => {
    const unhelped = decided.filter(({ admission }) => admission.message?.includes('no set of running pods found') === true);
    expect(unhelped.length).toBeGreaterThan(0);
    expect(
      wrong(unhelped, ({ input: { pods, incoming }, needs, admission: { message } }) => {
        const missing = stillNeeded(
          needs,
          pods.filter((pod) => isPlainlyPreemptable(incoming, pod)),
        );
        const list = missing.map(({ resource, quantity }) => `(res: ${resource}, q: ${quantity}), `).join('');
        return missing.length > 0 && message?.endsWith(`: [${list}]`) === true;
      }),
    ).toEqual([]);
  });
});

test('the same input in the same order gives the same answer', () => {
  const text = (value: unknown): string => JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}` : part));
  expect(wrong(decided, ({ input, admission }) => text(admit(structuredClone(input))) === text(admission))).toEqual([]);
});

describe('a decision that is replayed from its head', () => {
  const now = new Date('2026-02-01T00:00:00Z');
  const soon = new Date('2026-02-01T00:00:01Z');
  const running = (pod: Pod): Pod => ({ ...pod, status: { ...pod.status, phase: 'Running' } });
  const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
  const victimsIn = ({ pods }: NodeDecision, uid: string): string[] =>
    pods.find((decision) => decision.uid === uid)?.preemption?.victims.map((victim) => victim.uid) ?? [];
  const doomedBy = ({ pods }: NodeDecision, uid: string): string[] =>
    pods.flatMap((decision) => (decision.eviction?.by === uid ? [decision.uid] : []));

  /** The first decision, and that of a pass to which the node and its settings look different, with one more critical pod. */
  function decidedTwice({ input: { node, pods, incoming, settings } }: Decided) {
    const listed = [...pods.map(running), incoming];
    const before = rebuiltDecision({ pods: pods.map(running), running: [] }, now);
    const snapshot = { node, pods: listed, decision: before, ended: new Map(), settings };
    const first = decideAdmissions(snapshot, now).decision;
    const late: Pod = { ...incoming, metadata: { ...incoming.metadata, name: 'late', uid: 'uid-late' } };
    const ordering = settings.ordering === 'qos' ? 'priority' : 'qos';
    const stored = JSON.parse(JSON.stringify(first)) as NodeDecision;
    const second = decideAdmissions({ ...snapshot, pods: [...listed, late], decision: stored, settings: { ordering } }, soon).decision;
    return { first, second, uid: uidOf(incoming) };
  }
  const twice = preempting.map(decidedTwice).filter(({ first, uid }) => victimsIn(first, uid).length > 0);

  test('never chooses again', () => {
    expect(twice.length).toBeGreaterThan(10);
    for (const { first, second, uid } of twice) {
      expect(victimsIn(second, uid)).toEqual(victimsIn(first, uid));
      expect(doomedBy(second, uid)).toEqual(doomedBy(first, uid));
    }
  });

  test('evicts nobody twice for another pod', () => {
    expect(twice.some(({ second }) => doomedBy(second, 'uid-late').length > 0)).toBe(true);
    for (const { first, second, uid } of twice) {
      const others = victimsIn(second, 'uid-late');
      expect(victimsIn(first, uid).filter((victim) => others.includes(victim))).toEqual([]);
    }
  });
});
