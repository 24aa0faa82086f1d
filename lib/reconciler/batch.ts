// A batch of wakes: one invocation handles several workloads side by side. A failing workload never brings back another's message (R13),
// and a finished one does not wait for a slow one.
import type { WorkloadKey } from '../objects/workload.ts';
import { formatKey } from '../objects/workload.ts';
import type { Ports } from '../ports/ports.ts';
import { decodeWake } from '../wire/messages.ts';
import type { QuestionsMessage } from '../wire/questions.ts';
import type { ClusterLookMessage, NodeLookMessage, RunLookMessage } from '../wire/words/observations.ts';
import { readKey } from './invocation/known-kinds.ts';
import type { Reconciler, Woken } from './reconcile.ts';
import type { Delivery } from './invocation/unreadable.ts';
import { giveBackUnreadable } from './invocation/unreadable.ts';

/**
 * An overtaken pass has ended and sends nothing any more. Its wake blocks the later pass's wake in the same group, so it is made visible
 * again this soon.
 */
const OVERTAKEN_AGAIN_SECONDS = 1;
/**
 * While passes of a batch go on, wakes of ended ones are acknowledged this often: a wake that is not acknowledged blocks the next one of
 * its group.
 */
const ACKNOWLEDGED_EVERY_MS = 250;

/** The reason of every abort. A new error per batch would cost more than the rest of the batch's end. */
const OVER = 'the batch is over';

export interface WakesSetup {
  reconciler: Pick<Reconciler, 'reconcile' | 'look' | 'lookAtNodes' | 'answer' | 'goOn'>;
  ports: Pick<Ports, 'queue' | 'telemetry' | 'clock'>;
  /** Unique id of the role that alone may ask for actions of people (R15). Absent: all that may send wakes. */
  asker?: string | undefined;
  /** Whether another pass may begin. The function must not end in the middle of one. */
  hasTime: () => boolean;
}

/** @returns ids of the messages that must come back; in FIFO order the rest of the failing group comes back with them */
export async function reconcileBatch(
  deliveries: readonly Delivery[],
  { reconciler, ports, asker, hasTime }: WakesSetup,
): Promise<string[]> {
  const undone: string[] = [];
  const refused: Delivery[] = [];
  const groups = new Map<string, { deliveries: Delivery[]; key: WorkloadKey; woken: Woken }>();
  const looks = new Map<string, { asked: Delivery[]; look: () => Promise<void>; comesBack: boolean }>();
  for (const delivery of deliveries) {
    const { messageId, body, sentAtMs, receiveCount } = delivery;
    try {
      const message = decodeWake(body);
      if ('look' in message) {
        if (message.look === 'questions' && asksToAct(message) && asker !== undefined && delivery.senderId !== asker) {
          ports.telemetry.error('an action was asked for by another sender than the API', {
            cluster: message.cluster,
            sender: delivery.senderId,
          });
          ports.telemetry.count('RefusedMessages', 1, 'Count', { reason: 'sender may not ask for actions' });
          refused.push(delivery);
          continue;
        }
        const about = subjectOf(message);
        const look = async (): Promise<void> => await lookBy(reconciler, message, hasTime);
        const asked = [...(looks.get(about)?.asked ?? []), delivery];
        looks.set(about, { asked, look, comesBack: message.look === 'run' });
        continue;
      }
      const { key: text, follows, toldAtMs: enqueuedAtMs } = message;
      const key = readKey(text);
      const group = groups.get(formatKey(key)) ?? { deliveries: [], key, woken: { sentAtMs: receiveCount === 1 ? sentAtMs : undefined } };
      group.deliveries.push(delivery);
      // One that was delivered before may have begun a pass that died, whatever the wake says that shares this pass.
      Object.assign(group.woken, { follows, enqueuedAtMs, wasDelivered: receiveCount > 1 || group.woken.wasDelivered });
      groups.set(formatKey(key), group);
    } catch (error) {
      await giveBackUnreadable(ports, 'wakes', delivery, { error });
      undone.push(messageId);
    }
  }
  const done: Delivery[] = [...refused];
  const over = new AbortController();
  const acknowledging = groups.size + looks.size > 1 ? acknowledgeMeanwhile(ports, done, over.signal) : undefined;
  // A look never comes back, because the next sweep asks again; nor does a question, whose asker has gone by then. A run that was not begun
  // with would wait for a sweep that finds it overdue.
  const looking = [...looks.values()].map(async ({ asked, look, comesBack }) => {
    const isInTime = hasTime();
    if (isInTime) await look();
    if (isInTime || !comesBack) done.push(...asked);
    else undone.push(...asked.map(({ messageId }) => messageId));
  });
  await Promise.all([
    ...looking,
    // Two wakes of one workload in a batch say the same, so they share a pass.
    ...[...groups.values()].map(async ({ key, deliveries: wakes, woken }) => {
      const messageIds = wakes.map(({ messageId }) => messageId);
      if (!hasTime()) return undone.push(...messageIds);
      try {
        if ((await reconciler.reconcile(key, woken)) === 'done') done.push(...wakes);
        else {
          undone.push(...messageIds);
          await giveBackSoon(ports, key, wakes);
        }
      } catch (error) {
        ports.telemetry.error('pass failed', { ...key, error });
        ports.telemetry.count('FailedPasses', 1, 'Count', { kind: key.kind });
        undone.push(...messageIds);
      }
      return undefined;
    }),
  ]);
  over.abort(OVER);
  await acknowledging;
  return undone;
}

