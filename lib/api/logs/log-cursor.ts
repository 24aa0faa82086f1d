// The text that a client of logs gives back to go on: of each container how far its log was given. Nobody but the client keeps it.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { LogPosition } from '../../objects/logs/log-position.ts';

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(300));

const Followed = v.strictObject({
  /** A digest of the pod's uid. */
  pod: text,
  container: text,
  /** Unix seconds. */
  createdAt: count,
  /** Restarts of the container whose log this is a position in. */
  run: count,
  position: LogPosition,
  /** The position is in the run before this one, of which all was given. */
  isNewRun: v.optional(v.literal(true)),
  /** So many lines from its end are still to be read. */
  tail: v.optional(count),
  /** Nothing will come any more. */
  isOver: v.optional(v.literal(true)),
});
export type Followed = v.InferOutput<typeof Followed>;

const Cursor = v.strictObject({
  /** Pods that were created earlier do not join. Unix seconds. */
  since: count,
  followed: v.pipe(v.array(Followed), v.maxLength(200)),
});
export type LogCursor = v.InferOutput<typeof Cursor>;

const UNPACKED_BYTES_MAX = 200_000;

/** Short enough for a query. */
export const cursorText = (cursor: LogCursor): string => deflateRawSync(JSON.stringify(cursor)).toString('base64url');

/** @returns undefined: no such text was given to anybody */
export function cursorIn(given: string): LogCursor | undefined {
  try {
    const json = inflateRawSync(Buffer.from(given, 'base64url'), { maxOutputLength: UNPACKED_BYTES_MAX }).toString();
    const parsed = v.safeParse(Cursor, JSON.parse(json));
    return parsed.success ? parsed.output : undefined;
  } catch {
    return undefined;
  }
}
