// A cluster's own queue, from which its relay is asked, and the one for what could not be read there.
import type { SQSClient } from '@aws-sdk/client-sqs';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { nameOf, translated } from '../aws/aws-errors.ts';
import { OVER_TLS_ONLY } from './queue-policy.ts';

export interface RelayQueue {
  url: string;
  arn: string;
}

const RETENTION = String(14 * 86_400);
const VISIBILITY = '60';
const TRIES = 5;

export const relayQueueName = (stackName: string, cluster: string): string => `${stackName}-relay-${cluster}`;

/**
 * Makes both, or finds them; they are as they should be afterwards.
 * @param allowLoopback they may be spoken to in the clear: only for a stage that tests remove again
 */
export async function ensureRelayQueue(
  client: SQSClient,
  { stackName, allowLoopback }: { stackName: string; allowLoopback: boolean },
  cluster: string,
): Promise<RelayQueue> {
  const name = relayQueueName(stackName, cluster);
  const tags = { service: 'farloop', cluster };
  const both = {
    SqsManagedSseEnabled: 'true',
    MessageRetentionPeriod: RETENTION,
    ...(!allowLoopback && { Policy: JSON.stringify(OVER_TLS_ONLY) }),
  };
  const dead = await ensureQueue(client, `${name}-dead`, both, tags);
  return await ensureQueue(
    client,
    name,
    {
      ...both,
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
  const known = await urlOf(client, name);
  if (known !== undefined)
    await client.send(new SetQueueAttributesCommand({ QueueUrl: known, Attributes })).catch((error: unknown) => {
      throw translated(error, `setting up the queue ${name}`, true);
    });
  const url = known ?? (await created(client, name, Attributes, tags));
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

/** @returns undefined where no such queue exists */
async function urlOf(client: SQSClient, name: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw translated(error, `looking for the queue ${name}`, false);
  }
}

/** @returns the names of those that there are */
export async function relayQueuesOf(client: SQSClient, stackName: string, cluster: string): Promise<string[]> {
  return (await found(client, stackName, cluster)).map(({ name }) => name);
}

/** @returns the names of those that were there */
export async function removeRelayQueue(client: SQSClient, stackName: string, cluster: string): Promise<string[]> {
  const queues = await found(client, stackName, cluster);
  for (const { name, url } of queues)
    await client.send(new DeleteQueueCommand({ QueueUrl: url })).catch((error: unknown) => {
      if (!isAbsent(error)) throw translated(error, `removing the queue ${name}`, true);
    });
  return queues.map(({ name }) => name);
}

async function found(client: SQSClient, stackName: string, cluster: string): Promise<{ name: string; url: string }[]> {
  const own = relayQueueName(stackName, cluster);
  const queues: { name: string; url: string }[] = [];
  for (const name of [own, `${own}-dead`]) {
    const url = await urlOf(client, name);
    if (url !== undefined) queues.push({ name, url });
  }
  return queues;
}

const isAbsent = (error: unknown): boolean =>
  ['QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue', 'NonExistentQueue'].includes(nameOf(error));
