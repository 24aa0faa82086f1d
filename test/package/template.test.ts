// What would be deployed: the template that osls makes of serverless.yml, and the functions' zips.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClustersTableInput } from '../../lib/adapters/dynamodb/dynamodb-clusters.ts';
import { createRunsTableInput } from '../../lib/adapters/dynamodb/dynamodb-runs.ts';
import { TIME_TO_LIVE_ATTRIBUTE, createTableInput } from '../../lib/adapters/dynamodb/table-definition.ts';
import { routeNames } from '../../lib/api/routes/route-table.ts';
import { LOOP_OPTIONS } from '../../lib/reconciler/steps/loop.ts';
import { FUNCTION_SECONDS, STALE_MS, VISIBILITY_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import { FUNCTIONS, ROOT, filesInZip, osls, packageInto, unpack, zipOf } from '../deploy/packaged.ts';
import type { FunctionName, Template } from '../deploy/packaged.ts';
import { rightsIn, rightsTo } from '../deploy/rights.ts';
import { startOnce } from '../deploy/start.ts';

const folder = mkdtempSync(join(tmpdir(), 'farloop-template-'));
/** A stage as it comes, and one with every other choice. */
let usual: Template;
let other: Template;

beforeAll(async () => {
  usual = await packageInto(join(folder, 'usual'));
  const choices = {
    protection: 'off',
    auth: 'jwt',
    jwtIssuer: 'https://issuer.example.com',
    jwtAudience: 'farloop',
    jwtReadScope: 'farloop/read',
    jwtWriteScope: 'farloop/write',
    tracing: 'on',
    sweepReserved: '1',
  };
  other = await packageInto(join(folder, 'other'), [
    '--stage',
    'other',
    ...Object.entries(choices).map(([name, value]) => `--param=${name}=${value}`),
  ]);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const logicalName = (name: FunctionName): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
const propertiesOf = (template: Template, name: string): Record<string, unknown> => {
  const resource = template.Resources[name];
  if (!resource) throw new Error(`the template has no ${name}`);
  return resource.Properties;
};
const ofType = (template: Template, type: string): [string, Record<string, unknown>][] =>
  Object.entries(template.Resources).flatMap(([name, { Type, Properties }]) => (Type === type ? [[name, Properties]] : []));

/** Which queue feeds which function. */
const SOURCES: Partial<Record<FunctionName, string>> = { ingest: 'Events', reconcile: 'Wakes', timers: 'Timers' };

describe('functions', () => {
  for (const name of FUNCTIONS)
    test(`${name} runs as it should, under a role that no other has`, () => {
      const made = propertiesOf(usual, `${logicalName(name)}LambdaFunction`);
      expect(made).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Role: { 'Fn::GetAtt': [`${logicalName(name)}Role`, 'Arn'] },
      });
      expect(propertiesOf(usual, `${logicalName(name)}LogGroup`)).toMatchObject({ RetentionInDays: 14 });
    });

  test('R15: ingest knows by its id the one role that may send dead letters again in the name of another, and that role itself does', () => {
    for (const name of FUNCTIONS) {
      const { Environment } = propertiesOf(usual, `${logicalName(name)}LambdaFunction`);
      const { REDRIVER_ID: redriver } = Object(Reflect.get(Object(Environment), 'Variables')) as Record<string, unknown>;
      const isIts = name === 'ingest' || name === 'api';
      expect([name, redriver]).toEqual([name, isIts ? { 'Fn::GetAtt': ['ApiRole', 'RoleId'] } : undefined]);
    }
  });

  test('a batch answers per message, and concurrency has a bound', () => {
    const mappings = ofType(usual, 'AWS::Lambda::EventSourceMapping').map(([, properties]) => properties);
    expect(mappings).toHaveLength(3);
    for (const [name, queue] of Object.entries(SOURCES)) {
      const mapping = mappings.find(({ EventSourceArn: arn }) => JSON.stringify(arn) === JSON.stringify({ 'Fn::GetAtt': [queue, 'Arn'] }));
      expect(mapping).toMatchObject({
        FunctionName: { 'Fn::GetAtt': [`${logicalName(name as FunctionName)}LambdaFunction`, 'Arn'] },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: expect.any(Number) },
      });
    }
    expect(propertiesOf(other, 'SweepLambdaFunction')).toMatchObject({ ReservedConcurrentExecutions: 1 });
  });

  test('sweep runs every minute', () => {
    expect(ofType(usual, 'AWS::Events::Rule')).toMatchObject([
      ['SweepEventsRuleSchedule1', { ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' }],
    ]);
  });

  test('R17: a wake comes back after its pass can no longer be sending, and before sweep takes it for lost', () => {
    const requestMs = 10_000;
    const visibilityMs = Number(propertiesOf(usual, 'Wakes')['VisibilityTimeout']) * 1000;
    const timeoutMs = Number(propertiesOf(usual, 'ReconcileLambdaFunction')['Timeout']) * 1000;
    expect(timeoutMs).toBeGreaterThan(LOOP_OPTIONS.passMs + requestMs);
    expect(visibilityMs).toBeGreaterThan(timeoutMs);
    expect(visibilityMs).toBeLessThan(STALE_MS);
    expect(visibilityMs).toBe(VISIBILITY_SECONDS * 1000);
    expect(timeoutMs).toBe(FUNCTION_SECONDS * 1000);
    for (const [name, queue] of Object.entries(SOURCES)) {
      const ofFunction = Number(propertiesOf(usual, `${logicalName(name as FunctionName)}LambdaFunction`)['Timeout']);
      expect(Number(propertiesOf(usual, queue)['VisibilityTimeout'])).toBeGreaterThanOrEqual(ofFunction);
      // Removal of a cluster waits for no longer.
      expect(ofFunction).toBeLessThanOrEqual(FUNCTION_SECONDS);
    }
  });
});

describe('queues', () => {
  for (const queue of ['Events', 'Wakes', 'Timers'])
    test(`${queue}: encrypted, and what fails too often waits two weeks beside it`, () => {
      const made = propertiesOf(usual, queue);
      expect(made).toMatchObject({
        SqsManagedSseEnabled: true,
        RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [`${queue}Dead`, 'Arn'] } },
      });
      expect(Reflect.get(Object(made['RedrivePolicy']), 'maxReceiveCount')).toBeGreaterThanOrEqual(5);
      const dead = propertiesOf(usual, `${queue}Dead`);
      expect(dead).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 24 * 3600 });
      expect(dead['FifoQueue']).toBe(made['FifoQueue']);
    });

  test('nobody speaks to them but over TLS', () => {
    const [[, policy] = []] = ofType(usual, 'AWS::SQS::QueuePolicy');
    expect(policy).toMatchObject({
      Queues: ['Events', 'EventsDead', 'Wakes', 'WakesDead', 'Timers', 'TimersDead'].map((name) => ({ Ref: name })),
      PolicyDocument: { Statement: [{ Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }] },
    });
  });

  test('wakes are FIFO in the high-throughput mode, which needs both settings', () => {
    for (const queue of ['Wakes', 'WakesDead'])
      expect(propertiesOf(usual, queue)).toMatchObject({
        FifoQueue: true,
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      });
  });
});