/** Values of environments are shown to those alone who may act. */
const asksToAct = ({ questions }: QuestionsMessage): boolean =>
  questions.some((question) => question.about === 'action' || (question.about === 'manifest' && question.values === 'shown'));

type Look = ClusterLookMessage | NodeLookMessage | RunLookMessage | QuestionsMessage;

/** Two looks at the same are one. */
function subjectOf(look: Look): string {
  if (look.look === 'questions') return `questions ${look.id}`;
  if (look.look === 'run') return `run ${look.run}`;
  return look.look === 'nodes' ? `${look.cluster} ${look.nodes.join(' ')}` : look.cluster;
}

async function lookBy(reconciler: WakesSetup['reconciler'], look: Look, hasTime: () => boolean): Promise<void> {
  if (look.look === 'questions') await reconciler.answer(look);
  else if (look.look === 'run') await reconciler.goOn(look, hasTime);
  else if (look.look === 'nodes') await reconciler.lookAtNodes(look);
  else await reconciler.look(look.cluster);
}

/**
 * Runs until the batch is over. Then the event source acknowledges the rest, and repeats the acknowledgements made here, which does no
 * harm. So it never throws.
 */
async function acknowledgeMeanwhile(
  { queue, clock, telemetry }: Pick<Ports, 'queue' | 'telemetry' | 'clock'>,
  done: Delivery[],
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    await clock.wait(ACKNOWLEDGED_EVERY_MS, over);
    if (over.aborted || done.length === 0) continue;
    const wakes = done.splice(0).map(({ receiptHandle }) => receiptHandle);
    await queue.delete('wakes', wakes).catch((error: unknown) => {
      telemetry.warn('wakes that are done are acknowledged with the rest of their batch only', { wakes: wakes.length, error });
    });
  }
}

/** Never throws: a wake that could not be made visible comes back after its visibility time-out. */
async function giveBackSoon(
  { queue, telemetry }: Pick<Ports, 'queue' | 'telemetry'>,
  key: WorkloadKey,
  wakes: readonly Delivery[],
): Promise<void> {
  try {
    for (const { receiptHandle } of wakes) await queue.changeVisibility('wakes', receiptHandle, OVERTAKEN_AGAIN_SECONDS);
  } catch (error) {
    telemetry.warn('wake of an overtaken pass not given back, it comes again by itself', { ...key, error });
  }
}
