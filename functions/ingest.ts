// Events queue → view, wakes → ids of the messages that must come back.
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { messageOf } from '../lib/adapters/sqs/sqs-records.ts';
import { ingestBatch } from '../lib/reconciler/ingest.ts';
import { invocation, warmUp } from '../lib/runtime.ts';

await warmUp();

export async function handler(event: SQSEvent, context?: Context): Promise<SQSBatchResponse> {
  const undone = await invocation('ingest', context, async ({ ports, redriver }) => {
    const deliveries = event.Records.map((record) => messageOf(record, redriver));
    return await ingestBatch(deliveries, ports);
  });
  return { batchItemFailures: undone.map((itemIdentifier) => ({ itemIdentifier })) };
}