describe('tables', () => {
  test('are those that the adapters are tested on', () => {
    for (const [name, input] of [
      ['Views', createTableInput('farloop-test-views')],
      ['Clusters', createClustersTableInput('farloop-test-clusters')],
      ['Runs', createRunsTableInput('farloop-test-runs')],
    ] as const)
      expect(propertiesOf(usual, name)).toMatchObject(input);
    for (const name of ['Views', 'Runs'])
      expect(propertiesOf(usual, name)).toMatchObject({
        TimeToLiveSpecification: { AttributeName: TIME_TO_LIVE_ATTRIBUTE, Enabled: true },
      });
  });

  test('are encrypted, can be restored, and stay unless the stage says otherwise', () => {
    for (const [template, DeletionPolicy, DeletionProtectionEnabled] of [
      [usual, 'Retain', true],
      [other, 'Delete', false],
    ] as const)
      for (const name of ['Views', 'Clusters', 'Runs'])
        expect(template.Resources[name]).toMatchObject({
          DeletionPolicy,
          UpdateReplacePolicy: DeletionPolicy,
          Properties: {
            DeletionProtectionEnabled,
            SSESpecification: { SSEEnabled: true },
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          },
        });
  });
});

test('the HTTP API that alarm and dashboard look at is the one that there is', () => {
  const [[api] = []] = ofType(usual, 'AWS::ApiGatewayV2::Api');
  expect(propertiesOf(usual, 'AlarmErrorsHttpApi')).toMatchObject({ Dimensions: [{ Name: 'ApiId', Value: { Ref: api } }] });
  const { DashboardBody: body } = propertiesOf(usual, 'Dashboard');
  const { 'Fn::Sub': text = '' } = Object(body) as Record<string, string>;
  // Nothing else in it is to be filled in.
  expect(new Set(text.match(/\$\{[^}]*\}/g))).toEqual(new Set([`\${${api}}`]));
  expect(JSON.parse(text)).toMatchObject({ widgets: expect.any(Array) });
});

