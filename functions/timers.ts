// Timers queue → wakes that are due → the message ids that must come back.
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { messageOf } from '../lib/adapters/sqs-records.ts';
import { fireTimers } from '../lib/reconciler/timers.ts';
import { runtime, warmUp } from '../lib/runtime.ts';

await warmUp();

export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const { ports } = await runtime();
  const undone = await fireTimers(event.Records.map(messageOf), ports);
  return { batchItemFailures: undone.map((itemIdentifier) => ({ itemIdentifier })) };
}
