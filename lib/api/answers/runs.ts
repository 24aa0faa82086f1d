// Runs in the API's answers.
import * as v from 'valibot';
import { count, text, time, whole } from './values.ts';

export const Run = v.object({
  runId: text,
  state: v.picklist(['admitting', 'waiting', 'done', 'cancelled']),
  node: text,
  provider: text,
  results: v.array(
    v.object({
      pod: v.object({ namespace: text, name: text, uid: text }),
      error: v.exactOptional(text),
      rejected: v.exactOptional(v.object({ reason: text, message: text })),
      failedContainers: v.exactOptional(v.array(text)),
      status: v.exactOptional(v.object({ phase: text, reason: v.exactOptional(text), message: v.exactOptional(text) })),
      containers: v.array(
        v.object({
          name: text,
          state: v.picklist(['waiting', 'running', 'terminated']),
          exitCode: v.exactOptional(whole),
          reason: v.exactOptional(text),
          restarts: v.exactOptional(count),
        }),
      ),
      retries: count,
    }),
  ),
  open: v.pipe(count, v.description('Pods without a result so far.')),
  error: v.exactOptional(text),
  cause: v.exactOptional(text),
  warnings: v.array(text),
  startedAt: time,
  finishedAt: v.exactOptional(time),
});
