// Wakes, timers and asks: small JSON messages between our own parts. Readers pass over a field that they do not know, because functions of two
// builds read each other's messages during a deployment. A field that must not be passed over needs another version.
// The wakes queue carries wakes, looks at clusters and steps of runs. The timers queue carries delayed wakes, digest mismatches, looks for stuck heads and
// later steps of runs.
import * as v from 'valibot';
import { RUN_ID } from '../objects/task.ts';
import { KIND_NAME } from '../objects/workload.ts';
import { isAboutWorkload, Questions, type QuestionsMessage } from './questions.ts';
import { parseGuarded } from './words/guarded-json.ts';
import { NewerVersionError, UndecodableMessageError } from './words/undecodable.ts';
import type {
  ClusterLookMessage,
  DelayedMessage,
  NodeLookMessage,
  RelayAsk,
  RunLookMessage,
  WakeMessage,
  WakingMessage,
} from './words/observations.ts';

const LONGEST_BODY = 4_096;

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(600));
const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const Wake = v.object({ key: text, follows: text, toldAtMs: v.optional(wholeNumber) });
const ClusterLook = v.object({ look: v.literal('cluster'), cluster: text });
const NodeLook = v.object({
  look: v.literal('nodes'),
  cluster: text,
  nodes: v.pipe(v.array(text), v.maxLength(10)),
  isMoved: v.optional(v.literal(true)),
});
const RunLook = v.object({
  look: v.literal('run'),
  run: v.pipe(v.string(), v.regex(RUN_ID, 'the id of a run')),
  moment: v.optional(v.object({ follows: wholeNumber, dueAtMs: wholeNumber, turn: wholeNumber })),
});
const Waking = v.union(
  [Wake, ClusterLook, NodeLook, RunLook, Questions],
  'neither a wake, nor a look at a cluster, its nodes or a run, nor questions',
);
const Timer = v.object({ key: text, follows: text, dueAtMs: wholeNumber, attempt: wholeNumber, toldAtMs: v.optional(wholeNumber) });
const DigestMismatch = v.object({ doubt: text, told: text, seen: text });
const StaleLook = v.object({ look: v.literal('stale'), dueAtMs: wholeNumber });
const Delayed = v.union(
  [Timer, DigestMismatch, StaleLook, RunLook],
  'neither a delayed wake, nor a doubt, nor a look for stale heads or at a run',
);
const Ask = v.variant('ask', [
  v.object({
    ask: v.literal('everything'),
    era: wholeNumber,
    after: v.optional(v.object({ session: text, sequence: wholeNumber })),
  }),
  v.object({
    ask: v.literal('workload'),
    owner: v.object({
      kind: v.pipe(v.string(), v.regex(KIND_NAME, 'the name of a kind')),
      namespace: v.union([v.literal(''), text]),
      name: text,
      uid: text,
    }),
  }),
  v.object({ ask: v.literal('leases'), nodes: v.pipe(v.array(text), v.maxLength(10)), seconds: wholeNumber }),
]);

export const encodeWake = (wake: WakeMessage): string => JSON.stringify(wake);
/** Has a version of its own. Functions of the build before do not know it, and leave it to those that do. */
export const encodeClusterLook = (look: ClusterLookMessage): string => JSON.stringify({ version: LOOKS_SINCE, ...look });
/** As a look at a cluster: functions of the build before leave it to others. */
export const encodeNodeLook = (look: NodeLookMessage): string => JSON.stringify({ version: NODE_LOOKS_SINCE, ...look });
/** As the looks. They are never so long that a function of the build before takes them for damaged. */
export const encodeQuestions = (message: QuestionsMessage): string =>
  JSON.stringify({ version: message.questions.some(isAboutWorkload) ? WORKLOAD_QUESTIONS_SINCE : QUESTIONS_SINCE, ...message });
/** Functions of the build before do not know runs, and leave them to those that do. */
export const encodeRunLook = (look: RunLookMessage): string => JSON.stringify({ version: RUNS_SINCE, ...look });
export const encodeRunTimer = (look: RunLookMessage): string => JSON.stringify({ version: RUN_TIMERS_SINCE, ...look });
export const encodeTimer = (timer: DelayedMessage): string => JSON.stringify(timer);
/** A relay of the build before does not know an ask for leases: it has no virtual nodes either. */
export const encodeAsk = (ask: RelayAsk): string => JSON.stringify(ask.ask === 'leases' ? { version: LEASES_SINCE, ...ask } : ask);

/** @throws UndecodableMessageError */
export const decodeWake = (body: string): WakingMessage | QuestionsMessage => decode(body, Waking, 'wake', WORKLOAD_QUESTIONS_SINCE);
export const decodeTimer = (body: string): DelayedMessage => decode(body, Delayed, 'timer', RUN_TIMERS_SINCE);
export const decodeAsk = (body: string): RelayAsk => decode(body, Ask, 'ask', LEASES_SINCE);

/** Wakes, timers and asks of version 1 do not say so. */
const VERSION = 1;
/** Of the wakes queue: since this version it carries looks at clusters. Wakes themselves are still of version 1. */
const LOOKS_SINCE = 2;
/** Looks at nodes. */
const NODE_LOOKS_SINCE = 3;
/** Questions of those who may not reach clusters. */
const QUESTIONS_SINCE = 4;
/** Steps of runs. */
const RUNS_SINCE = 5;
/** Questions about workloads: events, manifests, actions. */
const WORKLOAD_QUESTIONS_SINCE = 6;
/** Of the timers queue: later steps of runs. All others are still of version 1. */
const RUN_TIMERS_SINCE = 2;
/** Of a relay's queue: asks for leases. All others are still of version 1. */
const LEASES_SINCE = 2;
const Versioned = v.object({ version: v.optional(v.pipe(v.number(), v.safeInteger())) });

/** @param known the latest version that is read */
function decode<Message>(body: string, schema: v.GenericSchema<unknown, Message>, what: string, known = VERSION): Message {
  if (body.length > LONGEST_BODY)
    throw new UndecodableMessageError(`${what} of ${body.length} characters; at most ${LONGEST_BODY} are read`);
  const { version = VERSION } = body.includes('"version"') ? parseGuarded(body, Versioned, what) : {};
  if (version > known) throw new NewerVersionError(what, version, known);
  return parseGuarded(body, schema, what);
}
