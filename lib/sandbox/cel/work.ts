// How many values one evaluation may look at, and for how long, whatever its cost: a list may hold another many times over, and that one a
// third; and the API server's cost of a call need not be what the call takes here.
import { BudgetError } from './values.ts';

const mostValues = 1_000_000;
/** The process answers nobody else meanwhile. */
const longestMs = 500;
/** A look at the clock takes longer than a step. */
const stepsBetweenLooks = 256;

let valuesLeft = mostValues;
let stepsLeft = stepsBetweenLooks;
let endsAtMs = Infinity;

/** Called where an evaluation begins. Evaluations do not wait for anything, so that one at a time is under way. */
export function beginWork(): void {
  valuesLeft = mostValues;
  stepsLeft = stepsBetweenLooks;
  endsAtMs = performance.now() + longestMs;
}

/** Called for each step. @throws BudgetError after half a second */
export function countStep(): void {
  stepsLeft -= 1;
  if (stepsLeft > 0) return;
  stepsLeft = stepsBetweenLooks;
  if (performance.now() > endsAtMs) throw new BudgetError();
}

/** Called for each value that is looked at by a function which looks into values; of a long text for each part. @throws BudgetError */
export function countWork(values = 1): void {
  valuesLeft -= values;
  if (valuesLeft < 0) throw new BudgetError();
  countStep();
}
