// Success policy: the Job has succeeded once all indexes of a rule have, even if other indexes still run.
import type { JobSpec } from '../../../objects/kubernetes.ts';
import { countCommonIndexes, countIndexes, parseIndexes, type IndexSet } from '../../../objects/values/index-text.ts';

/** The position of the first rule that the completed indexes meet. */
export function metSuccessRule(spec: JobSpec, completed: IndexSet): number | undefined {
  if (completed.length === 0) return undefined;
  const completions = spec.completions ?? 0;
  const at = spec.successPolicy?.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && countIndexes(completed) >= succeededCount;
    const wanted = parseIndexes(succeededIndexes, completions);
    if (wanted.length === 0) return false;
    const done = countCommonIndexes(wanted, completed);
    return done === countIndexes(wanted) || (succeededCount !== undefined && done >= succeededCount);
  });
  return at === undefined || at < 0 ? undefined : at;
}
