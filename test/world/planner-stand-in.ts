// A row of the planners' table replaced for one test, and put back after it.
import type { Plan, Snapshot } from '../../lib/kinds/rows/plan.ts';
import type { PlannerRow } from '../../lib/kinds/rows/planner-row.ts';
import { PLANNERS, plannerRowFor } from '../../lib/kinds/planners.ts';
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';

type Decide = (snapshot: Snapshot<WorkloadObject>, planned: Plan<object>) => Plan<object>;

/**
 * @param decide answers in the planner's place, and is given what that one would answer
 * @param about.kind whose planner; absent: that of Jobs
 */
export async function withPlans(
  decide: Decide,
  work: () => Promise<void>,
  { kept, kind = 'Job' }: { kept?: PlannerRow['kept']; kind?: string } = {},
): Promise<void> {
  const planners: Record<string, PlannerRow> = PLANNERS;
  const row = plannerRowFor(kind);
  const plan: PlannerRow['planner']['plan'] = (snapshot, now) => decide(snapshot, row.planner.plan(snapshot, now));
  planners[kind] = { ...row, planner: { ...row.planner, plan }, ...(kept && { kept }) };
  try {
    await work();
  } finally {
    planners[kind] = row;
  }
}
