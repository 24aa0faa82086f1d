// Events queue → view, wakes → the message ids that must come back.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { messageOf } from '../lib/adapters/sqs-records.ts';
import { ingestBatch } from '../lib/reconciler/ingest.ts';
import { runtime, warmUp } from '../lib/runtime.ts';

await warmUp();

export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const { ports } = await runtime();
  const undone = await ingestBatch(event.Records.map(messageOf), ports);
  return { batchItemFailures: undone.map((itemIdentifier) => ({ itemIdentifier })) };
}
