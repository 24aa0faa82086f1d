// The means of a pass to write.
import type { Clock } from '../../ports/clock.ts';
import type { Ports } from '../../ports/ports.ts';
import type { WriteBudget } from '../cluster/budget.ts';
import type { Pass } from './pass.ts';

export interface Execution {
  pass: Pass;
  ports: Pick<Ports, 'store' | 'providerOf'>;
  budget: WriteBudget;
  clock: Clock;
  /** Requests in flight at once. */
  parallelism: number;
}
