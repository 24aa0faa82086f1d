// Upstream's metrics, sent through telemetry: the changes that the API server confirmed in a pass, and how the pass went.
import { upstreamMetric } from '../../objects/upstream-metrics.ts';
import type { Plan } from '../../kinds/rows/plan.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Pass } from '../pass/pass.ts';

/** Notes from the first plan of a pass that the pass is one of upstream's syncs. */
export function noteSync(pass: Pass, plan: Plan<object>): void {
  if (!pass.decided.sync && pass.known.owner) pass.decided.sync = pass.row.metrics.syncOf?.(plan, pass.known.owner);
}

const GOOD = new Set(['acted', 'waiting', 'converged', 'gone']);

/** Counts one pass under upstream's names: its own counts and, if it decided, the result and the duration. */
export function countPass(
  telemetry: Telemetry,
  { decided: { sync, actions }, pending: { counted }, row }: Pick<Pass, 'decided' | 'pending' | 'row'>,
  { durationMs, outcome }: { durationMs: number; outcome: string },
): void {
  // Like upstream: after a failed call the others go on, and the sync returns that call's error at the end. So any action that is not done
  // makes the sync an error.
  const isGood = GOOD.has(outcome) && actions.every(({ result }) => result === 'done');
  const ofSync = sync && row.metrics.ofSync?.(sync, { isGood, seconds: durationMs / 1000 });
  for (const { metric, value, labels } of [...counted, ...(ofSync ?? [])])
    telemetry.count(metric, value, upstreamMetric(metric)?.type === 'histogram' ? 'Seconds' : 'Count', labels);
}
