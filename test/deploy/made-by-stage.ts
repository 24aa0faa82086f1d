// What an account holds by the name of a stage, asked of each service itself: neither its stack nor what osls remembers is believed.
import { DescribeLogGroupsCommand, type CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { ListTablesCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ListRolesCommand, ListUsersCommand, type IAMClient } from '@aws-sdk/client-iam';
import { ListEventSourceMappingsCommand, ListFunctionsCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { ListSecretsCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListQueuesCommand, type SQSClient } from '@aws-sdk/client-sqs';

export interface StageClients {
  dynamodb: DynamoDBClient;
  iam: IAMClient;
  lambda: LambdaClient;
  logs: CloudWatchLogsClient;
  secrets: SecretsManagerClient;
  sqs: SQSClient;
  /** A signed request to the service of that name in signatures, for those that nothing else here calls. */
  ask: (service: string, request: { path?: string; target?: string; form?: string }) => Promise<string>;
}

/** @returns by kind, every name that there is; a kind of which nothing is named after the stage is an empty list */
export async function namesOfStage(stage: string, clients: StageClients): Promise<Record<string, string[]>> {
  const { dynamodb, iam, lambda, logs, secrets, sqs, ask } = clients;
  const lists: Record<string, () => Promise<(string | undefined)[]>> = {
    alarms: async () => tagsIn(await ask('monitoring', { form: 'Action=DescribeAlarms&Version=2010-08-01' }), 'AlarmName'),
    apis: async () => namesIn(await ask('apigateway', { path: '/v2/apis' }), 'items', 'name'),
    buckets: async () => tagsIn(await ask('s3', { path: '/' }), 'Name'),
    dashboards: async () => tagsIn(await ask('monitoring', { form: 'Action=ListDashboards&Version=2010-08-01' }), 'DashboardName'),
    functions: async () => ((await lambda.send(new ListFunctionsCommand({}))).Functions ?? []).map(({ FunctionName }) => FunctionName),
    logGroups: async () => ((await logs.send(new DescribeLogGroupsCommand({}))).logGroups ?? []).map(({ logGroupName }) => logGroupName),
    mappings: async () =>
      ((await lambda.send(new ListEventSourceMappingsCommand({}))).EventSourceMappings ?? []).map(
        ({ FunctionArn, EventSourceArn }) => `${EventSourceArn} to ${FunctionArn}`,
      ),
    queues: async () => (await sqs.send(new ListQueuesCommand({}))).QueueUrls ?? [],
    roles: async () => ((await iam.send(new ListRolesCommand({}))).Roles ?? []).map(({ RoleName }) => RoleName),
    rules: async () => namesIn(await ask('events', { target: 'AWSEvents.ListRules' }), 'Rules', 'Name'),
    secrets: async () => ((await secrets.send(new ListSecretsCommand({}))).SecretList ?? []).map(({ Name }) => Name),
    tables: async () => (await dynamodb.send(new ListTablesCommand({}))).TableNames ?? [],
    users: async () => ((await iam.send(new ListUsersCommand({}))).Users ?? []).map(({ UserName }) => UserName),
  };
  const found: Record<string, string[]> = {};
  const isOfStage = (name: string | undefined): name is string =>
    name?.includes(`farloop-${stage}`) === true || name?.includes(`farloop/${stage}`) === true;
  for (const [kind, list] of Object.entries(lists)) found[kind] = (await list()).filter(isOfStage).toSorted();
  return found;
}

const tagsIn = (xml: string, tag: string): string[] =>
  [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))].map(([, text = '']) => text);

function namesIn(json: string, list: string, name: string): string[] {
  const { [list]: items = [] } = JSON.parse(json) as Record<string, Record<string, string>[]>;
  return items.map((item) => item[name] ?? '');
}
