// The planner row of Jobs: what the loop needs in addition to their facts.
import type { Job, JobStatus } from '../../objects/kubernetes.ts';
import { definePlanner } from '../rows/planner-row.ts';
import { jobBackoff } from './backoff/kept-backoff.ts';
import { jobMetrics } from './counting/metrics.ts';
import { jobRunLengths } from './detail/run-lengths.ts';
import { jobPlanner } from './plan.ts';
import { recordedFactsOf } from './recorded-facts.ts';
import { jobTexts } from './recorded-texts.ts';
import { jobKept } from './scheduling/scheduling-plan.ts';
import { jobStatus } from './status.ts';

export const jobRow = definePlanner<Job, JobStatus>({
  ...jobPlanner,
  status: jobStatus,
  metrics: jobMetrics,
  backoff: jobBackoff,
  kept: jobKept,
  runLengths: jobRunLengths,
  recordedFactsOf,
  recordedTexts: jobTexts,
});
