// Why there is no log, in a sentence for people; and what is known of the container nevertheless.
import type { Failure } from '../../wire/command-answers.ts';
import type { ContainerEnd, LogTarget } from './log-targets.ts';

export interface LogProblem {
  text: string;
  /** The log is not there, and will not be. */
  isFinal: boolean;
  isGone: boolean;
}

/** Of a kubelet, about a container that will have a log. */
const NOT_YET = /waiting to start|ContainerCreating|PodInitializing|trying and failing to pull image/;

/** @param failure absent: the pod is known to be gone */
export function problemOf(target: LogTarget, failure: Failure | undefined): LogProblem {
  const { pod, container, isOver, end } = target;
  if (!failure || failure.kind === 'NotFound')
    return { text: `pod ${pod} is gone, and its log with it${endText(container, end)}`, isFinal: true, isGone: true };
  const said = failure.said ?? failure.message;
  if (failure.kind === 'Terminal' && NOT_YET.test(said)) return { text: said, isFinal: isOver, isGone: false };
  if (failure.code === 403 && /pods\/log|"log"/.test(said))
    return {
      text: `${said}: the cluster was registered before logs could be read, so give "farloop cluster add" for it again`,
      isFinal: true,
      isGone: false,
    };
  if (failure.kind === 'Terminal')
    return { text: `${said}${isOver ? endText(container, end) : ''}`, isFinal: true, isGone: isOver && failure.code === 404 };
  // A node that is gone keeps the logs of its pods from everybody, and no other attempt will get them.
  return { text: `the log of pod ${pod} cannot be read: ${said}${isOver ? endText(container, end) : ''}`, isFinal: isOver, isGone: false };
}

function endText(container: string, end: ContainerEnd | undefined): string {
  if (!end) return '';
  const { exitCode, reason, message } = end;
  const why = [reason, message].filter((part) => part !== undefined).join(': ');
  const what = container === '' ? 'it' : `container ${container}`;
  if (exitCode === undefined) return `; ${what} ended: ${why}`;
  return `; ${what} ended with exit code ${exitCode}${why === '' ? '' : ` (${why})`}`;
}
