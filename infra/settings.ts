// The parameters of a deployment → what serverless.yml needs, checked together before anything is packaged or made.
import * as v from 'valibot';
import { problemOfDistantProvider } from '../lib/adapters/cluster-record/registered-access.ts';
import { OVER_TLS_ONLY } from '../lib/adapters/sqs/queue-policy.ts';
import { problemOfProviderAddress } from '../lib/kinds/virtual-pod/provider-address.ts';
import { FUNCTION_SECONDS } from '../lib/reconciler/head/timeouts.ts';
import { alarmResources } from './alarms.ts';
import { dashboardResource } from './dashboard.ts';

const onOff = v.picklist(['on', 'off'], 'expected on or off');
const yesNo = v.picklist(['yes', 'no'], 'expected yes or no');
const wholeNumber = (least: number, most: number): v.GenericSchema<string | number, number> =>
  v.pipe(
    v.union([v.string(), v.number()]),
    v.check(
      (value) => Number.isInteger(Number(value)) && Number(value) >= least && Number(value) <= most,
      `expected a whole number from ${least} to ${most}`,
    ),
    v.transform(Number),
  );
/** An empty text stands for nothing: a parameter cannot be left out of serverless.yml. */
const orNone = <Of extends v.GenericSchema<string | number, string | number>>(of: Of) =>
  v.union([
    v.pipe(
      v.literal(''),
      v.transform(() => undefined),
    ),
    of,
  ]);

/** As OAuth 2.0 spells one: no spaces, no quotes. */
const scope = v.pipe(v.string(), v.regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/, 'expected one scope, such as farloop/read'));

/** Every retention that CloudWatch Logs takes, in days, up to two years. */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731];

