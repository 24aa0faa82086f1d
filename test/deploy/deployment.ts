// The emulator with a stage of ours in it, and what a test asks of both. Nothing here knows a name or an address that the deployed
// stack does not tell.
import { CloudFormationClient, DescribeStacksCommand, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CreateSecretCommand, DeleteSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CreateQueueCommand, DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDbClusters } from '../../lib/adapters/dynamodb-clusters.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import { startMinistack } from '../peers/peer.ts';
import { FUNCTIONS, osls } from './packaged.ts';
import type { FunctionName } from './packaged.ts';
import type { Right } from './rights.ts';
import { accessKeyOf, startCallRecorder } from './recorded-calls.ts';
import type { CallRecorder } from './recorded-calls.ts';

export const STAGE = 'e2e';
export const REGION = 'us-east-1';
/** What the emulator says of every sender. */
const SENDER = '000000000000';
const KEYS = { accessKeyId: 'test', secretAccessKey: 'test' };

export class Deployment {
  readonly endpoint: string;
  readonly recorder: CallRecorder;
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly #stopEmulator: () => Promise<void>;
  readonly #cloudFormation: CloudFormationClient;
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
    this.sqs = new SQSClient(connection);
    this.#cloudFormation = new CloudFormationClient(connection);
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

  /** Runs osls with the stage's parameters. @throws Error with everything it said */
  async osls(command: 'deploy' | 'remove', parameters: Record<string, string>): Promise<string> {
    const given = Object.entries(parameters).map(([name, value]) => `--param=${name}=${value}`);
    const { code, said } = await osls([command, '--stage', STAGE, '--region', REGION, ...given], this.environment);
    if (code !== 0) throw new Error(`osls ${command} ended with ${code}:\n${said}`);
    return said;
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

  /** What an operator does for a cluster: its record, its access, its credential, its relay's queue. */
  async register(cluster: {
    name: string;
    server: string;
    tlsServerName: string;
    caPem: string;
    token: string;
  }): Promise<{ asksQueueUrl: string }> {
    const { name, server, tlsServerName, caPem, token } = cluster;
    const clusters = new DynamoDbClusters({
      client: this.dynamodb,
      tableName: this.output('ClustersTable'),
      clock: new SystemClock(),
      allowLoopback: true,
    });
    const budget = { writesPerSecond: 100, burst: 200 };
    await clusters.put({ name, era: 0, manage: 'own', namespaces: [], senders: [SENDER], budget }, 0);
    await clusters.putAccess(name, { server, caPem, tlsServerName, auth: { kind: 'secret' } });
    await this.#secrets.send(
      new CreateSecretCommand({ Name: this.output('ClusterSecretPrefix') + name, SecretString: JSON.stringify({ kind: 'token', token }) }),
    );
    const { QueueUrl: asksQueueUrl = '' } = await this.sqs.send(new CreateQueueCommand({ QueueName: `farloop-${STAGE}-relay-${name}` }));
    await this.sqs.send(new CreateQueueCommand({ QueueName: `farloop-${STAGE}-relay-${name}-dead` }));
    return { asksQueueUrl };
  }

  /** The reverse of register; the record goes with the table. */
  async unregister(name: string): Promise<void> {
    await this.#secrets.send(
      new DeleteSecretCommand({ SecretId: this.output('ClusterSecretPrefix') + name, ForceDeleteWithoutRecovery: true }),
    );
    for (const queue of [`relay-${name}`, `relay-${name}-dead`])
      await this.sqs.send(new DeleteQueueCommand({ QueueUrl: `${this.endpoint}/${SENDER}/farloop-${STAGE}-${queue}` }));
  }

  /**
   * Stands in for what the emulator does not know: a right to a call on one message is the right to a call on many. Wired from the
   * deployed template alone.
   */
  async grantBatches(rights: readonly Right[]): Promise<number> {
    const resources = await this.resources();
    const single = rights.filter(({ action }) => BATCHES.has(action));
    for (const [at, { role, action, resource }] of single.entries()) {
      const document = { Statement: [{ Effect: 'Allow', Action: BATCHES.get(action), Resource: arnOf(resource, resources) }] };
      const parameters = { RoleName: resources.get(role)?.id ?? '', PolicyName: `batch-${at}`, PolicyDocument: JSON.stringify(document) };
      const answer = await this.#signed(new URL(this.endpoint), 'iam', {
        method: 'POST',
        type: 'application/x-www-form-urlencoded',
        body: String(new URLSearchParams({ Action: 'PutRolePolicy', Version: '2010-05-08', ...parameters })),
      });
      if (answer.status !== 200) throw new Error(`PutRolePolicy: ${answer.status} ${await answer.text()}`);
    }
    return single.length;
  }

  /** A request to the deployed API, signed unless said otherwise. */
  async api(
    method: 'GET' | 'POST',
    path: string,
    { signed = true, body }: { signed?: boolean; body?: object } = {},
  ): Promise<{ status: number; json: unknown; headers: Headers }> {
    const apiId = (await this.resources()).get('HttpApi')?.id ?? '';
    const url = new URL(`${this.endpoint}/_aws/execute-api/${apiId}${path}`);
    const sent = { method, ...(body !== undefined && { type: 'application/json', body: JSON.stringify(body) }) };
    const answer = signed ? await this.#signed(url, 'execute-api', sent) : await fetch(url, { method });
    return { status: answer.status, json: parsed(await answer.text()), headers: answer.headers };
  }

  async #signed(
    url: URL,
    signingService: string,
    { method, type, body }: { method: string; type?: string; body?: string },
  ): Promise<Response> {
    const signer = await this.#lambda.config.signer();
    const request = {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      port: Number(url.port),
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host, ...(type !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    };
    const options: object = { signingService };
    const { host: _host, ...headers } = (await signer.sign(request, options)).headers;
    return await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  }

  async stop(): Promise<void> {
    for (const client of [this.dynamodb, this.sqs, this.#cloudFormation, this.#lambda, this.#logs, this.#secrets]) client.destroy();
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
  withinMs = 90_000,
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
