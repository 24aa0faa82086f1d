// What a plan gets that its planner does not say.
import { expect, test } from '@jest/globals';
import { EMPTY_HEAD, type NewPlan, type PlanHead } from '../../../lib/kinds/rows/plan.ts';
import { plannerOf } from '../../../lib/kinds/rows/planner-row.ts';
import type { WorkloadObject } from '../../../lib/objects/kubernetes.ts';
import { now } from '../job/builders.ts';

const ahead = (seconds: number): number => now.getTime() + seconds * 1000;

const againOf = (said: Partial<NewPlan<object>>, head: Partial<PlanHead>): [number | undefined, string] => {
  const planner = plannerOf<WorkloadObject, object>({ plan: () => ({ actions: [], why: [], ...said }) });
  const owner = { metadata: { name: 'demo' } };
  const { requeueAfterSeconds, outcome } = planner.plan({ owner, pods: [], head: { ...EMPTY_HEAD, ...head }, manages: [] }, now);
  return [requeueAfterSeconds, outcome];
};

test.each<[string, Partial<NewPlan<object>>, Partial<PlanHead>, [number | undefined, string]]>([
  ['nothing is held', {}, {}, [undefined, 'converged']],
  ['creates are', {}, { holdUntilMs: ahead(20) }, [20, 'waiting']],
  ['deletes are', {}, { deleteHoldUntilMs: ahead(5) }, [5, 'waiting']],
  ['the hold is over', {}, { holdUntilMs: ahead(-1) }, [undefined, 'converged']],
  ['the planner wants to look earlier', { requeueAfterSeconds: 3 }, { holdUntilMs: ahead(20) }, [3, 'waiting']],
  ['the planner wants to look later', { requeueAfterSeconds: 3600 }, { holdUntilMs: ahead(20) }, [20, 'waiting']],
  ['somebody else has it', { outcome: 'notOurs' }, { holdUntilMs: ahead(20) }, [undefined, 'notOurs']],
  ['it is parked', { outcome: 'parked', requeueAfterSeconds: 60 }, { holdUntilMs: ahead(20) }, [60, 'parked']],
])('a workload is looked at again when a hold ends: %s', (_name, said, head, again) => {
  expect(againOf(said, head)).toEqual(again);
});
