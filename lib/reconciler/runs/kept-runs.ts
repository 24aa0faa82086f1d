// Runs that are kept. A table drops a finished one long after its time, and for readers it is gone before.
import type { RunRecord, Runs } from '../../ports/runs.ts';

export const isKept = ({ keptUntilMs = Infinity }: Pick<RunRecord, 'keptUntilMs'>, nowMs: number): boolean => keptUntilMs > nowMs;

/** @returns undefined: there is no such run, or its time is over */
export async function keptRun(runs: Pick<Runs, 'get'>, id: string, nowMs: number): Promise<RunRecord | undefined> {
  const record = await runs.get(id);
  return record && isKept(record, nowMs) ? record : undefined;
}