const Parameters = v.strictObject({
  region: v.pipe(v.string(), v.regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'expected the name of an AWS region')),
  stage: v.pipe(v.string(), v.regex(/^[a-z][a-z0-9]{0,19}$/, 'expected 1 to 20 lower case letters and digits, a letter first')),
  protection: onOff,
  auth: v.picklist(['iam', 'jwt'], 'expected iam or jwt'),
  jwtIssuer: orNone(v.pipe(v.string(), v.regex(/^https:\/\/[^\s?#]+$/, 'expected the https URL of the issuer'))),
  jwtAudience: orNone(v.pipe(v.string(), v.regex(/^\S+$/, 'expected the audience that tokens for this API carry'))),
  jwtReadScope: orNone(scope),
  jwtWriteScope: orNone(scope),
  alarmTopicArn: orNone(
    v.pipe(v.string(), v.regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}$/, 'expected the ARN of an SNS topic')),
  ),
  logLevel: v.picklist(['debug', 'info', 'warn', 'error'], 'expected debug, info, warn or error'),
  logRetentionDays: v.pipe(
    wholeNumber(1, 731),
    v.check((days) => RETENTION_DAYS.includes(days), `expected one of ${RETENTION_DAYS.join(', ')}`),
  ),
  actions: onOff,
  troubleMinutes: wholeNumber(1, 1_440),
  tracing: onOff,
  referenceMetrics: onOff,
  ingestConcurrency: wholeNumber(2, 1_000),
  reconcileConcurrency: wholeNumber(2, 1_000),
  timersConcurrency: wholeNumber(2, 1_000),
  sweepReserved: orNone(wholeNumber(1, 10)),
  apiReserved: orNone(wholeNumber(1, 1_000)),
  // Whoever removes a cluster waits until no function that has read its record before can write any more.
  eventsTimeoutSeconds: wholeNumber(2, FUNCTION_SECONDS),
  eventsVisibilitySeconds: wholeNumber(2, 900),
  runProvider: orNone(
    v.pipe(v.string(), v.regex(/^http:https?:\/\//, 'expected http: and an address, as in http:https://provider.example:9000')),
  ),
  allowLoopback: yesNo,
});

export type Parameters = v.InferOutput<typeof Parameters>;
export const PARAMETER_NAMES = Object.keys(Parameters.entries) as readonly (keyof Parameters)[];

export interface Settings extends Omit<Parameters, 'protection' | 'tracing'> {
  lambdaTracing: 'Active' | false;
  isProtected: boolean;
  /** What becomes of tables when the stack is removed. */
  deletionPolicy: 'Retain' | 'Delete';
  /** The functions' right to send traces, where they do; that queues are spoken to over TLS only, but where tests dial in the clear. */
  optionalResources: { Resources: Record<string, object> };
  /** Alarms and dashboard. */
  observability: { Resources: Record<string, object> };
  authorizers: Record<string, object>;
  /** The API's events: every path and method, none without the authorizer. */
  apiEvents: { httpApi: { method: string; path: string; authorizer: object } }[];
}

/**
 * @param given as in `params` of serverless.yml and `--param`, and the stage
 * @throws Error with one line per mistake, the parameter's name first
 */
export function settingsFrom(given: Record<string, unknown>): Settings {
  const parsed = v.safeParse(Parameters, given);
  const mistakes = parsed.success
    ? contradictions(parsed.output)
    : parsed.issues.map((issue) => `${v.getDotPath(issue) ?? 'parameters'}: ${sentenceOf(issue)}`);
  if (!parsed.success || mistakes.length > 0)
    throw new Error(
      `nothing was deployed, for parameters are missing or wrong (docs/deploy.md tells of each):\n${mistakes.map((line) => `  ${line}`).join('\n')}`,
    );
  const { protection, tracing, ...rest } = parsed.output;
  const isProtected = protection === 'on';
  const alarmActions = rest.alarmTopicArn === undefined ? [] : [rest.alarmTopicArn];
  const stage = { name: `farloop-${rest.stage}`, namespace: `Farloop/${rest.stage}`, region: rest.region, alarmActions };
  return {
    ...rest,
    isProtected,
    lambdaTracing: tracing === 'on' ? 'Active' : false,
    deletionPolicy: isProtected ? 'Retain' : 'Delete',
    optionalResources: {
      Resources: {
        ...(rest.runProvider !== undefined && runProviderPolicy(rest.stage)),
        ...(tracing === 'on' && tracingPolicy),
        ...(rest.allowLoopback === 'no' && overTlsPolicy),
      },
    },
    observability: { Resources: { ...alarmResources(stage), ...dashboardResource(stage) } },
    ...authorization(rest),
  };
}

function contradictions({
  stage,
  region,
  alarmTopicArn,
  protection,
  auth,
  jwtIssuer,
  jwtAudience,
  jwtReadScope,
  jwtWriteScope,
  runProvider,
  allowLoopback,
  eventsTimeoutSeconds,
  eventsVisibilitySeconds,
}: Parameters): string[] {
  const mistakes: string[] = [];
  const needed = auth === 'jwt';
  for (const [name, value] of Object.entries({ jwtIssuer, jwtAudience }))
    if ((value !== undefined) !== needed)
      mistakes.push(needed ? `${name}: auth=jwt needs it` : `${name}: it is for auth=jwt, but auth is iam`);
  for (const [name, value, otherName, other] of [
    ['jwtReadScope', jwtReadScope, 'jwtWriteScope', jwtWriteScope],
    ['jwtWriteScope', jwtWriteScope, 'jwtReadScope', jwtReadScope],
  ] as const) {
    if (value !== undefined && !needed) mistakes.push(`${name}: it is for auth=jwt, but auth is iam`);
    if (value === undefined && other !== undefined && needed) mistakes.push(`${name}: ${otherName} needs it beside itself`);
  }
  if (jwtReadScope !== undefined && jwtReadScope === jwtWriteScope)
    mistakes.push('jwtWriteScope: it must be another scope than jwtReadScope, or who may read may redrive too');
  const topicRegion = alarmTopicArn?.split(':')[3];
  if (topicRegion !== undefined && topicRegion !== region)
    mistakes.push(`alarmTopicArn: alarms tell topics of their own region only: the topic is in ${topicRegion}, the region is ${region}`);
  if (allowLoopback === 'yes' && protection === 'on')
    mistakes.push('allowLoopback: only a stage with protection=off may dial the loopback, for it is for tests');
  const problem = runProvider && problemOfRunProvider(runProvider.slice('http:'.length), { stage, allowLoopback: allowLoopback === 'yes' });
  if (problem !== undefined) mistakes.push(`runProvider: ${problem}`);
  if (eventsVisibilitySeconds < eventsTimeoutSeconds)
    mistakes.push('eventsVisibilitySeconds: it must not be shorter than eventsTimeoutSeconds, or a batch comes back while it is at work');
  return mistakes;
}

/** @returns why functions do not send there, for people */
function problemOfRunProvider(address: string, { stage, allowLoopback }: { stage: string; allowLoopback: boolean }): string | undefined {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  if (username !== '' || password !== '')
    return `its address holds no name or password: the token lies in the secret farloop/${stage}/runs/providers`;
  return problemOfProviderAddress(address) ?? problemOfDistantProvider(address, { allowLoopback });
}

/** X-Ray knows no resources: AWS allows these actions on `*` only. */
const tracingPolicy = {
  Tracing: {
    Type: 'AWS::IAM::Policy',
    Properties: {
      PolicyName: 'tracing',
      Roles: ['Ingest', 'Reconcile', 'Timers', 'Sweep', 'Api'].map((name) => ({ Ref: `${name}Role` })),
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [{ Sid: 'Traces', Effect: 'Allow', Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], Resource: '*' }],
      },
    },
  },
};

/** The token that the provider of runs asks for. Without that provider nothing reads it. */
const runProviderPolicy = (stage: string): Record<string, object> => ({
  RunProviderToken: {
    Type: 'AWS::IAM::Policy',
    Properties: {
      PolicyName: 'run-provider',
      Roles: [{ Ref: 'ReconcileRole' }],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Sid: 'RunProviderToken',
            Effect: 'Allow',
            Action: ['secretsmanager:GetSecretValue'],
            Resource: {
              'Fn::Sub': `arn:\${AWS::Partition}:secretsmanager:\${AWS::Region}:\${AWS::AccountId}:secret:farloop/${stage}/runs/*`,
            },
          },
        ],
      },
    },
  },
});

