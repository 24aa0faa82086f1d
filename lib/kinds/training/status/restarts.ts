// Which failed pods are made anew.
import type { ContainerFacts } from '../../../objects/pods/pod-facts.ts';

/** The pod's own restart policy: those of `ExitCode` are never restarted in place. */
export const podRestartPolicy = (policy: string): string => (policy === 'ExitCode' ? 'Never' : policy);

/** `none`: no container has ended. */
export type ExitCode = number | 'none';

/** Ended by a signal, or without a code at all, as evicted pods and those of a lost node. */
export const isRetryable = (code: ExitCode): boolean => code === 'none' || code >= 128;

/** Of the default container; of a pod that has no container of this name, of the first that ended. */
export function exitCodeOf(containers: readonly ContainerFacts[], name: string): ExitCode {
  const own = containers.filter(({ role }) => role === 'container');
  const named = own.find((container) => container.name === name);
  return named ? (named.exitCode ?? 'none') : (own[0]?.exitCode ?? 'none');
}

export type FailureAnswer = 'restart' | 'fail' | 'stay';

/** The answer to a pod of phase Failed. `stay`: the kind's status step decides. */
export function answerToFailure(policy: string, code: ExitCode): FailureAnswer {
  if (policy === 'OnFailure' || policy === 'Always') return 'restart';
  if (policy !== 'ExitCode') return 'stay';
  return isRetryable(code) ? 'restart' : 'fail';
}
