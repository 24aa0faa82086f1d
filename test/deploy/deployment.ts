// The emulator with a stage of ours in it, and what a test asks of both. Nothing here knows a name or an address that the deployed
// stack does not tell.
import { CloudFormationClient, DescribeStacksCommand, ListStackResourcesCommand, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, DescribeLogGroupsCommand, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { CreateClusterCommand, EKSClient, ListAccessEntriesCommand } from '@aws-sdk/client-eks';
import {
  CreateAccessKeyCommand,
  CreateRoleCommand,
  GetUserPolicyCommand,
  IAMClient,
  ListRolesCommand,
  ListUsersCommand,
  PutRolePolicyCommand,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetSecretValueCommand, ListSecretsCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { putSecret, removeSecret } from '../../lib/adapters/credentials/secrets.ts';
import { signatureHeaders } from '../../lib/adapters/aws/request-signature.ts';
import type { Ended } from '../cli/farloop-process.ts';
import { FarloopProcess, runFarloop } from '../cli/farloop-process.ts';
import { startMinistack } from '../peers/peer.ts';
import { namesOfStage } from './made-by-stage.ts';
import { FUNCTIONS, osls } from './packaged.ts';
import type { FunctionName } from './packaged.ts';
import type { Right } from './rights.ts';
import { SENDER, accessKeyOf, startCallRecorder } from './recorded-calls.ts';
import type { CallRecorder } from './recorded-calls.ts';

export const STAGE = 'e2e';
export const REGION = 'us-east-1';
/** A cluster of EKS, and the name that it is registered under. */
export const EKS_CLUSTER = 'shop';
const EKS_NAME = 'real';
const KEYS = { accessKeyId: 'test', secretAccessKey: 'test' };

export class Deployment {
  readonly endpoint: string;
  readonly recorder: CallRecorder;
  readonly dynamodb: DynamoDBClient;
  readonly eks: EKSClient;
  readonly sqs: SQSClient;
  readonly #stopEmulator: () => Promise<void>;
  readonly #cloudFormation: CloudFormationClient;
  readonly #iam: IAMClient;
  readonly #lambda: LambdaClient;
  readonly #logs: CloudWatchLogsClient;
  readonly #secrets: SecretsManagerClient;
  outputs: Record<string, string> = {};

  private constructor(endpoint: string, recorder: CallRecorder, stopEmulator: () => Promise<void>) {
    this.endpoint = endpoint;
    this.recorder = recorder;
    this.#stopEmulator = stopEmulator;
    const connection = { endpoint, region: REGION, credentials: KEYS };
    this.dynamodb = new DynamoDBClient(connection);
    this.eks = new EKSClient(connection);
    this.sqs = new SQSClient(connection);
    this.#cloudFormation = new CloudFormationClient(connection);
    this.#iam = new IAMClient(connection);
    this.#lambda = new LambdaClient(connection);
    this.#logs = new CloudWatchLogsClient(connection);
    this.#secrets = new SecretsManagerClient(connection);
  }

  static async start(): Promise<Deployment> {
    // Rights are enforced; functions run on the Node that runs this. It calls itself 127.0.0.1, where the recorder is.
    const emulator = await startMinistack({
      AUTH: 'true',
      BIND_HOST: '127.0.0.3',
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    });
    const recorder = await startCallRecorder(emulator.endpoint);
    return new Deployment(recorder.endpoint, recorder, emulator.stop);
  }

  get environment(): Record<string, string> {
    return {
      AWS_ENDPOINT_URL: this.endpoint,
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      AWS_REGION: REGION,
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  }

  /** Runs osls with the stage's parameters, however that ends. */
  async tryOsls(command: 'deploy' | 'remove', parameters: Record<string, string>): Promise<{ code: number; said: string }> {
    const given = Object.entries(parameters).map(([name, value]) => `--param=${name}=${value}`);
    return await osls([command, '--stage', STAGE, '--region', REGION, ...given], this.environment);
  }

  /** @throws Error with everything it said */
  async osls(command: 'deploy' | 'remove', parameters: Record<string, string>): Promise<string> {
    const { code, said } = await this.tryOsls(command, parameters);
    if (code !== 0) throw new Error(`osls ${command} ended with ${code}:\n${said}`);
    return said;
  }

  /** Names of the stacks that there are. */
  async made(): Promise<string[]> {
    const { StackSummaries: stacks = [] } = await this.#cloudFormation.send(new ListStacksCommand({}));
    return stacks.filter(({ StackStatus: status }) => status !== 'DELETE_COMPLETE').map(({ StackName: name }) => name ?? '');
  }

  /** Everything in the account that is named after the stage, by kind. */
  async namesOfStage(): Promise<Record<string, string[]>> {
    const { dynamodb, sqs } = this;
    const clients = { dynamodb, sqs, iam: this.#iam, lambda: this.#lambda, logs: this.#logs, secrets: this.#secrets };
    return await namesOfStage(STAGE, {
      ...clients,
      ask: async (service, { path = '/', target, form }) => {
        const body = form ?? (target === undefined ? '' : '{}');
        const url = new URL(path, this.endpoint);
        const method = body === '' ? 'GET' : 'POST';
        const headers = await signatureHeaders(KEYS, { method, url, body, region: REGION, service, nowMs: Date.now() });
        const type = form === undefined ? 'application/x-amz-json-1.1' : 'application/x-www-form-urlencoded';
        const more = { ...(body !== '' && { 'content-type': type }), ...(target !== undefined && { 'x-amz-target': target }) };
        const answer = await fetch(url, { method, headers: { ...headers, ...more }, ...(body !== '' && { body }) });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${service} ${path} ${target ?? form ?? ''}: ${answer.status} ${text.slice(0, 500)}`);
        return text;
      },
    });
  }

  async logGroupsMadeSince(sinceMs: number): Promise<string[]> {
    const { logGroups: groups = [] } = await this.#logs.send(new DescribeLogGroupsCommand({}));
    return groups.filter(({ creationTime = 0 }) => creationTime >= sinceMs).map(({ logGroupName: name = '' }) => name);
  }

  async readOutputs(): Promise<void> {
    const { Stacks: [stack] = [] } = await this.#cloudFormation.send(new DescribeStacksCommand({ StackName: `farloop-${STAGE}` }));
    this.outputs = Object.fromEntries((stack?.Outputs ?? []).map(({ OutputKey: key = '', OutputValue: value = '' }) => [key, value]));
  }

  output(name: string): string {
    const value = this.outputs[name];
    if (value === undefined) throw new Error(`the stack has no output ${name}: ${Object.keys(this.outputs).join(', ')}`);
    return value;
  }

  /** Logical name → physical id. */
  async resources(): Promise<Map<string, { type: string; id: string }>> {
    const found = new Map<string, { type: string; id: string }>();
    let token: string | undefined;
    do {
      const page = await this.#cloudFormation.send(
        new ListStackResourcesCommand({ StackName: `farloop-${STAGE}`, ...(token !== undefined && { NextToken: token }) }),
      );
      for (const { LogicalResourceId: name = '', PhysicalResourceId: id = '', ResourceType: type = '' } of page.StackResourceSummaries ??
        [])
        found.set(name, { type, id });
      token = page.NextToken;
    } while (token !== undefined);
    return found;
  }

  /** Under which access key each function calls. */
  async accessKeys(): Promise<Map<string, FunctionName>> {
    const keys = new Map<string, FunctionName>();
    for (const name of FUNCTIONS) {
      const { FunctionArn: arn = '', Role: role = '' } = await this.#lambda.send(
        new GetFunctionConfigurationCommand({ FunctionName: `farloop-${STAGE}-${name}` }),
      );
      keys.set(accessKeyOf(arn, role), name);
    }
    return keys;
  }

  /** Everything that a function has said, the runtime's own lines too. */
  async saidBy(name: FunctionName): Promise<string[]> {
    const lines: string[] = [];
    let token: string | undefined;
    do {
      const page = await this.#logs.send(
        new FilterLogEventsCommand({
          logGroupName: `/aws/lambda/farloop-${STAGE}-${name}`,
          ...(token !== undefined && { nextToken: token }),
        }),
      );
      for (const { message = '' } of page.events ?? []) lines.push(...message.split('\n'));
      token = page.nextToken;
    } while (token !== undefined);
    return lines;
  }

  /** What it has logged, parsed. */
  async logsOf(name: FunctionName): Promise<Record<string, unknown>[]> {
    return (await this.saidBy(name)).flatMap((line) => {
      const from = line.indexOf('{');
      const found = from < 0 ? undefined : parsed(line.slice(from));
      return isFields(found) ? [found] : [];
    });
  }

  /** The command, in the name of whoever operates the installation. */
  async farloop(...args: readonly string[]): Promise<Ended> {
    return await runFarloop(args, { environment: this.environment });
  }

  /** The same, for a command that runs until it is ended. */
  start(...args: readonly string[]): FarloopProcess {
    return new FarloopProcess(args, { environment: this.environment });
  }

  /** @throws Error with what it said, when it fails */
  async cluster(...args: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await this.farloop('cluster', ...args, '--stage', STAGE);
    if (exitCode !== 0) throw new Error(`farloop cluster ${args.join(' ')} ended with ${exitCode}:\n${stdout}\n${stderr}`);
    return stdout;
  }

  /** Where the API answers: the emulator does not serve the address that the stack tells. */
  async endpointOfApi(): Promise<string> {
    return `${this.endpoint}/_aws/execute-api/${(await this.resources()).get('HttpApi')?.id ?? ''}`;
  }

  async keyOfUser(UserName: string): Promise<{ accessKeyId: string; secretAccessKey: string }> {
    const { AccessKey: key } = await this.#iam.send(new CreateAccessKeyCommand({ UserName }));
    return { accessKeyId: key?.AccessKeyId ?? '', secretAccessKey: key?.SecretAccessKey ?? '' };
  }

  /** As its owner has made it before anybody spoke of Farloop. */
  async makeEksCluster(): Promise<void> {
    const trust = { Statement: [{ Effect: 'Allow', Principal: { Service: 'eks.amazonaws.com' }, Action: 'sts:AssumeRole' }] };
    const { Role: role } = await this.#iam.send(
      new CreateRoleCommand({ RoleName: 'eks', AssumeRolePolicyDocument: JSON.stringify(trust) }),
    );
    const accessConfig = { authenticationMode: 'API', bootstrapClusterCreatorAdminPermissions: false } as const;
    await this.eks.send(new CreateClusterCommand({ name: EKS_CLUSTER, roleArn: role?.Arn, resourcesVpcConfig: {}, accessConfig }));
  }

  /** What AWS knows of that cluster beside the stack, by name. */
  async traces(cluster: string): Promise<string[]> {
    const { QueueUrls: queues = [] } = await this.sqs.send(new ListQueuesCommand({ QueueNamePrefix: `farloop-${STAGE}-relay-${cluster}` }));
    const { Users: users = [] } = await this.#iam.send(new ListUsersCommand({}));
    const { Roles: roles = [] } = await this.#iam.send(new ListRolesCommand({}));
    const { SecretList: secrets = [] } = await this.#secrets.send(new ListSecretsCommand({}));
    const { accessEntries: entries = [] } = await this.eks.send(new ListAccessEntriesCommand({ clusterName: EKS_CLUSTER }));
    const { Items: items = [] } = await this.dynamodb.send(new ScanCommand({ TableName: this.output('ClustersTable') }));
    const { Items: views = [] } = await this.dynamodb.send(new ScanCommand({ TableName: this.output('ViewsTable') }));
    return [
      ...queues.map((url) => `queue ${url.split('/').at(-1)}`),
      ...users.map(({ UserName: name }) => `user ${name}`),
      ...roles.map(({ RoleName: name }) => `role ${name}`),
      ...secrets.map(({ Name: name }) => `secret ${name}`),
      ...items.map(({ name }) => `record ${name?.S}`),
      // Sealed answers of relays are found by nobody, and go within the hour by their time to live.
      ...views.filter(({ pk }) => !pk?.S?.includes('/answer/')).map(({ pk, sk }) => `view ${pk?.S} ${sk?.S}`),
    ]
      .toSorted()
      .filter((text) => new RegExp(`\\b${cluster}\\b`).test(text))
      .concat(cluster === EKS_NAME ? entries.map((arn) => `access entry ${arn}`) : []);
  }

  /** Everything in the tables. */
  async stored(): Promise<string> {
    const pages = await Promise.all(
      ['ViewsTable', 'ClustersTable', 'RunsTable'].map(
        async (table) => await this.dynamodb.send(new ScanCommand({ TableName: this.output(table) })),
      ),
    );
    return JSON.stringify(
      pages.map(({ Items }) => Items),
      (_key, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value),
    );
  }

  /** As its operator gives the deployment a secret that no command makes. */
  async giveSecret(name: string, value: object): Promise<void> {
    await putSecret(this.#secrets, name, value);
  }

  async takeSecret(name: string): Promise<void> {
    await removeSecret(this.#secrets, name);
  }

  async secretOf(cluster: string): Promise<string | undefined> {
    const SecretId = this.output('ClusterSecretPrefix') + cluster;
    return await this.#secrets.send(new GetSecretValueCommand({ SecretId })).then(
      ({ SecretString }) => SecretString,
      () => undefined,
    );
  }

  /**
   * Stands in for what the emulator does not know: a right to a call on one message is the right to a call on many. Wired from the
   * deployed template alone.
   */
  async grantBatches(rights: readonly Right[]): Promise<number> {
    const resources = await this.resources();
    const single = rights.filter(({ action }) => BATCHES.has(action));
    for (const [at, { role, action, resource }] of single.entries())
      await this.#iam.send(
        new PutRolePolicyCommand({
          RoleName: resources.get(role)?.id ?? '',
          PolicyName: `batch-${at}`,
          PolicyDocument: JSON.stringify({
            Statement: [{ Effect: 'Allow', Action: BATCHES.get(action), Resource: arnOf(resource, resources) }],
          }),
        }),
      );
    return single.length;
  }

  /** The same for a relay's user, in its own policy. */
  async grantBatchesTo(UserName: string): Promise<void> {
    const PolicyName = 'relay';
    const { PolicyDocument: text = '' } = await this.#iam.send(new GetUserPolicyCommand({ UserName, PolicyName }));
    const policy: { Statement: { Action: string[] }[] } = JSON.parse(decodeURIComponent(text));
    for (const statement of policy.Statement) statement.Action.push(...statement.Action.flatMap((action) => BATCHES.get(action) ?? []));
    await this.#iam.send(new PutUserPolicyCommand({ UserName, PolicyName, PolicyDocument: JSON.stringify(policy) }));
  }

  /** A request to the deployed API, signed unless said otherwise. */
  async api(
    method: 'GET' | 'POST',
    path: string,
    { signed = true, body }: { signed?: boolean; body?: object } = {},
  ): Promise<{ status: number; json: unknown; headers: Headers }> {
    const url = new URL(`${await this.endpointOfApi()}${path}`);
    const sent = { method, ...(body !== undefined && { type: 'application/json', body: JSON.stringify(body) }) };
    const answer = signed ? await this.#signed(url, sent) : await fetch(url, { method });
    return { status: answer.status, json: parsed(await answer.text()), headers: answer.headers };
  }

  async #signed(url: URL, { method, type, body = '' }: { method: string; type?: string; body?: string }): Promise<Response> {
    const key = { accessKeyId: KEYS.accessKeyId, secretAccessKey: KEYS.secretAccessKey };
    const headers = await signatureHeaders(key, { method, url, body, region: REGION, service: 'execute-api', nowMs: Date.now() });
    return await fetch(url, {
      method,
      headers: { ...headers, ...(type !== undefined && { 'content-type': type }) },
      ...(body !== '' && { body }),
    });
  }

  async stop(): Promise<void> {
    for (const client of [this.dynamodb, this.eks, this.sqs, this.#cloudFormation, this.#iam, this.#lambda, this.#logs, this.#secrets])
      client.destroy();
    await this.#stopEmulator();
    await this.recorder.stop();
  }
}

const BATCHES = new Map([
  ['sqs:SendMessage', 'sqs:SendMessageBatch'],
  ['sqs:DeleteMessage', 'sqs:DeleteMessageBatch'],
]);

function arnOf(resource: string, resources: Map<string, { id: string }>): string {
  const logical = /^\$\{(\w+)\.Arn\}$/.exec(resource)?.[1];
  const name = logical === undefined ? resource.replace(/^.*:/, '') : resources.get(logical)?.id.split('/').at(-1);
  return `arn:aws:sqs:${REGION}:${SENDER}:${name}`;
}

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** @returns the first answer that satisfies. @throws Error after so long, with the last answer */
export async function until<Answer>(
  what: string,
  ask: () => Promise<Answer>,
  holds: (answer: Answer) => boolean,
  withinMs = 180_000,
): Promise<Answer> {
  const untilMs = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (performance.now() > untilMs)
      throw new Error(`${what} did not come about within ${withinMs / 1000} s: ${JSON.stringify(answer)?.slice(0, 2_000)}`);
    await sleep(200);
  }
}
