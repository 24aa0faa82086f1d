// What stops a deployment before anything is made.
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARAMETER_NAMES, settingsFrom } from '../../infra/settings.ts';
import { FUNCTION_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import { ROOT } from '../deploy/packaged.ts';

const right = {
  stage: 'dev',
  region: 'eu-central-1',
  protection: 'on',
  auth: 'iam',
  jwtIssuer: '',
  jwtAudience: '',
  jwtReadScope: '',
  jwtWriteScope: '',
  alarmTopicArn: '',
  logLevel: 'info',
  logRetentionDays: 14,
  tracing: 'off',
  referenceMetrics: 'on',
  ingestConcurrency: 10,
  reconcileConcurrency: '50',
  timersConcurrency: 5,
  sweepReserved: '',
  apiReserved: '2',
  eventsTimeoutSeconds: 20,
  eventsVisibilitySeconds: 120,
  actions: 'off',
  troubleMinutes: 5,
  runProvider: '',
  allowLoopback: 'no',
};

const refusalOf = (given: object): string => {
  try {
    settingsFrom({ ...right, ...given });
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

describe('the parameters of a deployment', () => {
  test('numbers may come as texts, an empty text is nothing', () => {
    expect(settingsFrom(right)).toMatchObject({
      isProtected: true,
      deletionPolicy: 'Retain',
      reconcileConcurrency: 50,
      sweepReserved: undefined,
      apiReserved: 2,
      apiEvents: [{ httpApi: { method: '*', path: '*', authorizer: { type: 'aws_iam' } } }],
      lambdaTracing: false,
      optionalResources: { Resources: { QueuesOverTls: expect.any(Object) } },
    });
  });

  test('R15: the token of the provider of runs may be read where there is one, by the function that calls it', () => {
    const { runProvider, optionalResources } = settingsFrom({ ...right, runProvider: 'http:https://provider.example:9000' });
    expect(runProvider).toBe('http:https://provider.example:9000');
    expect(optionalResources.Resources['RunProviderToken']).toMatchObject({
      Properties: { Roles: [{ Ref: 'ReconcileRole' }], PolicyDocument: { Statement: [{ Action: ['secretsmanager:GetSecretValue'] }] } },
    });
    expect(settingsFrom(right).optionalResources.Resources).not.toHaveProperty('RunProviderToken');
  });

  test('what they lead to', () => {
    const topic = 'arn:aws:sns:eu-central-1:123456789012:alarms';
    const made = settingsFrom({
      ...right,
      protection: 'off',
      allowLoopback: 'yes',
      auth: 'jwt',
      jwtIssuer: 'https://issuer.example.com/',
      jwtAudience: 'farloop',
      alarmTopicArn: topic,
      tracing: 'on',
    });
    expect(made).toMatchObject({ isProtected: false, deletionPolicy: 'Delete', lambdaTracing: 'Active' });
    expect(made.observability.Resources['AlarmLag']).toMatchObject({ Properties: { AlarmActions: [topic], OKActions: [topic] } });
    expect(made.apiEvents).toEqual([{ httpApi: { method: '*', path: '*', authorizer: { name: 'people' } } }]);
    expect(made.authorizers).toMatchObject({ people: { issuerUrl: 'https://issuer.example.com/', audience: ['farloop'] } });
    expect(Object.keys(made.optionalResources.Resources)).toEqual(['Tracing']);
  });

  const JWT = { auth: 'jwt', jwtIssuer: 'https://issuer.example.com/', jwtAudience: 'farloop' };

  test('with scopes reading takes the one or the other, all else the second', () => {
    const { apiEvents } = settingsFrom({ ...right, ...JWT, jwtReadScope: 'farloop/read', jwtWriteScope: 'farloop/write' });
    const scopes = apiEvents.map(({ httpApi: { method, path, authorizer } }) => [`${method} ${path}`, Reflect.get(authorizer, 'scopes')]);
    expect(scopes).toEqual([
      ['GET /', ['farloop/read', 'farloop/write']],
      ['GET /{proxy+}', ['farloop/read', 'farloop/write']],
      ['* *', ['farloop/write']],
    ]);
  });

  const cases: { name: string; given: object; says: string }[] = [
    { name: 'a scope without the other', given: { ...JWT, jwtReadScope: 'r' }, says: 'jwtWriteScope: jwtReadScope needs it beside itself' },
    { name: 'one scope for both', given: { ...JWT, jwtReadScope: 'r', jwtWriteScope: 'r' }, says: 'jwtWriteScope: it must be another' },
    { name: 'scopes without tokens', given: { jwtReadScope: 'r', jwtWriteScope: 'w' }, says: 'jwtReadScope: it is for auth=jwt' },
    {
      name: 'two scopes in one',
      given: { ...JWT, jwtReadScope: 'a b', jwtWriteScope: 'w' },
      says: 'jwtReadScope: "a b" is not usable: expected one scope, such as farloop/read',
    },
    { name: 'one is missing', given: { logLevel: null }, says: 'logLevel: missing' },
    { name: 'one is unknown', given: { protecton: 'protecton=off' }, says: 'protecton: there is no such parameter' },
    {
      name: 'a stage with odd characters',
      given: { stage: 'My-Stage' },
      says: 'stage: "My-Stage" is not usable: expected 1 to 20 lower case',
    },
    { name: 'neither on nor off', given: { protection: 'yes' }, says: 'protection: "yes" is not usable: expected on or off' },
    { name: 'JWT without its issuer', given: { auth: 'jwt', jwtAudience: 'a' }, says: 'jwtIssuer: auth=jwt needs it' },
    { name: 'JWT without its audience', given: { auth: 'jwt', jwtIssuer: 'https://a.example' }, says: 'jwtAudience: auth=jwt needs it' },
    { name: 'an issuer without JWT', given: { jwtIssuer: 'https://a.example' }, says: 'jwtIssuer: it is for auth=jwt, but auth is iam' },
    {
      name: 'an issuer over plain http',
      given: { auth: 'jwt', jwtIssuer: 'http://a', jwtAudience: 'a' },
      says: 'jwtIssuer: "http://a" is not',
    },
    {
      name: 'R15: a provider of runs at a private address',
      given: { runProvider: 'http:https://10.0.0.7' },
      says: 'runProvider: "https://10.0.0.7" is in a private network',
    },
    {
      name: 'R15: a provider of runs over plain http',
      given: { runProvider: 'http:http://provider.example' },
      says: 'runProvider: "http://provider.example" is plain http',
    },
    {
      name: 'R15: a provider of runs with its password in the address',
      given: { runProvider: 'http:https://me:hunter2@provider.example' },
      says: 'runProvider: its address holds no name or password: the token lies in the secret farloop/dev/runs/providers',
    },
    {
      name: 'a provider of runs of another kind',
      given: { runProvider: 'simulated' },
      says: 'runProvider: "simulated" is not usable: expected http: and an address',
    },
    { name: 'a topic that is none', given: { alarmTopicArn: 'topic' }, says: 'alarmTopicArn: "topic" is not usable: expected the ARN' },
    {
      name: 'a topic that alarms of this region cannot tell',
      given: { alarmTopicArn: 'arn:aws:sns:us-east-1:123456789012:alarms' },
      says: 'alarmTopicArn: alarms tell topics of their own region only: the topic is in us-east-1',
    },
    { name: 'a retention that the log service lacks', given: { logRetentionDays: 2 }, says: 'logRetentionDays: 2 is not usable' },
    { name: 'less concurrency than an event source takes', given: { timersConcurrency: 1 }, says: 'timersConcurrency: 1 is not usable' },
    { name: 'a number that is none', given: { apiReserved: 'many' }, says: 'apiReserved: "many" is not usable' },
    {
      name: 'the loopback from a production stage',
      given: { allowLoopback: 'yes' },
      says: 'allowLoopback: only a stage with protection=off',
    },
    {
      name: 'a function that outlasts the wait of whoever removes a cluster',
      given: { eventsTimeoutSeconds: FUNCTION_SECONDS + 1 },
      says: `eventsTimeoutSeconds: ${FUNCTION_SECONDS + 1} is not usable: expected a whole number from 2 to ${FUNCTION_SECONDS}`,
    },
    {
      name: 'messages that come back while they are at work',
      given: { eventsVisibilitySeconds: 10 },
      says: 'eventsVisibilitySeconds: it must not be shorter',
    },
  ];
  for (const { name, given, says } of cases) test(`refused: ${name}`, () => expect(refusalOf(given)).toContain(says));

  test('all mistakes are told at once', () => {
    expect(refusalOf({ auth: 'x', tracing: 'x', logLevel: undefined }).split('\n')).toHaveLength(4);
  });
});

test('serverless.yml and docs/deploy.md name every parameter, with the same default', () => {
  const [, block = ''] = /\nparams:\n {2}default:\n((?: {4}.*\n)+)/.exec(readFileSync(join(ROOT, 'serverless.yml'), 'utf8')) ?? [];
  const defaults = [...block.matchAll(/^ {4}(\w+): ([^#\n]*)/gm)].map(([, name, value = '']) => [name, value.trim().replace("''", '')]);
  const [, section = ''] = /## Parameters\n([^]*?)\n## /.exec(readFileSync(join(ROOT, 'docs', 'deploy.md'), 'utf8')) ?? [];
  const told = [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| ([^|]*)\|/gm)].flatMap(([, names = '', value = '']) =>
    [...names.matchAll(/\w+/g)].map(([name]) => [name, value.replaceAll('`', '').trim()]),
  );
  expect(told).toEqual(defaults);
  expect(new Set(told.map(([name]) => name))).toEqual(new Set(PARAMETER_NAMES.filter((name) => name !== 'region' && name !== 'stage')));
});
