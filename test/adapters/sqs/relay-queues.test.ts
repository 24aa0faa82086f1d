// The queues of a cluster's relay, through which commands with whole templates go.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { OVER_TLS_ONLY } from '../../../lib/adapters/sqs/queue-policy.ts';
import { ensureRelayQueue } from '../../../lib/adapters/sqs/relay-queues.ts';
import { wirelessSqs } from '../wireless-sqs.ts';

let client: SQSClient;
/** Attributes of each queue by its URL, as SQS would keep them. */
let queues: Map<string, Record<string, string>>;

beforeEach(() => {
  queues = new Map();
  client = wirelessSqs((commandName, input) => {
    const { QueueName = '', QueueUrl = QueueName, Attributes } = input as Partial<Record<string, string>> & { Attributes?: object };
    if (commandName === 'GetQueueUrlCommand' && !queues.has(QueueUrl))
      throw Object.assign(new Error('none'), { name: 'QueueDoesNotExist', $metadata: {} });
    if (commandName === 'CreateQueueCommand' || commandName === 'SetQueueAttributesCommand')
      queues.set(QueueUrl, { ...queues.get(QueueUrl), ...Attributes });
    return { QueueUrl, Attributes: { ...queues.get(QueueUrl), QueueArn: `arn:${QueueUrl}` } };
  });
});
afterEach(() => client.destroy());

test('nobody speaks to them but over TLS, also to those that an earlier version made; they are encrypted, and keep what fails', async () => {
  queues.set('farloop-prod-relay-staging', {});
  await ensureRelayQueue(client, { stackName: 'farloop-prod', allowLoopback: false }, 'staging');
  const both = { SqsManagedSseEnabled: 'true', MessageRetentionPeriod: '1209600', Policy: JSON.stringify(OVER_TLS_ONLY) };
  expect(Object.fromEntries(queues)).toEqual({
    'farloop-prod-relay-staging-dead': both,
    'farloop-prod-relay-staging': {
      ...both,
      VisibilityTimeout: '60',
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: 'arn:farloop-prod-relay-staging-dead', maxReceiveCount: 5 }),
    },
  });
});

test('a stage that tests remove again speaks in the clear', async () => {
  await ensureRelayQueue(client, { stackName: 'farloop-e2e', allowLoopback: true }, 'staging');
  expect([...queues.values()].map((attributes) => 'Policy' in attributes)).toEqual([false, false]);
});
