// Logs in the API's answers.
import * as v from 'valibot';
import { count, text, time, whole, yes } from './values.ts';

export const ContainerLog = v.object({
  pod: text,
  uid: text,
  container: text,
  others: v.pipe(v.array(text), v.description('Other containers of the pod.')),
  index: v.exactOptional(text),
  replica: v.exactOptional(text),
  restarts: count,
  lines: v.array(
    v.object({
      time: v.exactOptional(v.pipe(time, v.description('UTC, to the nanosecond; absent where the log has no times.'))),
      text,
    }),
  ),
  gap: v.exactOptional(v.pipe(text, v.description('Lines are missing before these: why.'))),
  problem: v.exactOptional(v.pipe(text, v.description('One sentence: why there is no log.'))),
  isGone: v.pipe(yes, v.description('The log is not there any more.')),
  end: v.exactOptional(v.object({ exitCode: v.exactOptional(whole), reason: v.exactOptional(text), message: v.exactOptional(text) })),
  hasEnded: v.pipe(yes, v.description('Nothing will follow in this log.')),
});

export const WorkloadLogs = v.object({
  items: v.array(ContainerLog),
  leftOut: v.object({ count, pods: v.array(text) }),
  tail: v.exactOptional(v.pipe(count, v.description('How many lines from the end were chosen, where the request does not say.'))),
  cursor: text,
  hasMore: v.pipe(yes, v.description('More is there already: ask at once.')),
  hasEnded: v.pipe(yes, v.description('Nothing will follow.')),
});
