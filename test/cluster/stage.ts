// A stage to register clusters with, and a cluster to register: what is on AWS is an emulator's, the API server is real.
import { CloudFormationClient, CreateStackCommand, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createClustersTableInput, DynamoDbClusters } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { createTableInput } from '../../lib/adapters/dynamodb/table-definition.ts';
import { NAMESPACES } from '../../lib/objects/resources.ts';
import { resourceOf } from '../../lib/onboarding/ours.ts';
import { until } from '../claims.ts';
import { runFarloop, type Ended } from '../cli/farloop-process.ts';
import { startMinistack } from '../peers/peer.ts';
import { isAllowed } from './access-review.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';

export const STAGE = 't';
export const REGION = 'us-east-1';
export const KEYS = { accessKeyId: 'test', secretAccessKey: 'test' };

const ACCOUNTS = resourceOf({ apiVersion: 'v1', kind: 'ServiceAccount' });
const STACK = `farloop-${STAGE}`;

/** Of a CloudFormation template. */
interface StackParts {
  Resources: Record<string, object>;
  Outputs: Record<string, object>;
}

export interface Stage {
  /** Where the emulator answers, and by whom it is asked: for further clients. */
  connection: { endpoint: string; region: string; credentials: typeof KEYS };
  dynamodb: DynamoDBClient;
  iam: IAMClient;
  secrets: SecretsManagerClient;
  /** What the stack tells of itself, by name. */
  outputs: Readonly<Record<string, string>>;
  controlPlane: ControlPlane;
  administration: KubernetesAdministration;
  /** What stands in the table now, not what was read a moment ago. */
  clusters: () => DynamoDbClusters;
  /** Runs `farloop cluster` on this stage. */
  cluster: (...args: string[]) => Promise<Ended>;
  /** Whether whoever has that token may do it on the cluster, as its API server says; of the core group and in `default` if not said. */
  may: (token: string, access: { verb: string; group?: string; resource: string; namespace?: string }) => Promise<boolean>;
  stop: () => Promise<void>;
}

/**
 * @param more what the stack has besides what every stage has
 * @param apiServerFlagsFor asked before the API server starts, with the emulator's address
 */
export async function startStage(
  more: StackParts = { Resources: {}, Outputs: {} },
  apiServerFlagsFor: (endpoint: string) => Promise<string[]> = async () => [],
): Promise<Stage> {
  const endings: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).toReversed()) await end();
  };
  try {
    const peer = await startMinistack({ AUTH: 'true' });
    endings.push(() => peer.stop());
    const controlPlane = await startControlPlane({ controllers: '*,-job', apiServerFlags: await apiServerFlagsFor(peer.endpoint) });
    endings.push(() => controlPlane.stop());
    const { url, caPem, token } = controlPlane;
    const administration = new KubernetesAdministration({ server: url, caPem, auth: { kind: 'token', token } });
    const connection = { endpoint: peer.endpoint, region: REGION, credentials: KEYS };
    const clients = {
      dynamodb: new DynamoDBClient(connection),
      iam: new IAMClient(connection),
      secrets: new SecretsManagerClient(connection),
    };
    endings.push(() => administration.close());
    for (const client of Object.values(clients)) endings.push(() => client.destroy());
    const outputs = await deploy(connection, more);
    await clients.dynamodb.send(new CreateTableCommand(createClustersTableInput(`${STACK}-clusters`)));
    await clients.dynamodb.send(new CreateTableCommand(createTableInput(`${STACK}-views`)));
    await until('the four namespaces of the beginning', async () => (await administration.list(NAMESPACES)).length === 4, 60_000);
    // Their accounts are made by a controller, some time after them: what is there from the beginning is there now.
    await until('the account of each', async () => (await administration.list(ACCOUNTS)).length === 4, 60_000);
    return {
      connection,
      ...clients,
      outputs,
      controlPlane,
      administration,
      clusters: () =>
        new DynamoDbClusters({
          client: clients.dynamodb,
          tableName: `${STACK}-clusters`,
          clock: new SystemClock(),
          allowLoopback: true,
        }),
      cluster: async (...args) =>
        await runFarloop(['cluster', ...args, '--stage', STAGE], {
          environment: {
            AWS_ENDPOINT_URL: peer.endpoint,
            AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
            AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
            AWS_REGION: REGION,
            AWS_EC2_METADATA_DISABLED: 'true',
          },
        }),
      may: async (of, access) => await isAllowed(controlPlane, of, { group: '', namespace: 'default', ...access }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function deploy(connection: Stage['connection'], more: StackParts): Promise<Record<string, string>> {
  const template = {
    Resources: { Events: { Type: 'AWS::SQS::Queue', Properties: { QueueName: `${STACK}-events` } }, ...more.Resources },
    Outputs: {
      EventsQueueUrl: { Value: { Ref: 'Events' } },
      EventsQueueArn: { Value: { 'Fn::GetAtt': ['Events', 'Arn'] } },
      // No functions run here whose commands a relay would take.
      ReconcileRoleId: { Value: 'AROARECONCILE' },
      ViewsTable: { Value: `${STACK}-views` },
      ClustersTable: { Value: `${STACK}-clusters` },
      ClusterSecretPrefix: { Value: `farloop/${STAGE}/clusters/` },
      AllowLoopback: { Value: 'yes' },
      ...more.Outputs,
    },
  };
  const stacks = new CloudFormationClient(connection);
  const body = JSON.stringify(template);
  await stacks.send(new CreateStackCommand({ StackName: STACK, TemplateBody: body, Capabilities: ['CAPABILITY_IAM'] }));
  const outputs: Record<string, string> = {};
  await until(
    'the stack is there',
    async () => {
      const { Stacks: [stack] = [] } = await stacks.send(new DescribeStacksCommand({ StackName: STACK }));
      for (const { OutputKey = '', OutputValue = '' } of stack?.Outputs ?? []) outputs[OutputKey] = OutputValue;
      return stack?.StackStatus === 'CREATE_COMPLETE';
    },
    60_000,
  );
  stacks.destroy();
  return outputs;
}
