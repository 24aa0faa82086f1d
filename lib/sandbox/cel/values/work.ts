// How many steps one evaluation may take, and for how long: a list may hold another many times over, and that one a third; and a step may
// take long. The process answers nobody else meanwhile.
import { BudgetError } from './values.ts';

const mostSteps = 1_000_000;
const longestMs = 500;
/** A look at the clock takes longer than a step. */
const stepsBetweenLooks = 64;

let steps = 0;
let nextLook = stepsBetweenLooks;
let endsAtMs = Infinity;
let usedBefore = process.cpuUsage();
const exceeded = new BudgetError();

/** Called where an evaluation begins. Evaluations do not wait for anything, so that one at a time is under way. */
export function beginWork(): void {
  steps = 0;
  nextLook = stepsBetweenLooks;
  endsAtMs = performance.now() + longestMs;
  usedBefore = process.cpuUsage();
}

/** On a busy machine the processor was others' in between, which is no fault of the expression. */
function hasWorkedTooLong(): boolean {
  if (performance.now() <= endsAtMs) return false;
  const { user, system } = process.cpuUsage(usedBefore);
  return (user + system) / 1_000 > longestMs;
}

/** The steps since the evaluation began. */
export const stepsTaken = (): number => steps;

/** Called for each step, and for each value that a function looks at. @throws BudgetError, and again at each step that follows */
export function countSteps(count = 1): void {
  steps += count;
  if (steps >= nextLook) lookAtClock();
}

/** Called before what may take long by itself, such as a function of a long text. @throws BudgetError */
export function lookAtClock(): void {
  nextLook = steps + stepsBetweenLooks;
  if (hasWorkedTooLong()) steps = Math.max(steps, mostSteps + 1);
  if (!isOverBudget()) return;
  nextLook = 0;
  throw exceeded;
}

/** The budget was exceeded, though something may have passed over that: `||` passes over everything. */
export const isOverBudget = (): boolean => steps > mostSteps;
