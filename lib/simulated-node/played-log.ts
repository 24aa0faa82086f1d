// The log of a simulated container. Nothing writes one: it is what the pod's annotation says, else a line when the container started and one
// when it ended.
import type { Pod } from '../objects/kubernetes.ts';
import type { LogLine } from '../objects/log-request.ts';

const LOG_ANNOTATION = 'sim.farloop.dev/log';

/** The lines so far, of the run before where `isPrevious`; undefined: there was no such run, or it has not started. */
export function playedLog(
  { metadata, status = {} }: Pick<Pod, 'metadata' | 'status'>,
  container: string,
  isPrevious = false,
): LogLine[] | undefined {
  const told = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].find(({ name }) => name === container);
  const { running, terminated } = (isPrevious ? told?.lastState : told?.state) ?? {};
  if (!running && !terminated) return undefined;
  const time = running?.startedAt ?? terminated?.startedAt ?? '';
  const written = metadata.annotations?.[LOG_ANNOTATION];
  if (written !== undefined)
    return (written.match(/[^\n]+\n?|\n/g) ?? []).map((text) => ({ time, text: text.endsWith('\n') ? text : `${text}\n` }));
  const begun = { time, text: `${time} ${container} started\n` };
  if (!terminated) return [begun];
  const { finishedAt = '', exitCode } = terminated;
  return [begun, { time: finishedAt, text: `${finishedAt} ${container} ended with exit code ${exitCode}\n` }];
}
