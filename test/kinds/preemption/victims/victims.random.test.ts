// The choice of victims against a second formulation of it, slow and plain, over random pods and needs, in both orderings. SEED=n is a run
// again; CASES=100000 makes it that many.
import { expect, test } from '@jest/globals';
import type { Pod } from '../../../../lib/objects/kubernetes.ts';
import { chooseVictims, NoVictimsError, type VictimsAsked } from '../../../../lib/kinds/preemption/victims/victims.ts';
import { plainChoice } from '../plain-choice.ts';
import { hasEnded, randomAdmission, randomNeeds } from '../random-admissions.ts';

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const CASES = Number(process.env['CASES'] ?? 2_000);
const ORDERINGS = ['qos', 'priority'] as const;

type Answer = { victims: readonly Pod[] } | { error: string };

function answerTo(asked: VictimsAsked): Answer {
  try {
    return { victims: chooseVictims(asked) };
  } catch (error) {
    if (error instanceof NoVictimsError) return { error: error.message };
    throw error;
  }
}

const told = (answer: Answer): string => ('error' in answer ? answer.error : answer.victims.map(({ metadata }) => metadata.uid).join(' '));

test(`${CASES} choices are those of the plain formulation (SEED=${SEED})`, () => {
  const different: string[] = [];
  const found = new Set<string>();
  for (let number = 0; number < CASES; number++) {
    const admission = randomAdmission(SEED, number);
    const { pods, incoming: preemptor } = admission;
    const needs = randomNeeds(SEED, number, admission);
    const candidates = pods.filter((pod) => !hasEnded(pod));
    const ordering = ORDERINGS[number % 2] ?? 'qos';
    const ours = answerTo({ preemptor, candidates, requirements: needs, ordering });
    const plain = plainChoice({ preemptor, candidates, needs, ordering });
    if (told(ours) !== told(plain)) different.push(`number ${number}, ${ordering}: ${told(ours)}, and plainly ${told(plain)}`);
    found.add('error' in ours ? 'error' : `${ordering} ${Math.min(ours.victims.length, 4)}`);
  }
  expect(different.slice(0, 3)).toEqual([]);
  expect([...found]).toEqual(
    expect.arrayContaining(['error', ...ORDERINGS.flatMap((ordering) => [0, 1, 2, 3, 4].map((n) => `${ordering} ${n}`))]),
  );
});
