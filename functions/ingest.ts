// Events queue → view, wakes → the message ids that must come back.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { ingestBatch } from '../lib/reconciler/ingest.ts';
import { runtime } from '../lib/runtime.ts';

export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const { ports } = await runtime();
  const deliveries = event.Records.map(({ messageId, body, attributes }) => ({
    messageId,
    body,
    // A role's sender is `id:session`, and sessions come and go: the role is what is registered.
    senderId: attributes.SenderId.split(':', 1)[0] ?? '',
  }));
  const undone = await ingestBatch(deliveries, ports);
  return { batchItemFailures: undone.map((itemIdentifier) => ({ itemIdentifier })) };
}
