// The log of a container of a pod on this machine. It is read from the pod's folder alone: also by a process that runs no pods.
import { existsSync } from 'node:fs';
import type { LogRequest } from '../../../objects/log-request.ts';
import type { TaskName } from '../../../objects/task.ts';
import { NotFoundError } from '../../../ports/errors.ts';
import { readLog } from './folder/log-reader.ts';
import { logOf } from './folder/records.ts';
import { folderOfPod, processesIn, recordOf, type KnownPod } from './known-pods.ts';

/** @throws NotFoundError no such container, or no log of that run */
export async function* podLog(
  { folder, pod: { name } }: { folder: string; pod: Pick<KnownPod['pod'], 'name'> },
  wanted: LogRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const status = (): { run: number; isRunning: boolean; isKnown: boolean } => {
    const { containerStatuses = [], initContainerStatuses = [] } = recordOf(folder).status;
    const found = [...containerStatuses, ...initContainerStatuses].find((each) => each.name === wanted.container);
    return { run: found?.restartCount ?? 0, isRunning: found?.state?.running !== undefined, isKnown: found !== undefined };
  };
  const { run: current, isKnown } = status();
  if (!isKnown) throw new NotFoundError(`container ${wanted.container} is not valid for pod ${name}`);
  const run = wanted.previous ? current - 1 : current;
  const path = logOf(folder, wanted.container, run);
  if (!existsSync(path))
    throw new NotFoundError(
      wanted.previous
        ? `previous terminated container ${JSON.stringify(wanted.container)} in pod ${JSON.stringify(name)} not found`
        : `container ${JSON.stringify(wanted.container)} in pod ${JSON.stringify(name)} is waiting to start`,
    );
  const hasEnded = (): boolean => {
    const now = status();
    return now.run !== run || !now.isRunning;
  };
  yield* readLog(path, wanted, hasEnded, signal);
}

/** Of a pod that another process runs. @param options.folder that the provider was opened with */
export const logOfHeldPod = (
  { folder, node, task, name }: { folder: string; node: string; task: TaskName; name: string },
  wanted: LogRequest,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> => podLog({ folder: folderOfPod(processesIn(folder), node, task), pod: { name } }, wanted, signal);