test('every route of the API asks who is there', () => {
  for (const [template, AuthorizationType] of [
    [usual, 'AWS_IAM'],
    [other, 'JWT'],
  ] as const) {
    const routes = ofType(template, 'AWS::ApiGatewayV2::Route');
    expect(routes.length).toBeGreaterThan(0);
    for (const [, route] of routes) expect(route).toMatchObject({ AuthorizationType });
  }
});

test('with scopes a token that may read sends nothing back: only GET takes it, on every path', () => {
  const routes = ofType(other, 'AWS::ApiGatewayV2::Route').map(([, { RouteKey: key, AuthorizationScopes: scopes }]) => [key, scopes]);
  expect(Object.fromEntries(routes)).toEqual({
    'GET /': ['farloop/read', 'farloop/write'],
    'GET /{proxy+}': ['farloop/read', 'farloop/write'],
    $default: ['farloop/write'],
  });
  // What changes something is no GET, nor what shows values of environments.
  expect(routeNames().filter((name) => !name.startsWith('GET '))).toEqual([
    'POST /v1/workloads/{cluster}/{kind}/{namespace}/{name}/manifest',
    'POST /v1/workloads/{cluster}/{kind}/{namespace}/{name}/actions',
    'POST /v1/dead-letters/redrive',
    'POST /v1/dead-letters/drop',
    'POST /v1/runs',
    'POST /v1/runs/{runId}/cancel',
  ]);
});

