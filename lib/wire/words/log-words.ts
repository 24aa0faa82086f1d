// The wanted part of a log, as commands to relays and questions to passes spell it.
import * as v from 'valibot';

/** Of one answer. A relay has little memory, and what it sends goes through queue and table. */
export const LOG_BYTES_MAX = 2 * 1_048_576;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** `container` may be empty: the only one. */
export const LogRequestWords = v.strictObject({
  container: v.pipe(v.string(), v.regex(/^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$/, 'the name of a container')),
  previous: v.exactOptional(v.literal(true)),
  tailLines: v.exactOptional(count),
  limitBytes: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(LOG_BYTES_MAX)),
  sinceMs: v.exactOptional(count),
  timestamps: v.exactOptional(v.literal(true)),
});

/** The answer of relay and passes, in the place of an object of Kubernetes. */
export const LogAnswer = v.object({ metadata: v.object({}), log: v.string(), isCut: v.boolean() });
