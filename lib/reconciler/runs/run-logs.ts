// The last lines of each container's log, kept with a run's results. They are read before a task is deleted, and at the latest before the run ends.
import type { RunPod, RunState } from '../../kinds/run-once/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Runs } from '../../ports/runs.ts';
import { inParallel } from '../invocation/parallel.ts';
import { readLogs, storeLogs } from './run-parts.ts';

const MOST_BYTES = 32_768;
const READ_MS = 10_000;
const AT_ONCE = 10;

/** Keeps those that are not kept yet; of a task that was deleted again, as it may have written while it ended. Logs that cannot be read are left out. */
export async function keepLogs(
  run: RunState,
  indexes: readonly number[],
  { runs, provider, clock }: { runs: Runs; provider: Provider; clock: Clock },
): Promise<void> {
  const { logs: lines } = run.options;
  if (lines === undefined || !provider.logs) return;
  await inParallel(indexes, AT_ONCE, async (index) => {
    const pod = run.pods[index];
    if (!pod?.isSeen) return;
    const known = await readLogs(runs, run.id, index);
    if (known !== undefined && !pod.stop?.isOver) return;
    const texts: Record<string, string> = {};
    for (const { name } of pod.status?.containers ?? []) {
      const read = await lastLines(provider, pod, { container: name, lines, clock });
      // A provider need not keep the logs of deleted tasks.
      const text = read || (known?.[name] ?? read);
      if (text !== undefined) texts[name] = text;
    }
    await storeLogs(runs, run.id, index, texts);
  });
}

/** @returns undefined where the provider has no log of it */
export async function lastLines(
  provider: Provider,
  { uid, attempt }: Pick<RunPod, 'uid' | 'attempt'>,
  { container, lines, mostBytes = MOST_BYTES, clock }: { container: string; lines?: number; mostBytes?: number; clock: Clock },
): Promise<string | undefined> {
  if (!provider.logs) return undefined;
  const giveUp = new AbortController();
  const ended = new AbortController();
  void clock.wait(READ_MS, ended.signal).then(() => giveUp.abort());
  const pieces: Uint8Array[] = [];
  try {
    const wanted = { container, limitBytes: mostBytes, ...(lines !== undefined && { tailLines: lines }) };
    for await (const piece of provider.logs({ uid, attempt }, wanted, giveUp.signal)) pieces.push(piece);
  } catch {
    if (pieces.length === 0) return undefined;
  } finally {
    ended.abort();
  }
  return Buffer.concat(pieces).toString();
}
