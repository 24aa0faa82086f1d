// The way to an installation on AWS for `farloop cluster`: one region, one set of credentials, and the names that the stack tells.
import { Option } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Installation } from '../adapters/stack-outputs.ts';
import { FailedError, UsageError } from './exit.ts';

export interface AwsOptions {
  stage?: string;
  region?: string;
}

export interface AwsSession {
  installation: Installation;
  region: string;
  /** Where AWS is reached, if not at its public addresses. */
  awsEndpointUrl?: string;
  dynamodb: DynamoDBClient;
  iam: IAMClient;
  secrets: SecretsManagerClient;
  sqs: SQSClient;
  close: () => void;
}

const stageName = (text: string): string => {
  if (!/^[a-z][a-z0-9]{0,19}$/.test(text)) throw new InvalidArgumentError('Expected the name of a stage, as it was deployed.');
  return text;
};

export const stageOption = (): Option =>
  new Option('--stage <name>', 'stage of the installation on AWS, as it was deployed').env('FARLOOP_STAGE').argParser(stageName);
export const regionOption = (): Option => new Option('--region <name>', 'its AWS region (default: AWS_REGION, else that of the profile)');

/** @throws UsageError no stage; FailedError no region or credentials, or there is no such stack */
export async function openAwsSession({ stage, region: asked }: AwsOptions): Promise<AwsSession> {
  if (stage === undefined)
    throw new UsageError('--stage is missing: name the stage of the installation on AWS, or set FARLOOP_STAGE; see docs/clusters.md');
  const [cloudFormation, dynamodb, iam, secrets, sqs] = await Promise.all([
    import('@aws-sdk/client-cloudformation'),
    import('@aws-sdk/client-dynamodb'),
    import('@aws-sdk/client-iam'),
    import('@aws-sdk/client-secrets-manager'),
    import('@aws-sdk/client-sqs'),
  ]);
  const { readInstallation } = await import('../adapters/stack-outputs.ts');
  const given = asked === undefined ? {} : { region: asked };
  const stacks: CloudFormationClient = new cloudFormation.CloudFormationClient(given);
  try {
    const region = await stacks.config.region().catch((error: unknown) => {
      throw new FailedError('no AWS region is known: give it with --region, or set AWS_REGION', { cause: error });
    });
    await stacks.config.credentials().catch((error: unknown) => {
      throw new FailedError('there are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY', {
        cause: error,
      });
    });
    const installation = await readInstallation(stacks, stage);
    const session = {
      dynamodb: new dynamodb.DynamoDBClient({ region }),
      iam: new iam.IAMClient({ region }),
      secrets: new secrets.SecretsManagerClient({ region }),
      sqs: new sqs.SQSClient({ region }),
    };
    const awsEndpointUrl = process.env['AWS_ENDPOINT_URL'];
    return {
      installation,
      region,
      ...(awsEndpointUrl && { awsEndpointUrl }),
      ...session,
      close: () => {
        for (const client of Object.values(session)) client.destroy();
      },
    };
  } finally {
    stacks.destroy();
  }
}
