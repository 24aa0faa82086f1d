// Routes about queues and dead letters.
import * as v from 'valibot';
import type { Ports } from '../../ports/ports.ts';
import type { QueueName } from '../../ports/queue.ts';
import { DeadLetter, failed, planned, Queue } from '../answers/queues.ts';
import { count, text } from '../answers/values.ts';
import { plannedLetters, type PlannedLetters } from '../dead-letter-plan.ts';
import { drop, listDeadLetters, listQueues, queueNames, notedOnTimelines, redrive, type FromQueues, type QueueFailure } from '../queues.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { limit, textParameter } from './parameters.ts';
import { route } from './route.ts';

const queue = textParameter('only of this queue: events, wakes, timers, relay-CLUSTER');
const refusals = { 400: 'a parameter or the body is not usable', 404: 'there is no such queue' };

const MOST_LETTERS = 1_000;
const letters = {
  messageIds: v.exactOptional(v.pipe(v.array(text), v.maxLength(MOST_LETTERS))),
  dryRun: v.exactOptional(v.pipe(v.boolean(), v.description('Answers what would happen, as `planned`, and does nothing.'))),
};

export const Redrive = v.optional(v.pipe(v.strictObject(letters), v.description('Without ids: all.')), {});
export const Drop = v.pipe(v.strictObject(letters), v.description('With the ids; a dry run without them is of all, and answers them.'));

export const queueRoutes = [
  route('GET /v1/queues', {
    summary: 'How full the queues are',
    answer: v.object({ items: v.array(Queue), failed }),
    handle: async (ports) => itemsOf(ports, await listQueues(ports)),
  }),
  route('GET /v1/dead-letters', {
    summary: 'Messages that could not be handled; looking changes nothing',
    query: { queue, limit: limit(100) },
    answer: v.object({ items: v.array(DeadLetter), failed }),
    errors: refusals,
    handle: async (ports, { query }) => itemsOf(ports, await listDeadLetters(ports, await chosenQueues(ports, query.queue), query.limit)),
  }),
  route('POST /v1/dead-letters/redrive', {
    summary: 'Sends dead letters back; what is not there any more is passed over, and `failed` tells of queues of which some are left',
    query: { queue },
    body: Redrive,
    unusableBody: 'the body must be JSON as in {"messageIds": ["…"]}, or empty for all',
    answer: v.object({ redriven: count, planned, failed }),
    errors: { ...refusals, 413: 'the body is larger than 64 KiB' },
    async handle(ports, { query, body: { dryRun, messageIds }, by }) {
      const names = await chosenQueues(ports, query.queue);
      if (dryRun === true) return { redriven: 0, ...(await planFor(ports, 'redrive', names, messageIds)) };
      const moving = { names, messageIds, verb: 'redrive' as const, by };
      const answers = await notedOnTimelines(ports, moving, async () => await redrive(ports, names, messageIds));
      logFailures(ports, answers.failed);
      const redriven = answers.told.reduce((sum, each) => sum + each, 0);
      if (redriven > 0) ports.telemetry.info('dead letters redriven', { by, redriven });
      return { redriven, ...toldFailures([...answers.failed, ...answers.unfinished]) };
    },
  }),
  route('POST /v1/dead-letters/drop', {
    summary: 'Deletes the dead letters of these ids; what is not there any more is passed over. With dryRun it answers what would be lost',
    query: { queue },
    body: Drop,
    unusableBody: 'the body must be JSON as in {"messageIds": ["…"]}, of 1,000 at most, or {"dryRun": true}',
    answer: v.object({ dropped: count, planned, failed }),
    errors: { ...refusals, 403: 'the right for it is missing: `needs` names it', 413: 'the body is larger than 64 KiB' },
    async handle(ports, { query, body, by }) {
      if (ports.actions !== 'on')
        throw new RefusedRequestError(
          403,
          'nobody may drop dead letters through this installation: it needs actions=on (farloop up --actions on; on AWS the parameter actions of the stage)',
          { needs: 'actions=on' },
        );
      const names = await chosenQueues(ports, query.queue);
      if (body.dryRun === true) return { dropped: 0, ...(await planFor(ports, 'drop', names, body.messageIds)) };
      if (body.messageIds === undefined)
        throw new RefusedRequestError(
          400,
          'dropping needs the ids of the dead letters as "messageIds": ask with "dryRun": true first, which answers them',
        );
      const { messageIds } = body;
      const moving = { names, messageIds, verb: 'drop' as const, by };
      const answers = await notedOnTimelines(ports, moving, async () => await drop(ports, names, messageIds));
      logFailures(ports, answers.failed);
      const all = [...answers.failed, ...answers.unfinished];
      const dropped = answers.told.reduce((sum, each) => sum + each, 0);
      // Their ids alone: nobody can look at them any more.
      if (dropped > 0) ports.telemetry.info('dead letters dropped', { by, dropped, messageIds });
      return { dropped, ...toldFailures(all) };
    },
  }),
] as const;

/** Of those that are there, and among the ids where some are given. */
async function planFor(
  ports: Ports,
  verb: 'redrive' | 'drop',
  names: readonly QueueName[],
  messageIds: readonly string[] | undefined,
): Promise<{ planned: PlannedLetters; failed?: readonly QueueFailure[] }> {
  const { items, ...failures } = itemsOf(ports, await listDeadLetters(ports, names, MOST_LETTERS));
  const meant = messageIds && new Set(messageIds);
  return {
    planned: plannedLetters(
      items.filter(({ messageId }) => meant?.has(messageId) ?? true),
      verb,
    ),
    ...failures,
  };
}

/** Empty if all queues answered. */
const toldFailures = (failures: readonly QueueFailure[]): { failed?: readonly QueueFailure[] } =>
  failures.length === 0 ? {} : { failed: failures };

/** Logs the failures for the operator. */
function logFailures({ telemetry }: Pick<Ports, 'telemetry'>, failures: readonly QueueFailure[]): void {
  for (const failure of failures) telemetry.error('queue did not answer', { ...failure });
}

function itemsOf<Item>(ports: Ports, { told, failed: failures }: FromQueues<Item>): { items: Item[]; failed?: readonly QueueFailure[] } {
  logFailures(ports, failures);
  return { items: told, ...toldFailures(failures) };
}

async function chosenQueues(ports: Ports, name: string | undefined): Promise<QueueName[]> {
  const names = await queueNames(ports);
  if (name === undefined) return names;
  const chosen = names.filter((candidate) => candidate === name);
  if (chosen.length === 0) throw new RefusedRequestError(404, `there is no queue ${name}: there are ${names.join(', ')}`);
  return chosen;
}