const overTlsPolicy = {
  QueuesOverTls: {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: ['Events', 'EventsDead', 'Wakes', 'WakesDead', 'Timers', 'TimersDead'].map((name) => ({ Ref: name })),
      PolicyDocument: OVER_TLS_ONLY,
    },
  },
};

/** As Serverless calls the authorizer that asks for tokens. */
const PEOPLE = 'people';
const EVERYTHING = { method: '*', path: '*' };
/** The gateway takes the most specific route: these before everything. */
const READS = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/{proxy+}' },
];

function authorization({
  auth,
  jwtIssuer,
  jwtAudience,
  jwtReadScope,
  jwtWriteScope,
}: Pick<Parameters, 'auth' | 'jwtIssuer' | 'jwtAudience' | 'jwtReadScope' | 'jwtWriteScope'>): Pick<Settings, 'authorizers' | 'apiEvents'> {
  if (auth === 'iam') return { authorizers: {}, apiEvents: [{ httpApi: { ...EVERYTHING, authorizer: { type: 'aws_iam' } } }] };
  const authorizers = {
    [PEOPLE]: { type: 'jwt', identitySource: '$request.header.Authorization', issuerUrl: jwtIssuer, audience: [jwtAudience] },
  };
  if (jwtReadScope === undefined || jwtWriteScope === undefined)
    return { authorizers, apiEvents: [{ httpApi: { ...EVERYTHING, authorizer: { name: PEOPLE } } }] };
  // A token with any one of a route's scopes is let in.
  const scoped = (scopes: string[]): object => ({ name: PEOPLE, scopes });
  return {
    authorizers,
    apiEvents: [
      ...READS.map((route) => ({ httpApi: { ...route, authorizer: scoped([jwtReadScope, jwtWriteScope]) } })),
      { httpApi: { ...EVERYTHING, authorizer: scoped([jwtWriteScope]) } },
    ],
  };
}

const sentenceOf = (issue: v.BaseIssue<unknown>): string => {
  if (issue.input === undefined || issue.input === null) return 'missing';
  if (issue.expected === 'never') return 'there is no such parameter';
  // Of several possibilities the last is the one that says what was expected.
  const inner = issue.issues?.at(-1)?.message ?? issue.message;
  return `${JSON.stringify(issue.input)} is not usable: ${inner}`;
};
