// Wakes, one workload at a time per group → ids of the messages that must come back.
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { messageOf } from '../lib/adapters/sqs/sqs-records.ts';
import { reconcileBatch } from '../lib/reconciler/batch.ts';
import { Reconciler } from '../lib/reconciler/reconcile.ts';
import { invocation, warmUp } from '../lib/runtime.ts';

await warmUp();

/** One loop per process and runtime: it keeps its share of the write budget. */
const reconcilers = new WeakMap<object, Reconciler>();

export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const undone = await invocation('reconcile', context, async ({ ports, deadlineReserveMs, loop, asker }) => {
    const reconciler = reconcilers.get(ports) ?? new Reconciler(ports, loop);
    reconcilers.set(ports, reconciler);
    const hasTime = (): boolean => context.getRemainingTimeInMillis() > deadlineReserveMs;
    return await reconcileBatch(
      event.Records.map((record) => messageOf(record)),
      { reconciler, ports, asker, hasTime },
    );
  });
  return { batchItemFailures: undone.map((itemIdentifier) => ({ itemIdentifier })) };
}
