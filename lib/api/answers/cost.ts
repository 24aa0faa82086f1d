// Cost in the API's answers.
import * as v from 'valibot';
import { amount, count, day, text, time, yes } from './values.ts';

export const Cost = v.object({
  asOf: v.pipe(day, v.description('When the list of prices was compared.')),
  region: text,
  counted: v.pipe(yes, v.description('False on AWS: there each function counts for itself, and the dashboard sums it up.')),
  since: v.exactOptional(time),
  dollars: amount,
  parts: v.array(v.object({ part: text, amount, unitDollars: amount, dollars: amount })),
  clusters: v.array(v.object({ name: text, passes: count, writes: count, dollars: amount })),
});
