// The decision of a pass in a few words: the objects that its plan changes. Its status and its events only report it.
import type { Action } from '../../rows/plan.ts';

/** In the order in which they are said. */
const VERBS = [
  ['delete', 'deletes'],
  ['create', 'makes'],
  ['adopt', 'adopts'],
  ['release', 'releases'],
  ['correct', 'corrects'],
] as const;

/** Such as `it deletes 1 Pod, makes 2 Pods and 1 Service`. None for a plan that changes no object. */
export function decisionIn(actions: readonly Action[]): string[] {
  const said = VERBS.flatMap(([verb, does]) => {
    const kinds = actions.flatMap((action) => ('resource' in action && verbOf(action) === verb ? [action.resource.kind] : []));
    const counts = [...Map.groupBy(kinds, (kind) => kind)].map(([kind, { length }]) => `${length} ${kind}${length === 1 ? '' : 's'}`);
    return counts.length > 0 ? [`${does} ${listOf(counts)}`] : [];
  });
  const all = [...said, ...(actions.some((action) => verbOf(action) === 'completed') ? ['remembers the replicas that are done'] : [])];
  return all.length > 0 ? [`it ${all.join(', ')}`] : [];
}

const listOf = (items: readonly string[]): string => items.join(', ').replace(/, ([^,]*)$/, ' and $1');

const verbOf = (action: Action): string => (action.verb === 'patch' ? action.purpose : action.verb);
