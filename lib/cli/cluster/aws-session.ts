// The way to an installation on AWS for `farloop cluster`: one region, one set of credentials, and the names in the stack's outputs.
import { InvalidArgumentError, Option } from 'commander';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { EksAccess } from '../../adapters/eks/eks-access.ts';
import type { DynamoDbClusters } from '../../adapters/dynamodb/dynamodb-clusters.ts';
import type { SenderIdentities } from '../../adapters/sqs/sender-identities.ts';
import type { Installation } from '../../adapters/aws/stack-outputs.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { printProblem } from '../terminal/output.ts';

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
  /** EKS in that region; loaded when it is first asked. */
  eks: (region: string) => Promise<EksAccess>;
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
  const { readInstallation } = await import('../../adapters/aws/stack-outputs.ts');
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
    const eks = new Map<string, EksAccess>();
    const awsEndpointUrl = process.env['AWS_ENDPOINT_URL'];
    return {
      installation,
      region,
      ...(awsEndpointUrl && { awsEndpointUrl }),
      ...session,
      eks: async (of) => {
        const { EKSClient } = await import('@aws-sdk/client-eks');
        const { EksAccess: Access } = await import('../../adapters/eks/eks-access.ts');
        const access = eks.get(of) ?? new Access(new EKSClient({ region: of }));
        eks.set(of, access);
        return access;
      },
      close: () => {
        for (const client of Object.values(session)) client.destroy();
        for (const access of eks.values()) access.close();
      },
    };
  } finally {
    stacks.destroy();
  }
}

/** The parts of an installation that a cluster is registered in. */
export async function registryOf(
  session: AwsSession,
): Promise<Omit<AwsSession, 'dynamodb' | 'iam' | 'close'> & { clusters: DynamoDbClusters; senders: SenderIdentities }> {
  const [{ DynamoDbClusters: Clusters }, { SenderIdentities: Senders }, { SystemClock }] = await Promise.all([
    import('../../adapters/dynamodb/dynamodb-clusters.ts'),
    import('../../adapters/sqs/sender-identities.ts'),
    import('../../adapters/clock/system-clock.ts'),
  ]);
  const { dynamodb, iam, close: _close, ...rest } = session;
  const { clustersTable: tableName, allowLoopback } = session.installation;
  const onFault = (cluster: string, fault: string): void => {
    printProblem(`farloop: the record of the cluster ${cluster} is not usable: ${fault}`);
  };
  return {
    ...rest,
    clusters: new Clusters({ client: dynamodb, tableName, clock: new SystemClock(), allowLoopback, onFault }),
    senders: new Senders(iam),
  };
}

/** Views, heads and notes of an installation. */
export async function storeOf({
  dynamodb,
  installation,
}: AwsSession): Promise<{ store: Store; clock: Clock; forgetNotes: (cluster: string) => Promise<number> }> {
  const [{ DynamoDbStore }, { removeNotes }, { SystemClock }] = await Promise.all([
    import('../../adapters/dynamodb/dynamodb-store.ts'),
    import('../../adapters/dynamodb/removed-cluster.ts'),
    import('../../adapters/clock/system-clock.ts'),
  ]);
  const clock = new SystemClock();
  const { viewsTable: tableName } = installation;
  return {
    store: new DynamoDbStore({ client: dynamodb, tableName, clock }),
    clock,
    forgetNotes: async (cluster) => await removeNotes(dynamodb, tableName, cluster),
  };
}
