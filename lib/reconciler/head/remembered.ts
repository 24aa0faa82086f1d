// The part of a head's state that is kept for people alone: nothing is decided by it, so what cannot be read of it is forgotten.
import * as v from 'valibot';
import type { Falls } from '../../objects/detail/falls.ts';

const whole = v.pipe(v.number(), v.safeInteger());

const Fall = v.object({ pod: v.string(), container: v.string(), exitCode: whole, reason: v.exactOptional(v.string()), at: whole });
const Fell = v.object({
  first: Fall,
  lastAt: whole,
  followed: whole,
  withinSeconds: whole,
  followedExitCode: v.exactOptional(whole),
});

export const FELL = v.fallback(v.optional(Fell), undefined);
export const RAN = v.fallback(v.optional(v.object({ of: whole, lengths: v.string() })), undefined);

/** Pod, container, exit code, word, when; then the last one after it in seconds, those that followed, within seconds, their exit code. */
const PackedFalls = v.tuple([v.string(), v.string(), whole, v.string(), whole, whole, whole, whole, v.nullable(whole)]);
export type PackedFalls = v.InferOutput<typeof PackedFalls>;

export const packedFalls = ({ first, lastAt, followed, withinSeconds, followedExitCode }: Falls): PackedFalls => [
  first.pod,
  first.container,
  first.exitCode,
  first.reason ?? '',
  first.at,
  lastAt - first.at,
  followed,
  withinSeconds,
  followedExitCode ?? null,
];

/** @returns undefined for what is none */
export function readFalls(packed: unknown): Falls | undefined {
  const read = v.safeParse(PackedFalls, packed);
  if (!read.success) return undefined;
  const [pod, container, exitCode, reason, at, later, followed, withinSeconds, followedExitCode] = read.output;
  return {
    first: { pod, container, exitCode, ...(reason !== '' && { reason }), at },
    lastAt: at + later,
    followed,
    withinSeconds,
    ...(followedExitCode !== null && { followedExitCode }),
  };
}
