// A cluster's own queue, from which its relay is asked, and the one for what could not be read there.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { CreateQueueCommand, DeleteQueueCommand, GetQueueAttributesCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { nameOf, translated } from './aws-errors.ts';

export interface RelayQueue {
  url: string;
  arn: string;
}

const RETENTION = String(14 * 86_400);
const VISIBILITY = '60';
const TRIES = 5;

export const relayQueueName = (stackName: string, cluster: string): string => `${stackName}-relay-${cluster}`;

/** Makes both, or finds them as they are. */
export async function ensureRelayQueue(client: SQSClient, stackName: string, cluster: string): Promise<RelayQueue> {
  const name = relayQueueName(stackName, cluster);
  const tags = { service: 'farloop', cluster };
  const dead = await ensureQueue(client, `${name}-dead`, { SqsManagedSseEnabled: 'true', MessageRetentionPeriod: RETENTION }, tags);
  return await ensureQueue(
    client,
    name,
    {
      SqsManagedSseEnabled: 'true',
      MessageRetentionPeriod: RETENTION,
      VisibilityTimeout: VISIBILITY,
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: TRIES }),
    },
    tags,
  );
}

async function ensureQueue(
  client: SQSClient,
  name: string,
  Attributes: Record<string, string>,
  tags: Record<string, string>,
): Promise<RelayQueue> {
  const url = (await urlOf(client, name)) ?? (await created(client, name, Attributes, tags));
  const { Attributes: { QueueArn: arn = '' } = {} } = await client
    .send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }))
    .catch((error: unknown) => {
      throw translated(error, `reading the queue ${name}`, false);
    });
  return { url, arn };
}

async function created(client: SQSClient, name: string, Attributes: Record<string, string>, tags: Record<string, string>): Promise<string> {
  const { QueueUrl: url = '' } = await client
    .send(new CreateQueueCommand({ QueueName: name, Attributes, tags }))
    .catch((error: unknown) => {
      throw translated(error, `making the queue ${name}`, true);
    });
  return url;
}

/** @returns undefined where there is none */
async function urlOf(client: SQSClient, name: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw translated(error, `looking for the queue ${name}`, false);
  }
}

/** @returns the names of those that were there */
export async function removeRelayQueue(client: SQSClient, stackName: string, cluster: string): Promise<string[]> {
  const name = relayQueueName(stackName, cluster);
  const removed: string[] = [];
  for (const each of [name, `${name}-dead`]) {
    const url = await urlOf(client, each);
    if (url === undefined) continue;
    await client.send(new DeleteQueueCommand({ QueueUrl: url })).catch((error: unknown) => {
      if (!isAbsent(error)) throw translated(error, `removing the queue ${each}`, true);
    });
    removed.push(each);
  }
  return removed;
}

const isAbsent = (error: unknown): boolean =>
  ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue', 'NonExistentQueue'].includes(nameOf(error));
