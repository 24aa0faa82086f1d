// In what a plan differs from upstream's decision.
import { isDeepStrictEqual } from 'node:util';
import type { AdmissionCase } from './cases.ts';
import { comparable, planOf, type Planned, type Upstream } from './sides.ts';

export interface Difference {
  what: string;
  upstream: unknown;
  farloop: unknown;
}

const VERBS = new Map([
  ['event', 'events'],
  ['evict', 'evictions'],
  ['status', 'status'],
]);

/** Nothing where they agree: state, reason, message, failures, victims in order, events, evictions and statuses, and their order. */
export function differencesOf(testCase: AdmissionCase, upstream: Upstream, planned: Planned | undefined): Difference[] {
  if (planned === undefined) return [{ what: 'answer', upstream: 'a plan', farloop: 'none' }];
  const { admission, actions, error, outcome } = planned;
  if (admission === undefined || actions === undefined) return [{ what: 'answer', upstream: 'a plan', farloop: error ?? planned }];
  const expected = planOf(testCase, upstream);
  const found: Difference[] = [];
  const compare = (what: string, ours: unknown, theirs: unknown): void => {
    if (!isDeepStrictEqual(ours, theirs)) found.push({ what, upstream: theirs, farloop: ours });
  };
  compare('state', admission.state, expected.admission.state);
  compare('reason', admission.reason, expected.admission.reason);
  compare('message', admission.message, expected.admission.message);
  compare('failures', admission.failures, expected.admission.failures);
  compare('victims', admission.victims, expected.admission.victims);
  for (const [verb, what] of VERBS) {
    const those = (list: typeof actions): unknown[] => list.filter((action) => action.verb === verb).map(comparable);
    compare(what, those(actions), those(expected.actions));
  }
  compare(
    'order of actions',
    actions.map(({ verb }) => verb),
    expected.actions.map(({ verb }) => verb),
  );
  compare('outcome', outcome, expected.outcome);
  return found;
}
