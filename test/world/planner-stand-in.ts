// A row of the planners' table replaced for one test, and put back after it.
import type { Plan, Snapshot } from '../../lib/kinds/plan.ts';
import type { PlannerRow } from '../../lib/kinds/planner-row.ts';
import { PLANNERS } from '../../lib/kinds/planners.ts';
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';

type Decide = (snapshot: Snapshot<WorkloadObject>, planned: Plan<object>) => Plan<object>;

/** @param decide answers in the Job planner's place, and is given what that one would answer */
export async function withPlans(decide: Decide, work: () => Promise<void>, kept?: PlannerRow['kept']): Promise<void> {
  const planners: { Job: PlannerRow } = PLANNERS;
  const { Job: row } = planners;
  const plan: PlannerRow['planner']['plan'] = (snapshot, now) => decide(snapshot, row.planner.plan(snapshot, now));
  planners.Job = { ...row, planner: { ...row.planner, plan }, ...(kept && { kept }) };
  try {
    await work();
  } finally {
    planners.Job = row;
  }
}
