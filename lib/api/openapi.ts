// The HTTP API described by OpenAPI 3.1: parameters and answers of each route. A test compares it with the routes and their answers.
import { kindNames } from '../kinds/facts.ts';
import type { KindShown } from '../kinds/rows/kind-shown.ts';
import { STATES } from '../kinds/rows/state.ts';
import { CAPACITY, CLEANUP, REJECTED, UNTIL } from '../kinds/run-once/options.ts';
import { SHOWN } from '../kinds/shown.ts';
import { CLUSTER_STATES } from '../reconciler/cluster/cluster-state.ts';

type Schema = Record<string, unknown>;

const text: Schema = { type: 'string' };
const time: Schema = { type: 'string', format: 'date-time' };
const count: Schema = { type: 'integer', minimum: 0 };
const amount: Schema = { type: 'number', minimum: 0 };
const yes: Schema = { type: 'boolean' };
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** An object of exactly these fields. A field whose name ends in `?` may be absent. */
const object = (fields: Record<string, Schema>): Schema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
  required: Object.keys(fields).filter((name) => !name.endsWith('?')),
  additionalProperties: false,
});
const clusterState: Schema = { type: 'string', enum: [...CLUSTER_STATES] };
/** An object of Kubernetes, or of another version: any fields. */
const anyObject: Schema = { type: 'object' };

/** Fields that one kind adds. Other kinds do not have them. */
function ownFields(): Record<string, Schema> {
  const fields = Object.values<KindShown>(SHOWN).flatMap((shown) => shown.fields);
  return Object.fromEntries(fields.map(({ name, is }) => [`${name}?`, is === 'count' ? count : time]));
}

const key = { cluster: text, kind: { type: 'string', enum: kindNames() }, namespace: text, name: text, uid: text };
const summary = {
  ...key,
  state: { type: 'string', enum: [...STATES] },
  'reason?': text,
  figures: listOf(object({ name: text, value: { type: 'number' }, 'of?': { type: 'number' }, 'isMinor?': yes })),
  'labels?': { type: 'object', additionalProperties: text },
  'creationTime?': time,
  ...ownFields(),
  'nextWake?': object({ dueTime: time, attempt: count }),
  queued: yes,
};

const managesWords: Schema = { ...listOf(text), description: 'Which kinds are managed: the words of --manage.' };
const manageOfBefore: Schema = {
  type: 'string',
  enum: ['own', 'all'],
  deprecated: true,
  description: 'What of Jobs is managed, where any is; `manages` says all.',
};

