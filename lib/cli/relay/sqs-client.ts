// The way to SQS for commands that people start: missing credentials are reported at once, not with every message.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { FailedError } from '../terminal/exit.ts';

/**
 * @param queueUrl names the region too, where it is one of AWS's own
 * @throws FailedError there is no region, or there are no credentials
 */
export async function connectToSqs(queueUrl: string): Promise<SQSClient> {
  const { SQSClient: Client } = await import('@aws-sdk/client-sqs');
  const [, region] = /^sqs\.([a-z0-9-]+)\.amazonaws\.com/.exec(new URL(queueUrl).hostname) ?? [];
  const client = new Client(region === undefined ? {} : { region });
  try {
    await client.config.region();
  } catch (error) {
    throw new FailedError(`${queueUrl} names no AWS region, and AWS_REGION is not set: set it to the queue's region`, { cause: error });
  }
  try {
    await client.config.credentials();
  } catch (error) {
    throw new FailedError(
      'there are no AWS credentials: give the pod a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE',
      { cause: error },
    );
  }
  return client;
}
