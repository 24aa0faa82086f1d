// Runs in the API's answers.
import * as v from 'valibot';
import { count, text, time, whole } from './values.ts';

const containers = v.array(
  v.object({
    name: text,
    state: v.picklist(['waiting', 'running', 'terminated']),
    exitCode: v.exactOptional(whole),
    reason: v.exactOptional(text),
    restarts: v.exactOptional(count),
  }),
);
const podName = v.object({ namespace: text, name: text, uid: text });
const status = v.exactOptional(v.object({ phase: text, reason: v.exactOptional(text), message: v.exactOptional(text) }));

const state = v.picklist(['admitting', 'waiting', 'done', 'cancelled']);

export const Run = v.object({
  runId: text,
  state,
  node: text,
  provider: text,
  why: v.pipe(text, v.description('Why it stands so, in a line.')),
  nextAt: v.exactOptional(v.pipe(time, v.description('When it goes on though nothing happens. Absent: now, or the run is over.'))),
  results: v.array(
    v.object({
      pod: podName,
      error: v.exactOptional(text),
      rejected: v.exactOptional(v.object({ reason: text, message: text })),
      failedContainers: v.exactOptional(v.array(text)),
      status,
      containers,
      retries: count,
    }),
  ),
  open: v.pipe(count, v.description('Pods without a result so far.')),
  openPods: v.array(
    v.object({
      pod: podName,
      why: v.pipe(text, v.description('How it stands, in words.')),
      waitsFor: text,
      nextAt: v.exactOptional(v.pipe(time, v.description('When it is looked at again though nothing happens.'))),
      status,
      containers,
      retries: count,
    }),
  ),
  error: v.exactOptional(text),
  cause: v.exactOptional(text),
  warnings: v.array(text),
  startedAt: time,
  finishedAt: v.exactOptional(time),
});

export const RunPlan = v.object({
  runId: text,
  state,
  why: v.pipe(text, v.description('Why the run stands so, in a line.')),
  at: v.exactOptional(v.pipe(time, v.description('When the step comes, unless a task changes before. Absent: the run is over.'))),
  actions: v.array(
    v.object({
      verb: v.picklist(['list', 'look', 'mirror', 'evict', 'sync', 'stop', 'event']),
      pod: v.exactOptional(podName),
      why: text,
    }),
  ),
  isLast: v.pipe(v.boolean(), v.description('The run is over after it.')),
});
