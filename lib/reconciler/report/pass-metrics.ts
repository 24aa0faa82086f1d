// The metrics of one pass, as ports/metrics.ts describes them.
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Pass } from '../pass/pass.ts';

/** @param lagMs from the event or the due timer that led to the pass until now; undefined if there was none */
export function countWork(
  telemetry: Telemetry,
  { key: { cluster, kind }, decided: { actions } }: Pick<Pass, 'key' | 'decided'>,
  { outcome, durationMs, lagMs }: { outcome: string; durationMs: number; lagMs: number | undefined },
): void {
  telemetry.count('ReconcileDuration', durationMs, 'Milliseconds', { cluster, kind, outcome });
  if (outcome === 'throttled') telemetry.count('BudgetExhausted', 1, 'Count', { cluster });
  if (lagMs !== undefined) telemetry.count('EventToPassLag', Math.max(lagMs - durationMs, 0), 'Milliseconds', { cluster });
  const writes = actions.reduce((sum, { result, count = 1 }) => sum + (result === 'done' ? count : 0), 0);
  if (writes === 0) return;
  telemetry.count('WritesSent', writes, 'Count', { cluster });
  if (lagMs !== undefined) telemetry.count('EventToActionLag', Math.max(lagMs, 0), 'Milliseconds', { cluster });
}
