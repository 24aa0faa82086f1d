// Begins a run, or finds the one that was begun under its id: a caller may repeat the request any number of times.
import { manifestHashOf, newRun, podsToRun, type RunGiven } from '../../kinds/run-once/new-run.ts';
import { readRun, type RunState } from '../../kinds/run-once/run.ts';
import { otherManifest } from '../../kinds/run-once/texts.ts';
import type { RunRecord } from '../../ports/runs.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { storeManifest } from './run-parts.ts';
import { RunConflictError, type RunPorts } from './run-ports.ts';

/** @returns the run as it stands. @throws RunConflictError the id has another manifest */
export async function beginRun(
  given: RunGiven,
  { runs, clock }: Pick<RunPorts, 'runs' | 'clock'>,
): Promise<{ run: RunState; isNew: boolean }> {
  const { id } = given;
  const hash = manifestHashOf(given);
  const known = await runs.get(id);
  if (known) return { run: sameRun(known, hash), isNew: false };
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
      0,
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
