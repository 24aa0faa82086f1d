// How soon work must go on after a fault: what docs/recovery.md promises, and what runs with a plan are held to.
import { FAULTS, WAITS, type Fault, type FaultName, type Plan, type Wait } from './faults.ts';
import type { Violation } from './checks.ts';
import { SIMULATED_KINDS } from './kinds/table.ts';
import type { Scenario } from './scenario.ts';
import type { Result, Run } from './simulation.ts';

/** Beyond what a fault itself lasts, and what alone can bring the work back. */
export const RECOVERY_MS = 5_000;

/** How passes reach the clusters; undefined: they dial them. */
export type Access = Run['access'];

/** What alone may bring the work back. */
export function waitsOf(name: FaultName, access?: Access): readonly Wait[] {
  const { waits, waitsRelayed = [] }: Fault = FAULTS[name];
  return access === 'relayed' ? [...waits, ...waitsRelayed] : waits;
}

/** How long it may take at most until the work goes on. */
export const longestWaitMs = (name: FaultName, access?: Access): number =>
  waitsOf(name, access).reduce((sum, wait) => sum + WAITS[wait].ms, 0);

/** How much later a run may end for it, beside what the loop itself takes (RECOVERY_MS). */
export const longestDelayMs = (name: FaultName, access?: Access): number => FAULTS[name].lastsMs + longestWaitMs(name, access);

/** How long after the end something of it may still come: a late or a returned message, a digest that differs, an audit. */
export function restMs(name: FaultName): number {
  const { lastsMs, waits, lingersMs = 0 }: Fault = FAULTS[name];
  const isSlow = waits.includes('metadata list') || waits.includes('bookmark');
  return 130_000 + lastsMs + lingersMs + (isSlow ? WAITS['metadata list'].ms + 30_000 : Math.min(longestWaitMs(name), 130_000));
}

/** @param calm the same run without the plan's faults @returns milliseconds by which these make it end later */
export const lateMsOf = (result: Pick<Result, 'endedAtMs'>, calm: Pick<Result, 'endedAtMs'>): number =>
  (result.endedAtMs ?? 0) - (calm.endedAtMs ?? 0);

/** @param run with a plan @param results of it, and of the same run without faults @returns what is wrong, undefined when it recovered in time */
export function recoveryOf(
  { plan, access, scenario }: { plan: Plan; access?: Access; scenario?: Scenario },
  { result, calm }: Results,
): Violation | undefined {
  const lateMs = lateMsOf(result, calm);
  const allowedMs = plan.reduce(
    (sum, { fault }) => sum + longestDelayMs(fault, access) + yieldedMs(fault, scenario),
    RECOVERY_MS + (scenario?.struckMs ?? 0) + (result.leftAloneMs ?? 0),
  );
  if (lateMs <= allowedMs) return undefined;
  return {
    invariant: 'recovers in time',
    atMs: result.endedAtMs ?? 0,
    says: `${Math.round(lateMs)} ms late, allowed ${allowedMs}`,
  };
}

/** A kind of which another controller may run the same workload leaves it alone until that one is silent. */
function yieldedMs(fault: FaultName, scenario: Scenario | undefined): number {
  if (scenario === undefined || (fault !== 'otherController' && fault !== 'otherControllerFights')) return 0;
  return SIMULATED_KINDS.find(({ stories }) => stories.includes(scenario))?.hands.yieldsMs ?? 0;
}

interface Results {
  result: Pick<Result, 'endedAtMs'> & Partial<Pick<Result, 'leftAloneMs'>>;
  calm: Pick<Result, 'endedAtMs'>;
}
