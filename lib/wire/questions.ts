// Questions to `reconcile`, which alone holds what lets somebody in at clusters and providers: from those that answer people. A question is a
// message of the wakes queue; the answer lies in the table, sealed with the secret that came with the question, so neither shows it.
import * as v from 'valibot';
import { isLastPart, openOutcomes, type Outcome } from './command-answers.ts';
import { KIND_NAME } from '../objects/workload.ts';
import { ActionToken, WantedAction } from './words/action-words.ts';
import { LogRequestWords } from './words/log-words.ts';
import { parseGuarded } from './words/guarded-json.ts';
import { CLUSTER_NAME, COMMAND_ID, OBJECT_NAME, UID } from './words/names.ts';
import { UndecodableMessageError } from './words/undecodable.ts';

const name = v.pipe(v.string(), v.regex(OBJECT_NAME, 'a name'));
const id = v.pipe(v.string(), v.regex(COMMAND_ID, 'an id'));

/** Answered by a LogAnswer in the object's place. */
const LogQuestion = v.strictObject({ about: v.literal('log'), namespace: name, pod: name, wanted: LogRequestWords });

/** Of a virtual node's provider, for API servers that ask its relay. The log is answered as another one is. */
const TASK_QUESTIONS = [
  v.strictObject({
    about: v.literal('taskLog'),
    node: name,
    namespace: name,
    pod: name,
    uid: v.pipe(v.string(), v.regex(UID, 'a uid')),
    wanted: LogRequestWords,
  }),
  /** Answered by a RunningTasksAnswer. */
  v.strictObject({ about: v.literal('runningTasks'), node: name }),
  /** Answered by a FiguresAnswer. */
  v.strictObject({ about: v.literal('figures'), node: name }),
] as const;

const uid = v.pipe(v.string(), v.regex(UID, 'a uid'));
const ofWorkload = { kind: v.pipe(v.string(), v.regex(KIND_NAME, 'the name of a kind')), namespace: v.union([v.literal(''), name]), name };

/** About a workload as its API server has it. Functions of the build before do not know them: see `WORKLOAD_QUESTIONS_SINCE` in messages.ts. */
const WORKLOAD_QUESTIONS = [
  /** Answered by an EventsAnswer. */
  v.strictObject({ about: v.literal('events'), ...ofWorkload }),
  /** Answered by a ManifestAnswer. */
  v.strictObject({ about: v.literal('manifest'), ...ofWorkload, values: v.picklist(['shown', 'masked']) }),
  /** Answered by an ActionAnswer. */
  v.strictObject({
    about: v.literal('action'),
    ...ofWorkload,
    wanted: WantedAction,
    /** Absent only of a dry run. */
    uid: v.exactOptional(uid),
    token: v.exactOptional(ActionToken),
    isDryRun: v.boolean(),
    /** Who asks, as the API knows them. */
    by: v.pipe(v.string(), v.minLength(1), v.maxLength(300)),
  }),
] as const;

/** Each is answered by the outcome of its place. */
const AnyQuestion = v.variant('about', [LogQuestion, ...TASK_QUESTIONS, ...WORKLOAD_QUESTIONS]);
export type WorkloadQuestion = v.InferOutput<(typeof WORKLOAD_QUESTIONS)[number]>;

export const isAboutWorkload = (question: Question): question is WorkloadQuestion =>
  question.about === 'events' || question.about === 'manifest' || question.about === 'action';

const amount = v.pipe(v.number(), v.minValue(0));
export const RunningTasksAnswer = v.object({ metadata: v.object({}), running: v.array(v.string()) });
export const FiguresAnswer = v.object({
  metadata: v.object({}),
  figures: v.array(
    v.object({
      uid: v.string(),
      atMs: amount,
      containers: v.array(
        v.object({
          name: v.string(),
          startedAtMs: v.exactOptional(amount),
          cpuSeconds: v.exactOptional(amount),
          cpuCores: v.exactOptional(amount),
          memoryBytes: v.exactOptional(amount),
        }),
      ),
    }),
  ),
});

export const QUESTIONS_MAX = 32;

export const Questions = v.object({
  look: v.literal('questions'),
  cluster: v.pipe(v.string(), v.regex(CLUSTER_NAME, 'a cluster name')),
  /** Under it the answer is kept. */
  id,
  secret: id,
  /** Until when somebody waits for the answer, Unix milliseconds by the asker's clock. */
  untilMs: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  questions: v.pipe(v.array(AnyQuestion), v.minLength(1), v.maxLength(QUESTIONS_MAX)),
  /** The relay of that cluster asks, which reads no table; absent: the answer lies in the table. */
  answerTo: v.optional(v.literal('relay')),
});

const RelayQuestions = v.strictObject({
  ...v.omit(Questions, ['questions', 'answerTo']).entries,
  kubeSystemUid: v.pipe(v.string(), v.regex(UID, 'a uid')),
  questions: v.pipe(v.array(v.variant('about', TASK_QUESTIONS)), v.minLength(1), v.maxLength(QUESTIONS_MAX)),
});
/** As they come from a relay, on the events queue. */
export type RelayQuestions = v.InferOutput<typeof RelayQuestions>;

/** Marks questions of a relay: events are base64 and cannot begin so. */
const PREFIX = 'questions:';
const LONGEST_BODY = 4_096;
const VALUES_MAX = 1_000;

export const areRelayQuestions = (body: string): boolean => body.startsWith(PREFIX);

export const encodeRelayQuestions = (questions: RelayQuestions): string => PREFIX + JSON.stringify(questions);

/** @throws UndecodableMessageError */
export function decodeRelayQuestions(body: string): RelayQuestions {
  if (body.length > LONGEST_BODY)
    throw new UndecodableMessageError(`questions of ${body.length} characters; at most ${LONGEST_BODY} are read`);
  return parseGuarded(body.slice(PREFIX.length), RelayQuestions, 'questions', undefined, { left: VALUES_MAX });
}

export type Question = v.InferOutput<typeof AnyQuestion>;
export type QuestionsMessage = v.InferOutput<typeof Questions>;

/** Whether it may be one: such a text holds a secret, which is shown to nobody. */
export const isQuestions = (body: string): boolean => body.includes('"look":"questions"');

/** Of the questions of one message as JSON: with the rest of it they fit into what every build reads of a wake. */
const QUESTIONS_BYTES = 3_400;

/** In their order, as many together as fit into a message. */
export function togetherInMessages(questions: readonly Question[]): Question[][] {
  const messages: Question[][] = [];
  let bytes = Infinity;
  for (const question of questions) {
    const length = Buffer.byteLength(JSON.stringify(question)) + 1;
    if (bytes + length > QUESTIONS_BYTES || (messages.at(-1)?.length ?? 0) >= QUESTIONS_MAX) {
      messages.push([]);
      bytes = 0;
    }
    messages.at(-1)?.push(question);
    bytes += length;
  }
  return messages;
}

/**
 * Reads the parts of an answer as they come.
 * @param readPart undefined until it is there
 * @returns undefined: not all is there yet. @throws UndecodableMessageError not sealed with that secret
 */
export async function readAnswerParts(
  { secret, parts }: { secret: string; parts: Uint8Array[] },
  readPart: (part: number) => Promise<Uint8Array | undefined>,
): Promise<Outcome[] | undefined> {
  for (;;) {
    const bytes = await readPart(parts.length);
    if (!bytes) return undefined;
    parts.push(bytes);
    if (isLastPart(bytes)) return openOutcomes(parts, secret).outcomes;
  }
}
