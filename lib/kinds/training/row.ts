// The planner row of a training kind: what the loop needs in addition to its facts.
import { definePlanner, type PlannerRow } from '../rows/planner-row.ts';
import type { TrainingJob, TrainingStatus } from './terms/job-types.ts';
import { KEPT } from './memory/kept.ts';
import { trainingMetrics } from './metrics.ts';
import { trainingPlanner } from './engine/planner.ts';
import { recordedFactsOf } from './recorded-facts.ts';
import { statusPatchOf } from './status/replica-statuses.ts';
import type { PlannedFramework } from './engine/situation.ts';

export const trainingRow = (framework: PlannedFramework): PlannerRow =>
  definePlanner<TrainingJob, TrainingStatus>({
    ...trainingPlanner(framework),
    status: { patchOf: statusPatchOf, childrenIn: () => [], debouncedFields: ['replicaStatuses', 'lastReconcileTime'] },
    recordedFactsOf: (job) => recordedFactsOf(framework, job),
    metrics: trainingMetrics(framework),
    kept: { schema: KEPT, seenAgain: ['succeeded', 'told'] },
  });
