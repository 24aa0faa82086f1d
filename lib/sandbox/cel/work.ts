// How many values one evaluation may look at, whatever its cost: a list may hold another many times over, and that one a third.
import { BudgetError } from './values.ts';

const most = 1_000_000;
let left = most;

/** Called where an evaluation begins. Evaluations do not wait for anything, so that one at a time is under way. */
export function beginWork(): void {
  left = most;
}

/** Called for each value that is looked at by a function which looks into values. @throws BudgetError */
export function countWork(): void {
  left -= 1;
  if (left < 0) throw new BudgetError();
}
