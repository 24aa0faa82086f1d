// Rates in the API's answers.
import * as v from 'valibot';
import { amount, count, time, yes } from './values.ts';

const minutes = v.array(amount);

export const Rates = v.object({
  counted: v.pipe(yes, v.description('False on AWS, where each function counts for itself, and the dashboard sums it up.')),
  since: v.pipe(time, v.description('What came before is not known.')),
  to: time,
  stepSeconds: count,
  podsStarted: v.pipe(minutes, v.description('In each step, the oldest first, up to `to`; empty where nothing is counted.')),
  podsSucceeded: v.pipe(minutes, v.description('Of Jobs.')),
  podsFailed: minutes,
  passes: minutes,
  lagMs: v.pipe(v.array(v.nullable(amount)), v.description('From an event to its pass, as a mean; null where no event came.')),
});