const schemas: Record<string, Schema> = {
  Problem: object({ error: { type: 'string', description: 'One sentence: what is wrong, and what to do.' } }),
  Cluster: object({
    name: text,
    state: { ...clusterState, description: 'The one that says most of those that hold.' },
    states: listOf(object({ state: clusterState, 'sinceTime?': time, reason: text })),
    manages: managesWords,
    'takesOnly?': { ...text, description: 'Which workloads alone are managed, where that is not all of a kind.' },
    manage: manageOfBefore,
    namespaces: listOf(text),
    era: count,
    'kubeSystemUid?': text,
    budget: object({ writesPerSecond: { type: 'number' }, burst: { type: 'number' } }),
    access: { type: 'string', enum: ['direct', 'relayed'] },
    'identity?': { type: 'string', enum: ['user', 'irsa', 'pod-identity'] },
    'credential?': { type: 'string', enum: ['service-account', 'kubeconfig', 'eks'] },
    'relayNamespace?': text,
    'eks?': object({ name: text, region: text }),
    'options?': { type: 'object', additionalProperties: text, description: 'Options of kinds, by flag without dashes.' },
    left: object({ writes: { type: 'number' }, closedForSeconds: { type: 'number' } }),
    backlog: count,
    'draining?': yes,
    'leaving?': yes,
    'relay?': object({
      session: text,
      heardTime: time,
      silentForSeconds: count,
      clockOffsetMs: { type: 'number' },
      watches: listOf(object({ resource: text, ageSeconds: { type: 'integer' }, resourceVersion: text })),
      suspects: count,
    }),
  }),
  Cost: object({
    asOf: { type: 'string', format: 'date', description: 'When the list of prices was compared.' },
    region: text,
    counted: { type: 'boolean', description: 'False on AWS: there each function counts for itself, and the dashboard sums it up.' },
    'since?': time,
    dollars: amount,
    parts: listOf(object({ part: text, amount, unitDollars: amount, dollars: amount })),
    clusters: listOf(object({ name: text, passes: count, writes: count, dollars: amount })),
  }),
  Workload: object(summary),
  WorkloadDetail: object({
    ...summary,
    reasons: listOf({ ...anyObject, required: ['code', 'text'] }),
    conditions: listOf(anyObject),
    status: anyObject,
    hasPods: { ...yes, description: 'Whether workloads of its kind have pods.' },
    pods: listOf(
      object({
        name: text,
        uid: text,
        phase: text,
        'index?': text,
        'ready?': text,
        tracked: yes,
        terminating: yes,
        creationTime: time,
        exitCodes: listOf({ type: 'integer' }),
        containers: listOf(
          object({
            name: text,
            role: text,
            restarts: count,
            'exitCode?': { type: 'integer' },
            'lastExitCode?': { type: 'integer' },
            'reason?': text,
          }),
        ),
        'reasons?': listOf(object({ reason: text, 'message?': text, 'container?': text })),
      }),
    ),
    podsLeftOut: count,
    'passes?': anyObject,
    head: object({ era: count, fence: text, floor: text, bornTime: time, openedTime: time, viewItems: count }),
  }),
  ContainerLog: object({
    pod: text,
    uid: text,
    container: text,
    others: { ...listOf(text), description: 'Other containers of the pod.' },
    'index?': text,
    'replica?': text,
    restarts: count,
    lines: listOf(object({ 'time?': { ...time, description: 'UTC, to the nanosecond; absent where the log has no times.' }, text })),
    'gap?': { ...text, description: 'Lines are missing before these: why.' },
    'problem?': { ...text, description: 'One sentence: why there is no log.' },
    isGone: { ...yes, description: 'The log is not there any more.' },
    'end?': object({ 'exitCode?': { type: 'integer' }, 'reason?': text, 'message?': text }),
    hasEnded: { ...yes, description: 'Nothing will follow in this log.' },
  }),
  Pass: object({
    key: object(key),
    passId: text,
    startTime: time,
    durationMs: { type: 'number' },
    outcome: text,
    why: listOf(text),
    saw: anyObject,
    actions: listOf(
      object({
        verb: text,
        target: text,
        why: text,
        result: { type: 'string', enum: ['done', 'refused', 'notDone', 'unknown'] },
        'detail?': text,
        'count?': count,
      }),
    ),
    'nextWakeTime?': time,
    'error?': text,
  }),
  Queue: object({ name: text, visible: count, inFlight: count, delayed: count, dead: count, 'oldestSentTime?': time }),
  DeadLetter: object({ queue: text, messageId: text, sentTime: time, bytes: count, problem: text, body: text }),
  Run: object({
    runId: text,
    state: { type: 'string', enum: ['admitting', 'waiting', 'done', 'cancelled'] },
    node: text,
    provider: text,
    results: listOf(
      object({
        pod: object({ namespace: text, name: text, uid: text }),
        'error?': text,
        'rejected?': object({ reason: text, message: text }),
        'failedContainers?': listOf(text),
        'status?': object({ phase: text, 'reason?': text, 'message?': text }),
        containers: listOf(
          object({
            name: text,
            state: { type: 'string', enum: ['waiting', 'running', 'terminated'] },
            'exitCode?': { type: 'integer' },
            'reason?': text,
            'restarts?': count,
          }),
        ),
        retries: count,
      }),
    ),
    open: { ...count, description: 'Pods without a result so far.' },
    'error?': text,
    'cause?': text,
    warnings: listOf(text),
    startedAt: time,
    'finishedAt?': time,
  }),
  RunRequest: object({
    'runId?': { ...text, description: 'The same one again is the same run. Absent: a new run.' },
    'provider?': { ...text, description: 'Who runs the pods: simulated or http:ADDRESS. On AWS it may be left out.' },
    'node?': text,
    'manifest?': { ...listOf(anyObject), description: 'Pods of v1, or Lists of pods.' },
    'options?': object({
      'until?': { type: 'string', enum: [...UNTIL] },
      'rejected?': { type: 'string', enum: [...REJECTED] },
      'cleanup?': { type: 'string', enum: [...CLEANUP] },
      'capacity?': { type: 'string', enum: [...CAPACITY] },
      'parallelism?': { type: 'integer', minimum: 1, maximum: 1_000 },
      'logs?': { type: 'integer', minimum: 1, maximum: 10_000 },
      'deadlineSeconds?': { type: 'integer', minimum: 1, maximum: 86_400 },
    }),
  }),
  Redrive: { ...object({ 'messageIds?': { ...listOf(text), maxItems: 1_000 } }), description: 'Without ids: all.' },
};

