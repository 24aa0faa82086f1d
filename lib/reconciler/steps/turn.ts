// The next turn of a workload that the write budget of its cluster refused (R14).
import type { Clock } from '../../ports/clock.ts';
import type { Pass } from '../pass/pass.ts';

/** Milliseconds: the back-off of a workload that got nothing from a budget. */
const TURN_MS = { first: 1_000, most: 30_000 };

/**
 * When a workload that the budget refused comes again. If its pass wrote something, it goes on as soon as there are tokens. If not, its
 * wait doubles each time. Otherwise a thousand workloads of one flooding cluster would run a thousand passes a second that write nothing,
 * in slots that other clusters need.
 * @returns when, from now, and the number of this attempt
 */
export function turnOf(
  { attempt: tries, isEarly, decided: { actions } }: Pick<Pass, 'attempt' | 'isEarly' | 'decided'>,
  retryAfterMs: number,
  clock: Clock,
): { againInMs: number; attempt: number } {
  if (actions.some(({ result }) => result === 'done')) return { againInMs: retryAfterMs, attempt: 0 };
  // A pass that a change led to before its turn is no further try.
  const attempt = isEarly ? Math.max(tries - 1, 1) : tries;
  const patienceMs = Math.min(TURN_MS.first * 2 ** Math.min(attempt - 1, 10), TURN_MS.most);
  return { againInMs: Math.round(retryAfterMs + patienceMs * clock.random()), attempt };
}
