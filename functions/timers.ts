// Timers queue → wakes that are due → ids of the messages that must come back.
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { messageOf } from '../lib/adapters/sqs/sqs-records.ts';
import { fireTimers } from '../lib/reconciler/timers.ts';
import { invocation, warmUp } from '../lib/runtime.ts';

await warmUp();

export async function handler(event: SQSEvent, context?: Context): Promise<SQSBatchResponse> {
  const undone = await invocation(
    'timers',
    context,
    async ({ ports }) =>
      await fireTimers(
        event.Records.map((record) => messageOf(record)),
        ports,
      ),
  );
  return { batchItemFailures: undone.map((itemIdentifier) => ({ itemIdentifier })) };
}
