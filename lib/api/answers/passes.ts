// Recorded passes in the API's answers.
import * as v from 'valibot';
import { count, number, text, time } from './values.ts';
import { key } from './workloads.ts';

export const Pass = v.object({
  key: v.object(key),
  passId: text,
  by: v.exactOptional(v.pipe(text, v.description('The person who did it; absent: a pass.'))),
  startTime: time,
  durationMs: number,
  outcome: text,
  why: v.array(text),
  saw: v.record(text, v.union([text, number, v.boolean()])),
  actions: v.array(
    v.object({
      verb: text,
      target: text,
      why: text,
      result: v.picklist(['done', 'refused', 'notDone', 'unknown']),
      detail: v.exactOptional(text),
      count: v.exactOptional(count),
    }),
  ),
  nextWakeTime: v.exactOptional(time),
  error: v.exactOptional(text),
});

export const RecordedPass = v.object({
  pass: Pass,
  snapshot: v.exactOptional(
    v.pipe(
      text,
      v.metadata({ written: { contentEncoding: 'base64' }, description: 'What its planner saw and decided, packed, where that was kept.' }),
    ),
  ),
});
