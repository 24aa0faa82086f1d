// Which pod's failure ended a Job, and how: from the remaining pods, or from a condition's message.
import { isFinished, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import { podReasonText } from '../../../objects/pods/pod-reasons.ts';
import type { Reason } from '../../rows/reasons.ts';
import { finishTimeOf } from '../backoff/backoff.ts';

type Evidence = Pick<Reason, 'pods' | 'exitCode' | 'rule' | 'podReason'>;

/** The pod that failed last, and how: by an exit code, or because its node or somebody else ended it. */
export function failureEvidence(pods: readonly PodFacts[]): Omit<Evidence, 'rule'> {
  const [last] = pods.filter((pod) => isFinished(pod) && pod.phase === 'Failed').toSorted((a, b) => finishTimeOf(b) - finishTimeOf(a));
  if (!last) return {};
  const exitCode = last.containers.find((container) => container.exitCode !== undefined && container.exitCode !== 0)?.exitCode;
  const [said] = last.reasons ?? [];
  return { pods: [last.name], ...(exitCode !== undefined && { exitCode }), ...(said && { podReason: podReasonText(said) }) };
}

/** Pod, exit code and rule out of the message of a FailJob rule. */
export function policyEvidence(message: string | undefined): Evidence {
  const text = message ?? '';
  const pod = /\b[Pp]od [^/\s]+\/(\S+)/.exec(text)?.[1];
  const exitCode = /exit code (-?\d+)/.exec(text)?.[1];
  const rule = /rule at index (\d+)/.exec(text)?.[1];
  return {
    ...(pod !== undefined && { pods: [pod] }),
    ...(exitCode !== undefined && { exitCode: Number(exitCode) }),
    ...(rule !== undefined && { rule: Number(rule) }),
  };
}
