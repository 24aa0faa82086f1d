// The status of a job, derived from the counts of its replicas: running, succeeded, failed or restarting. Each framework has its rules.
import type { Counts, StatusRules, Terms } from '../terms/framework.ts';

export type Step =
  | { is: 'Running' | 'Succeeded' | 'Failed'; message: string }
  /** `isNew`: a failed slot among them was not reported. */
  | { is: 'Restarting'; message: string; isNew: boolean };

/** Steps that follow from the counts, in order. Success ends it, and so does failure. */
export function stepsOf(counts: Counts): Step[] {
  const { terms } = counts;
  const { status: rules } = terms.framework;
  const steps: Step[] = [];
  const run = (): unknown => steps.push({ is: 'Running', message: rules.running(terms) });
  for (const { type, wanted, restartPolicy } of ordered(terms, rules)) {
    const { active, succeeded, failed, newlyFailed } = counts.of(type);
    if (rules.decides(terms, type)) {
      const isComplete = wanted === succeeded || (rules.isComplete?.(counts, type) ?? false);
      if (active > 0 && !isComplete) run();
      if (isComplete) {
        if (rules.runsFirst) run();
        return [...steps, { is: 'Succeeded', message: rules.succeeded(terms) }];
      }
    }
    if (failed === 0 || rules.ignoresFailure?.(terms, type)) continue;
    if (rules.runsFirst) run();
    if (restartPolicy === 'Never') return [...steps, { is: 'Failed', message: rules.failed(terms, failed, type) }];
    steps.push({ is: 'Restarting', message: rules.restarting(terms, failed, type), isNew: newlyFailed > 0 });
  }
  return steps;
}

function ordered(terms: Terms, { decides, order }: StatusRules): Terms['replicas'] {
  const rank = (type: string): number => {
    const listed = order?.indexOf(type) ?? (decides(terms, type) ? 0 : 1);
    return listed < 0 ? Number.MAX_SAFE_INTEGER : listed;
  };
  return terms.replicas.toSorted((a, b) => rank(a.type) - rank(b.type));
}

/** The usual texts of a framework: `<Kind> <name> is running.` and so on. @param lead begins those about failures; absent: the kind */
export function usualTexts(kind: string, lead = kind): Pick<StatusRules, 'running' | 'succeeded' | 'failed' | 'restarting'> {
  return {
    running: ({ name }) => `${kind} ${name} is running.`,
    succeeded: ({ name }) => `${kind} ${name} is successfully completed.`,
    failed: ({ name }, failed, type) => `${lead} ${name} is failed because ${failed} ${type} replica(s) failed.`,
    restarting: ({ name }, failed, type) => `${lead} ${name} is restarting because ${failed} ${type} replica(s) failed.`,
  };
}
