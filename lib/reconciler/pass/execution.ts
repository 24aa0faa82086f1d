// The means of a pass to write.
import type { Clock } from '../../ports/clock.ts';
import type { WriteBudget } from '../cluster/budget.ts';
import type { Pass } from './pass.ts';

export interface Execution {
  pass: Pass;
  budget: WriteBudget;
  clock: Clock;
  /** Requests in flight at once. */
  parallelism: number;
}
