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

export const CostBy = v.object({
  asOf: v.pipe(day, v.description('When the list of prices was compared.')),
  region: text,
  counted: v.pipe(yes, v.description('False where nothing counts for all functions: then there are no groups.')),
  by: v.picklist(['cluster', 'namespace', 'kind', 'workload']),
  since: time,
  dollars: amount,
  items: v.pipe(
    v.array(
      v.object({
        cluster: v.exactOptional(text),
        namespace: v.exactOptional(text),
        kind: v.exactOptional(text),
        name: v.exactOptional(text),
        passes: amount,
        writes: amount,
        requests: amount,
        writeUnits: amount,
        readUnits: amount,
        dollars: v.pipe(amount, v.description('With its share of common cost, in proportion to passes.')),
      }),
    ),
    v.description('The dearest first.'),
  ),
  leftOut: v.pipe(count, v.description('Groups beyond these.')),
  isCut: v.exactOptional(
    v.pipe(
      v.literal(true),
      v.description('There are more groups than one answer distinguishes: these have the cost of the others as a share.'),
    ),
  ),
  scannedBytes: v.exactOptional(v.pipe(count, v.description('Bytes of the log that were scanned for this answer.'))),
  scannedDollars: v.exactOptional(v.pipe(amount, v.description('The price of that.'))),
});
