// Routes about queues and dead letters.
import * as v from 'valibot';
import type { Ports } from '../../ports/ports.ts';
import type { QueueName } from '../../ports/queue.ts';
import { DeadLetter, failed, Queue } from '../answers/queues.ts';
import { count, text } from '../answers/values.ts';
import { listDeadLetters, listQueues, queueNames, redrive, type FromQueues, type QueueFailure } from '../queues.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { limit, textParameter } from './parameters.ts';
import { route } from './route.ts';

const queue = textParameter('only of this queue: events, wakes, timers, relay-CLUSTER');
const refusals = { 400: 'a parameter or the body is not usable', 404: 'there is no such queue' };

export const Redrive = v.optional(
  v.pipe(v.strictObject({ messageIds: v.exactOptional(v.pipe(v.array(text), v.maxLength(1_000))) }), v.description('Without ids: all.')),
  {},
);

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
    answer: v.object({ redriven: count, failed }),
    errors: { ...refusals, 413: 'the body is larger than 64 KiB' },
    async handle(ports, { query, body }) {
      const names = await chosenQueues(ports, query.queue);
      const answers = await redrive(ports, names, body.messageIds);
      logFailures(ports, answers.failed);
      const redriven = answers.told.reduce((sum, each) => sum + each, 0);
      return { redriven, ...toldFailures([...answers.failed, ...answers.unfinished]) };
    },
  }),
] as const;

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
