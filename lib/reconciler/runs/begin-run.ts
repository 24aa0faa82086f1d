// Begins a run, or finds the one that was begun under its id: a caller may repeat the request any number of times.
import { manifestHashOf, newRun, podsToRun, type RunGiven } from '../../kinds/run-once/new-run.ts';
import { readRun, type RunState } from '../../kinds/run-once/run.ts';
import { otherManifest } from '../../kinds/run-once/texts.ts';
import type { RunRecord } from '../../ports/runs.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { isKept } from './kept-runs.ts';
import { removeLogs, storeManifest } from './run-parts.ts';
import { RunConflictError, type RunPorts } from './run-ports.ts';

/** @returns the run as it stands. @throws RunConflictError the id has another manifest */
export async function beginRun(
  asked: RunGiven,
  { runs, clock }: Pick<RunPorts, 'runs' | 'clock'>,
): Promise<{ run: RunState; isNew: boolean }> {
  const { id } = asked;
  const hash = manifestHashOf(asked);
  const known = await runs.get(id);
  const isTaken = known !== undefined && isKept(known, clock.nowMs());
  if (isTaken) return { run: sameRun(known, hash), isNew: false };
  // Of a run whose time is over: its id is free, and its logs must not be taken for those of the new one.
  if (known) await removeLogs(runs, id);
  const given = known ? { ...asked, formerAtMs: known.createdAtMs } : asked;
  const run = newRun(given, new Date(clock.nowMs()));
  // Before the record: where the record is, its manifest is whole.
  await storeManifest(runs, id, hash, podsToRun(given));
  const { finishedAtMs } = run;
  try {
    await runs.put(
      {
        id,
        manifestHash: hash,
        createdAtMs: run.createdAtMs,
        state: JSON.stringify(run),
        ...(finishedAtMs === undefined ? { dueAtMs: run.createdAtMs } : { keptUntilMs: finishedAtMs + run.options.ttlSeconds * 1_000 }),
      },
      known?.version ?? 0,
    );
    return { run, isNew: true };
  } catch (error) {
    if (!(error instanceof StaleWriteError) || !error.current) throw error;
    return { run: sameRun(error.current as RunRecord, hash), isNew: false };
  }
}

function sameRun({ id, manifestHash, state }: RunRecord, hash: string): RunState {
  if (manifestHash !== hash) throw new RunConflictError(otherManifest(id));
  return readRun(state);
}
