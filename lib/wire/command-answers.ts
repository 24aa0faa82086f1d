// A relay's answers to commands: outcomes, packed, sealed with the secret that came with the commands, cut into parts that fit a message and an
// item of the table. They are sealed because a template may hold secrets, which neither queue nor table may show.
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import * as v from 'valibot';
import { unpacked } from './commands.ts';
import { DEEPEST_OBJECT, parseGuarded } from './words/guarded-json.ts';
import { CLUSTER_NAME, COMMAND_ID, UID } from './words/names.ts';
import { UndecodableMessageError } from './words/undecodable.ts';

/** The words of ports/errors.ts, as data. */
export interface Failure {
  kind: 'NotFound' | 'Conflict' | 'Throttled' | 'Terminal' | 'NotDone' | 'UnknownOutcome' | 'Expired';
  message: string;
  conflict?: 'alreadyExists' | 'precondition' | undefined;
  retryAfterSeconds?: number | undefined;
  code?: number | undefined;
  reason?: string | undefined;
  causes?: { reason?: string | undefined; message?: string | undefined; field?: string | undefined }[] | undefined;
  said?: string | undefined;
}

/** The outcome of the command at that place in its message. */
export type Outcome = { at: number } & (
  | { failure: Failure }
  /** No object: it is gone. */
  | { dateMs: number; object?: object | undefined }
  | { dateMs: number; items: object[]; resourceVersion: string }
);

/** Answers that are sealed together. */
export interface Answered {
  /** The relay's wall clock, Unix milliseconds. The sender of commands computes the offset from its own clock. */
  relayMs: number;
  outcomes: Outcome[];
}

/** One message on the events queue. */
export interface AnswerPart {
  cluster: string;
  /** uid of the namespace kube-system as the relay sees it. */
  kubeSystemUid: string;
  /** Of the commands. */
  id: string;
  /** From 0: parts are read in this order. */
  part: number;
  /** As the table keeps them: first a byte that says whether outcomes end with this part. */
  bytes: Uint8Array;
}

/** Marks an answer: events are base64 and cannot begin so. */
const PREFIX = 'answer:';
const LONGEST_BODY = 512 * 1024;
const PART_BYTES = 200 * 1024;
/** Enough for a list of some ten thousand pods. */
const OUTCOMES_BYTES_MAX = 128 * 1024 * 1024;
/** Values in the outcomes: about a hundred for each of 50,000 pods, the most that other messages hold. */
export const OUTCOMES_VALUES_MAX = 6_000_000;
/** Values in a part, which has five fields. */
const PART_VALUES_MAX = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MORE_FOLLOWS = 0;
const IS_LAST = 1;

const optionalText = v.optional(v.string());
const Failure = v.object({
  kind: v.picklist(['NotFound', 'Conflict', 'Throttled', 'Terminal', 'NotDone', 'UnknownOutcome', 'Expired']),
  message: v.string(),
  conflict: v.optional(v.picklist(['alreadyExists', 'precondition'])),
  retryAfterSeconds: v.optional(v.pipe(v.number(), v.minValue(0))),
  code: v.optional(v.number()),
  reason: optionalText,
  causes: v.optional(v.array(v.object({ reason: optionalText, message: optionalText, field: optionalText }))),
  said: optionalText,
});
const KubernetesLike = v.custom<object>(
  (value) => typeof value === 'object' && value !== null && 'metadata' in value && typeof value.metadata === 'object' && !!value.metadata,
  'an object of Kubernetes',
);
const at = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const dateMs = v.pipe(v.number(), v.safeInteger());
const Outcomes = v.array(
  v.union([
    v.strictObject({ at, failure: Failure }),
    v.strictObject({ at, dateMs, items: v.array(KubernetesLike), resourceVersion: v.pipe(v.string(), v.regex(/^\d+$/)) }),
    v.strictObject({ at, dateMs, object: v.optional(KubernetesLike) }),
  ]),
);

const Answered = v.strictObject({ relayMs: dateMs, outcomes: Outcomes });

const keyOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** @param nonce 22 random characters. @returns the parts that the table keeps */
export function sealOutcomes(answered: Answered, secret: string, nonce: string): Uint8Array[] {
  const iv = createHash('sha256').update(nonce).digest().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv);
  const packed = deflateRawSync(Buffer.from(JSON.stringify(answered)));
  const sealed = Buffer.concat([iv, cipher.update(packed), cipher.final(), cipher.getAuthTag()]);
  const parts: Uint8Array[] = [];
  for (let from = 0; from < sealed.length; from += PART_BYTES) {
    const isLast = from + PART_BYTES >= sealed.length;
    parts.push(Buffer.concat([Buffer.from([isLast ? IS_LAST : MORE_FOLLOWS]), sealed.subarray(from, from + PART_BYTES)]));
  }
  return parts;
}

export const isLastPart = (bytes: Uint8Array): boolean => bytes[0] === IS_LAST;

/** @param parts all of them, in their order. @throws UndecodableMessageError not sealed with that secret, or not what a relay seals */
export function openOutcomes(parts: readonly Uint8Array[], secret: string): Answered {
  const sealed = Buffer.concat(parts.map((part) => part.subarray(1)));
  if (sealed.length <= NONCE_BYTES + TAG_BYTES) throw new UndecodableMessageError('an answer that is too short');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  let packed: Buffer;
  try {
    packed = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (error) {
    throw new UndecodableMessageError('an answer that was not sealed with the secret of these commands', { cause: error });
  }
  return parseGuarded(unpacked(packed, OUTCOMES_BYTES_MAX), Answered, 'answer', DEEPEST_OBJECT, { left: OUTCOMES_VALUES_MAX });
}

export const isAnswer = (body: string): boolean => body.startsWith(PREFIX);

export const encodeAnswer = ({ bytes, ...head }: AnswerPart): string =>
  PREFIX + JSON.stringify({ ...head, bytes: Buffer.from(bytes).toString('base64') });

const Part = v.strictObject({
  cluster: v.pipe(v.string(), v.regex(CLUSTER_NAME, 'a cluster name')),
  kubeSystemUid: v.pipe(v.string(), v.regex(UID, 'a uid')),
  id: v.pipe(v.string(), v.regex(COMMAND_ID, 'an id')),
  part: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(10_000)),
  bytes: v.pipe(v.string(), v.regex(/^[A-Za-z0-9+/]+={0,2}$/, 'base64')),
});

/** @throws UndecodableMessageError */
export function decodeAnswer(body: string): AnswerPart {
  if (body.length > LONGEST_BODY)
    throw new UndecodableMessageError(`an answer of ${body.length} characters; at most ${LONGEST_BODY} are read`);
  const { bytes, ...head } = parseGuarded(body.slice(PREFIX.length), Part, 'answer', 1, { left: PART_VALUES_MAX });
  return { ...head, bytes: Buffer.from(bytes, 'base64') };
}
