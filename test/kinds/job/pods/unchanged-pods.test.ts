// A plan walks what has changed since the one before (docs/decisions/0005): of thousands of pods it looks at a few. Counted, not timed.
import { expect, test } from '@jest/globals';
import type { PodFacts } from '../../../../lib/objects/pods/pod-facts.ts';
import { jobPlanner } from '../../../../lib/kinds/job/plan.ts';
import { PodSet } from '../../../../lib/kinds/rows/pod-set.ts';
import { anIndexedJob, aPod, aSnapshot, now } from '../builders.ts';

const INDEXES = 20_000;

test.each([
  { are: 'have succeeded', phase: 'Succeeded', verb: 'patch' },
  { are: 'are deleted', phase: undefined, verb: 'create' },
] as const)('ten of many that $are', ({ phase, verb }) => {
  const looked = new Set<string>();
  const watched = (pod: PodFacts): PodFacts =>
    new Proxy(pod, {
      get(facts, field) {
        looked.add(facts.uid);
        return Reflect.get(facts, field) as unknown;
      },
    });
  const all = Array.from({ length: INDEXES }, (_, index) =>
    watched(aPod({ uid: `u${index}`, name: `demo-${index}`, index: String(index), number: 0, phase: 'Running' })),
  );
  const job = anIndexedJob({ completions: INDEXES, parallelism: INDEXES });
  const pods = PodSet.byPlace(all);
  jobPlanner.plan({ ...aSnapshot(job, []), pods }, now);
  const changes = all
    .filter((_, at) => at % (INDEXES / 10) === 7)
    .map((was) => ({ was, ...(phase && { now: watched({ ...was, phase }) }) }));
  looked.clear();
  const plan = jobPlanner.plan({ ...aSnapshot(job, []), pods: pods.with(changes) }, now);
  expect(plan.actions.filter((action) => action.verb === verb)).toHaveLength(10);
  expect(looked.size).toBeGreaterThan(0);
  expect(looked.size).toBeLessThan(INDEXES / 20);
});
