// Logs of a run's containers as its provider has them now.
import type { RunState } from '../../kinds/run-once/run.ts';
import { isElsewhere, isHere, openProvider } from '../run-records/run-provider.ts';
import type { LogsByPod } from './run-text.ts';

const MOST_BYTES = 64 * 1_048_576;

/** Another process runs the pods: their logs are files in their folders. */
async function heldLogs(run: RunState, folder: string): Promise<LogsByPod> {
  const { logOfHeldPod } = await import('../../adapters/providers/local-process/pod-log.ts');
  const found = new Map<string, Readonly<Record<string, string>>>();
  for (const { uid, attempt, name, status } of run.pods) {
    const texts: Record<string, string> = {};
    for (const { name: container } of status?.containers ?? []) {
      const pieces: Uint8Array[] = [];
      const task = { folder, node: run.node.metadata.name ?? '', task: { uid, attempt }, name };
      try {
        for await (const piece of logOfHeldPod(task, { container, limitBytes: MOST_BYTES }, new AbortController().signal))
          pieces.push(piece);
        texts[container] = Buffer.concat(pieces).toString();
      } catch {
        // It has not begun.
      }
    }
    if (Object.keys(texts).length > 0) found.set(uid, texts);
  }
  return found;
}

/** A provider within the process that drives the run has no room for a second one beside it: nothing is read then. @returns by the uid of the pod */
export async function logsAtProvider(run: RunState, folder: string, tokenFile: string | undefined): Promise<LogsByPod> {
  const [{ openStateFolder, StateFolderHeldError }, { SystemClock }, { lastLines }] = await Promise.all([
    import('../../adapters/embedded/state-folder.ts'),
    import('../../adapters/clock/system-clock.ts'),
    import('../../reconciler/runs/run-logs.ts'),
  ]);
  const clock = new SystemClock();
  let lock: ReturnType<typeof openStateFolder> | undefined;
  try {
    if (!isElsewhere(run.provider)) lock = openStateFolder(folder);
    const opened = await openProvider({
      word: run.provider,
      node: run.node.metadata.name ?? '',
      folder,
      clock,
      tokenFile,
    });
    const found = new Map<string, Readonly<Record<string, string>>>();
    try {
      for (const pod of run.pods.filter(({ isSeen }) => isSeen)) {
        const texts: Record<string, string> = {};
        for (const { name } of pod.status?.containers ?? []) {
          const text = await lastLines(opened.provider, pod, { container: name, mostBytes: MOST_BYTES, clock });
          if (text !== undefined)
            texts[name] =
              Buffer.byteLength(text) < MOST_BYTES ? text : `${text}\n[farloop: the rest is left out: it is longer than 64 MiB]`;
        }
        if (Object.keys(texts).length > 0) found.set(pod.uid, texts);
      }
    } finally {
      opened.close();
    }
    return found;
  } catch (error) {
    if (error instanceof StateFolderHeldError) return isHere(run.provider) ? await heldLogs(run, folder) : new Map();
    throw error;
  } finally {
    lock?.close();
  }
}
