// Pod failure policy: the first rule that matches a failed pod says what its failure means.
import type { PodFailurePolicyRule } from '../../../objects/kubernetes.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';

const ACTIONS = ['FailJob', 'FailIndex', 'Ignore', 'Count'] as const;
export type FailureAction = (typeof ACTIONS)[number];

export interface FailureVerdict {
  /** Unset: no rule matched, and the failure counts. */
  action?: FailureAction;
  /** Whether the failure goes into `status.failed`. */
  counted: boolean;
  /** The message of the Job's condition if the action is FailJob. */
  message?: string;
}

const UNMATCHED: FailureVerdict = { counted: true };

/** The verdict on this pod's failure. Rules with unknown actions are skipped. */
export function judgeFailure(rules: readonly PodFailurePolicyRule[] | undefined, pod: PodFacts): FailureVerdict {
  if (rules === undefined) return UNMATCHED;
  for (const [at, rule] of rules.entries()) {
    const action = ACTIONS.find((known) => known === rule.action);
    if (action === undefined) continue;
    const evidence = exitCodeEvidence(rule, pod) ?? conditionEvidence(rule, pod);
    if (evidence === undefined) continue;
    if (action === 'FailJob') return { action, counted: true, message: `${evidence} matching FailJob rule at index ${at}` };
    return { action, counted: action !== 'Ignore' };
  }
  return UNMATCHED;
}

function exitCodeEvidence({ onExitCodes }: PodFailurePolicyRule, pod: PodFacts): string | undefined {
  if (onExitCodes === undefined) return undefined;
  const { containerName, operator, values } = onExitCodes;
  for (const { name, exitCode } of pod.containers) {
    if (exitCode === undefined || exitCode === 0) continue;
    if (containerName !== undefined && containerName !== name) continue;
    const listed = values.includes(exitCode);
    if ((operator === 'In' && listed) || (operator === 'NotIn' && !listed)) {
      return `Container ${name} for pod ${pod.namespace}/${pod.name} failed with exit code ${exitCode}`;
    }
  }
  return undefined;
}

function conditionEvidence({ onPodConditions }: PodFailurePolicyRule, pod: PodFacts): string | undefined {
  if (onPodConditions === undefined) return undefined;
  const met = pod.conditions.find(({ type, status }) =>
    onPodConditions.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
  );
  return met && `Pod ${pod.namespace}/${pod.name} has condition ${met.type}`;
}