interface Operation {
  method: 'get' | 'post';
  path: string;
  summary: string;
  /** Query parameters, each with its meaning. */
  query?: Record<string, { schema: Schema; description: string }>;
  body?: Schema;
  /** Undefined: text. */
  answer: Schema | undefined;
  /** In addition to the statuses of every operation. */
  statuses?: Record<string, string>;
}

const limit = (otherwise: number): { schema: Schema; description: string } => ({
  schema: { type: 'integer', minimum: 1, maximum: 1_000, default: otherwise },
  description: 'how many at most',
});
const only = (what: string): { schema: Schema; description: string } => ({ schema: text, description: `only of this ${what}` });
const queue = { schema: text, description: 'only of this queue: events, wakes, timers, relay-CLUSTER' };
const workloadPath = '/v1/workloads/{cluster}/{kind}/{namespace}/{name}';
const badRequest = { '400': 'a parameter or the body is not usable' };
const noRuns = {
  '501': 'this installation has no provider for runs; on AWS that is the parameter runProvider, and only POST /v1/runs needs it',
};
const notFound = { '404': 'there is no such thing' };

/** Queues that did not answer. The other queues' answers are in the same response. */
const failedQueues = { 'failed?': listOf(object({ queue: text, reason: text })) };

const OPERATIONS: readonly Operation[] = [
  { method: 'get', path: '/v1/clusters', summary: 'Registered clusters', answer: object({ items: listOf(ref('Cluster')) }) },
  {
    method: 'get',
    path: '/v1/clusters/{cluster}/{kind}/{name}',
    summary:
      'Objects of that kind (as in `jobs`) and name as the cluster has them now, whoever manages them; not live where the API holds no credentials of clusters',
    query: { namespace: only('namespace') },
    answer: object({
      live: yes,
      'problem?': text,
      manages: managesWords,
      manage: manageOfBefore,
      namespaces: listOf(text),
      items: listOf(object({ namespace: text, name: text, uid: text, 'managedBy?': text, managed: yes })),
    }),
    statuses: notFound,
  },
  {
    method: 'get',
    path: '/v1/workloads',
    summary:
      'Workloads, in the order of clusters and keys. A page may hold few of those that are asked for, or none, and be followed by others',
    query: {
      cluster: only('cluster'),
      kind: only('kind'),
      namespace: only('namespace'),
      name: only('name'),
      state: { schema: text, description: `only in one of these states, with commas between: ${STATES.join(', ')}` },
      label: { schema: text, description: 'only with these labels: a selector as in team=a,!test' },
      text: { schema: text, description: 'only where it stands in namespace, name or reason' },
      limit: limit(500),
      continue: { schema: text, description: 'as `next` of an earlier answer' },
    },
    answer: object({ items: listOf(ref('Workload')), 'next?': text }),
    statuses: badRequest,
  },
  {
    method: 'get',
    path: workloadPath,
    summary:
      'All that is known of a workload, whose namespace is `-` where it has none; several where one of a former uid is still being let go',
    answer: object({ items: listOf(ref('WorkloadDetail')) }),
    statuses: notFound,
  },
  {
    method: 'get',
    path: `${workloadPath}/passes`,
    summary: 'Its recorded passes, newest first',
    query: { limit: limit(100) },
    answer: object({ items: listOf(ref('Pass')) }),
    statuses: { ...badRequest, ...notFound },
  },
  {
    method: 'get',
    path: `${workloadPath}/logs`,
    summary: 'Logs of its pods, 20 at most: what is new since the cursor of an earlier answer, each line once',
    query: {
      pod: { schema: text, description: 'this pod alone' },
      index: { schema: text, description: 'pods of this completion index alone' },
      replica: { schema: text, description: 'pods of this replica of a training job alone, as worker-1; worker means all of that type' },
      container: { schema: text, description: "absent: each pod's first" },
      previous: { schema: yes, description: 'of the run before the last restart' },
      since: { schema: text, description: 'a span such as 5m, or a time; lines before it are left out' },
      tail: {
        schema: { type: 'integer', minimum: -1 },
        description: 'lines from the end of each; -1: all. Absent: all of one pod, 10 of each of several',
      },
      after: { schema: text, description: 'as `cursor` of an earlier answer, with the same other parameters' },
    },
    answer: object({
      items: listOf(ref('ContainerLog')),
      leftOut: object({ count, pods: listOf(text) }),
      'tail?': { ...count, description: 'How many lines from the end were chosen, where the request does not say.' },
      cursor: text,
      hasMore: { ...yes, description: 'More is there already: ask at once.' },
      hasEnded: { ...yes, description: 'Nothing will follow.' },
    }),
    statuses: { ...badRequest, ...notFound, '504': 'nobody has answered for the cluster in time' },
  },
  {
    method: 'get',
    path: '/v1/passes/{passId}',
    summary: 'A recorded pass, with what its planner saw where that was kept',
    answer: object({ pass: ref('Pass'), 'snapshot?': { type: 'string', contentEncoding: 'base64' } }),
    statuses: notFound,
  },
  {
    method: 'get',
    path: '/v1/queues',
    summary: 'How full the queues are',
    answer: object({ items: listOf(ref('Queue')), ...failedQueues }),
  },
  {
    method: 'get',
    path: '/v1/dead-letters',
    summary: 'Messages that could not be handled; looking changes nothing',
    query: { queue, limit: limit(100) },
    answer: object({ items: listOf(ref('DeadLetter')), ...failedQueues }),
    statuses: { ...badRequest, ...notFound },
  },
  {
    method: 'post',
    path: '/v1/dead-letters/redrive',
    summary: 'Sends dead letters back; what is not there any more is passed over, and `failed` tells of queues of which some are left',
    query: { queue },
    body: ref('Redrive'),
    answer: object({ redriven: count, ...failedQueues }),
    statuses: { ...badRequest, ...notFound, '413': 'the body is larger than 64 KiB' },
  },
  {
    method: 'post',
    path: '/v1/runs',
    summary: 'Runs pods once. A known id gives the run that is there',
    body: ref('RunRequest'),
    answer: ref('Run'),
    statuses: { ...badRequest, ...noRuns, '409': 'the id has another manifest', '413': 'the body is larger than 1 MiB' },
  },
  {
    method: 'get',
    path: '/v1/runs',
    summary: 'Runs that are kept, by id; a finished one for 24 h',
    query: { limit: limit(100), continue: { schema: text, description: 'as `next` of an earlier answer' } },
    answer: object({ items: listOf(ref('Run')), 'next?': text }),
    statuses: { ...badRequest, ...noRuns },
  },
  {
    method: 'get',
    path: '/v1/runs/{runId}',
    summary: 'A run and its results so far',
    answer: ref('Run'),
    statuses: { ...notFound, ...noRuns },
  },
  {
    method: 'post',
    path: '/v1/runs/{runId}/cancel',
    summary: 'Cancels a run; its pods are stopped. One that is over stays as it is',
    answer: ref('Run'),
    statuses: { ...notFound, ...noRuns },
  },
  { method: 'get', path: '/v1/cost', summary: 'What was counted since this process began, at list prices', answer: ref('Cost') },
  { method: 'get', path: '/metrics', summary: "Metrics in Prometheus' text format", answer: undefined },
  { method: 'get', path: '/openapi.json', summary: 'This description', answer: anyObject },
];