describe('rights', () => {
  /** The whole of what may be done to `*`, each with its reason. */
  const ON_ANYTHING: Record<string, string> = {
    'logs:GetQueryResults': 'a query has no ARN, and its id is told to who started it alone',
    'logs:StopQuery': 'a query has no ARN, and its id is told to who started it alone',
    'xray:PutTraceSegments': 'X-Ray knows no resources',
    'xray:PutTelemetryRecords': 'X-Ray knows no resources',
  };
  const isOfTracing = (action: string): boolean => action.startsWith('xray:');

  test('no right is on everything but where AWS knows nothing narrower, and none is on all actions', () => {
    for (const template of [usual, other]) {
      const rights = rightsIn(template);
      expect(rights.length).toBeGreaterThan(20);
      expect(rights.filter(({ action }) => /[*?]/.test(action))).toEqual([]);
      const wide = rights.filter(({ resource }) => resource === '*').map(({ action }) => action);
      const allowed = Object.keys(ON_ANYTHING).filter((action) => template === other || !isOfTracing(action));
      expect([...new Set(wide)].toSorted()).toEqual(allowed.toSorted());
    }
  });

  test('a pattern stands only for names that are made later, below a name of ours', () => {
    const patterns = new Set(
      rightsIn(usual).flatMap(({ resource }) =>
        resource.includes('*') && resource !== '*' ? [resource.replace(/^.*?:(?=farloop|log-group|secret:)/, '')] : [],
      ),
    );
    expect([...patterns].toSorted()).toEqual(
      [
        'farloop-test-relay-*',
        'farloop-test-relay-*-dead',
        ...FUNCTIONS.map((name) => `log-group:/aws/lambda/farloop-test-${name}:*`),
        'secret:farloop/test/clusters/*',
      ].toSorted(),
    );
  });

  test('no function makes a log group: what the removal of a stage takes away stays away', () => {
    for (const template of [usual, other]) expect(rightsTo('logs:CreateLogGroup', template)).toEqual([]);
  });

  test('each function can do what it does and no more', () => {
    const byRole: Record<string, string[]> = {};
    for (const { role, action } of rightsIn(usual)) if (!action.startsWith('logs:')) (byRole[role] ??= []).push(action);
    expect(byRole['ReconcileRole']).toContain('secretsmanager:GetSecretValue');
    // It renews them, and nobody else writes one.
    for (const action of ['GetSecretValue', 'PutSecretValue']) expect(byRole['SweepRole']).toContain(`secretsmanager:${action}`);
    expect(byRole['ReconcileRole']).not.toContain('secretsmanager:PutSecretValue');
    for (const role of ['IngestRole', 'TimersRole', 'ApiRole']) expect(byRole[role]).not.toContain('secretsmanager:GetSecretValue');
    for (const action of ['PutItem', 'DeleteItem']) expect(byRole['TimersRole']).not.toContain(`dynamodb:${action}`);
    for (const action of ['UpdateItem', 'DeleteItem', 'BatchWriteItem']) expect(byRole['ApiRole']).not.toContain(`dynamodb:${action}`);
    // A request about a run is written down, and nothing else is.
    const puts = rightsIn(usual).filter(({ role, action }) => role === 'ApiRole' && action === 'dynamodb:PutItem');
    expect(puts.map(({ resource }) => resource)).toEqual(['${Runs.Arn}']);
    for (const role of ['IngestRole', 'TimersRole', 'SweepRole']) expect(byRole[role]).not.toContain('dynamodb:DeleteItem');
    // Who had sent them first would be lost on the way (R15).
    const moves = rightsIn(usual).filter(({ action }) => action === 'sqs:StartMessageMoveTask');
    expect(moves.map(({ resource }) => resource)).not.toContain('${EventsDead.Arn}');
    expect(moves).toHaveLength(3);
  });

  test('no function says where a cluster is dialled: that would show its credentials to whoever listens there', () => {
    const writers = rightsIn(usual).filter(({ action, resource }) => action === 'dynamodb:UpdateItem' && resource === '${Clusters.Arn}');
    expect(writers.map(({ role }) => role)).toEqual(['IngestRole', 'ReconcileRole']);
    for (const { role } of writers) {
      const [{ PolicyDocument }] = propertiesOf(usual, role)['Policies'] as [{ PolicyDocument: { Statement: object[] } }];
      expect(PolicyDocument.Statement).toContainEqual({
        Sid: 'LeaveAddresses',
        Effect: 'Deny',
        Action: ['dynamodb:UpdateItem'],
        Resource: { 'Fn::GetAtt': ['Clusters', 'Arn'] },
        Condition: { 'ForAnyValue:StringEquals': { 'dynamodb:Attributes': ['access'] } },
      });
    }
    // Nor by another way of writing.
    for (const action of ['PutItem', 'DeleteItem', 'BatchWriteItem'])
      expect(rightsTo(`dynamodb:${action}`, usual).filter(({ resource }) => resource === '${Clusters.Arn}')).toEqual([]);
  });

  test('what a function could do at worst stands in docs/security.md, as its role has it', () => {
    const page = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');
    const table = page.slice(page.indexOf('| taken over | views |')).split('\n\n', 1)[0] ?? '';
    const told = table
      .split('\n')
      .slice(2)
      .map((line) =>
        line
          .split('|')
          .slice(1, -2)
          .map((cell) => cell.trim()),
      );
    const rights = rightsIn(usual);
    const wanted = FUNCTIONS.map((name) => {
      const may = (action: string, resource: string): boolean =>
        rights.some((right) => right.role === `${logicalName(name)}Role` && right.action === action && right.resource.includes(resource));
      const writes = (tableArn: string): boolean => ['PutItem', 'UpdateItem'].some((action) => may(`dynamodb:${action}`, tableArn));
      const secrets = ['Get', 'Put'].filter((verb) => may(`secretsmanager:${verb}SecretValue`, 'clusters/*'));
      const events = [
        ...(may('sqs:ReceiveMessage', '${Events.Arn}') ? ['read'] : []),
        ...(may('sqs:SendMessage', '${Events.Arn}') ? ['write, as any relay'] : []),
      ];
      return [
        `\`${name}\``,
        writes('${Views.Arn}') ? 'write' : 'read',
        writes('${Clusters.Arn}') ? 'write, but not addresses' : 'read',
        secrets.length === 0 ? 'no' : secrets.length === 1 ? 'read' : 'read, write',
        events.join(', ') || 'no',
        !may('sqs:SendMessage', 'farloop-test-relay-*') ? 'no' : name === 'reconcile' ? 'command' : 'ask',
      ];
    });
    expect(told).toEqual(wanted);
    // Whose commands relays take is what the stack tells of that role.
    expect(usual.Outputs).toMatchObject({ ReconcileRoleId: { Value: { 'Fn::GetAtt': ['ReconcileRole', 'RoleId'] } } });
  });

  test('nobody but Lambda takes on a role', () => {
    for (const [, { AssumeRolePolicyDocument: trust }] of ofType(usual, 'AWS::IAM::Role'))
      expect(trust).toMatchObject({
        Statement: [{ Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' }],
      });
  });

  test('no environment variable holds a credential', () => {
    for (const name of FUNCTIONS)
      expect(JSON.stringify(propertiesOf(usual, `${logicalName(name)}LambdaFunction`)['Environment'])).not.toMatch(
        /token|password|secret(?!_PREFIX)|key/i,
      );
  });
});

describe('zips', () => {
  const ZIP_BYTES_MAX = 1.5 * 1024 * 1024;

  for (const name of FUNCTIONS)
    test(`${name}: its bundle, the bundle's map and nothing that is not needed; it loads`, () => {
      const zip = zipOf(join(folder, 'usual'), name);
      expect(zip.length).toBeLessThanOrEqual(ZIP_BYTES_MAX);
      const files = [...filesInZip(zip).keys()];
      const code = files.filter((path) => !path.startsWith('dist/console/'));
      expect(code.toSorted()).toEqual([`functions/${name}.mjs`, `functions/${name}.mjs.map`]);
      // The console's files, each beside its compressed ones.
      expect(files.length - code.length).toBe(name === 'api' ? 18 : 0);
      const bundle = filesInZip(zip).get(`functions/${name}.mjs`)?.toString() ?? '';
      expect(bundle).not.toContain('.node"');
      expect(startOnce(unpack(zip, join(folder, 'unpacked', name), name)).wallMs).toBeGreaterThan(0);
    });

  test('the console is found from inside the bundle', () => {
    expect(existsSync(join(folder, 'unpacked', 'api', 'dist', 'console', 'index.html'))).toBe(true);
  });
});

test('a wrong parameter stops everything before a file is written, and is named', async () => {
  const { code, said } = await osls([
    'package',
    '--stage',
    'test',
    '--package',
    join(folder, 'refused'),
    '--param=auth=jwt',
    '--param=protecton=off',
  ]);
  expect(code).not.toBe(0);
  expect(said).toContain('protecton: there is no such parameter');
  expect(existsSync(join(folder, 'refused'))).toBe(false);
});
