// Upstream's metrics, told through the telemetry: what the API server confirmed in a pass, and how the pass went.
import { referenceMetric } from '../../objects/reference-metrics.ts';
import type { Plan } from '../../kinds/plan.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Pass } from '../pass/pass.ts';

/** Remembers of the first plan of a pass that it is one of upstream's syncs. */
export function noteSync(pass: Pass, plan: Plan<object>): void {
  if (!pass.sync && pass.owner) pass.sync = pass.row.metrics.syncOf?.(plan, pass.owner);
}

const GOOD = new Set(['acted', 'waiting', 'converged', 'gone']);

/** One pass under upstream's names: what it noted itself, and, where it decided, how that went and how long it took. */
export function countPass(
  telemetry: Telemetry,
  { sync, counted, actions, row }: Pick<Pass, 'sync' | 'counted' | 'actions' | 'row'>,
  { durationMs, outcome }: { durationMs: number; outcome: string },
): void {
  // What one call came to, others went on after; upstream returns that call's error at the end.
  const isGood = GOOD.has(outcome) && actions.every(({ result }) => result === 'done');
  const ofSync = sync && row.metrics.ofSync?.(sync, { isGood, seconds: durationMs / 1000 });
  for (const { metric, value, labels } of [...counted, ...(ofSync ?? [])])
    telemetry.count(metric, value, referenceMetric(metric)?.type === 'histogram' ? 'Seconds' : 'Count', labels);
}