/** The description as OpenAPI 3.1: every route with its parameters, answers and refusals. */
export function openApiDocument(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) (paths[operation.path] ??= {})[operation.method] = described(operation);
  return {
    openapi: '3.1.0',
    info: { title: 'Farloop', version: 'v1', description: 'What an installation knows and does. Every route asks who is there.' },
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: "A local instance's token, or a JWT where the stage asks for one." },
        aws: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'AWS Signature Version 4 for execute-api.' },
      },
    },
    security: [{ token: [] }, { aws: [] }],
  };
}

function described({ path, summary: title, query = {}, body, answer, statuses = {} }: Operation): Record<string, unknown> {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text }));
  const asked = Object.entries(query).map(([name, { schema, description }]) => ({
    name,
    in: 'query',
    required: false,
    schema,
    description,
  }));
  const problem = { 'application/json': { schema: ref('Problem') } };
  const problems = { '401': 'nobody said who is there', ...statuses, '500': 'something failed here' };
  return {
    summary: title,
    parameters: [...named, ...asked],
    ...(body && { requestBody: { required: false, content: { 'application/json': { schema: body } } } }),
    responses: {
      '200': {
        description: 'as asked for',
        content: answer ? { 'application/json': { schema: answer } } : { 'text/plain': { schema: text } },
      },
      ...Object.fromEntries(Object.entries(problems).map(([status, description]) => [status, { description, content: problem }])),
    },
  };
}
