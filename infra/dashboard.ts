// The dashboard of a stage: by cluster, by kind, by function; queues, table and what it all costs.
import { FUNCTION_GB, LIST_PRICES } from '../lib/api/list-prices.ts';
import { FUNCTIONS, INDEXES, QUEUES, queueName } from './stage.ts';

const QUEUE_OF: Partial<Record<(typeof FUNCTIONS)[number], (typeof QUEUES)[number]>> = {
  ingest: 'events',
  reconcile: 'wakes',
  timers: 'timers',
};
const REQUEST_DOLLARS = {
  events: LIST_PRICES.sqsFairRequest.dollars,
  wakes: LIST_PRICES.sqsFifoRequest.dollars,
  timers: LIST_PRICES.sqsFairRequest.dollars,
} as const;
/** Its id is known once it is made: CloudFormation puts it in. */
const HTTP_API = '${HttpApi}';
const MINUTE = 60;
const WIDTH = 8;
const HEIGHT = 6;

/** As CloudWatch takes it: namespace, metric, names and values of dimensions in turn, options; or one expression. */
export type MetricRow = (string | { expression?: string; label?: string; id?: string; visible?: boolean })[];

interface Widget {
  title: string;
  metrics: MetricRow[];
  stat?: string;
}

/** @param stage.region whose data it shows */
export function dashboardBody({ name, namespace, region }: { name: string; namespace: string; region: string }): {
  widgets: object[];
} {
  /** Every cluster, kind or outcome there is, without naming one. */
  const search = (metric: string, dimensions: string, stat: string): string =>
    `SEARCH('{${namespace},${dimensions}} MetricName="${metric}"', '${stat}', ${MINUTE})`;
  const each = (metric: string, dimensions: string, stat: string): MetricRow => [
    { expression: search(metric, dimensions, stat), label: '' },
  ];
  const passes = search('ReconcileDuration', 'cluster', 'SampleCount');
  const aPass = (metric: string, label: string): MetricRow => [
    { expression: `SUM(${search(metric, 'function', 'Sum')})/SUM(${passes})`, label },
  ];
  const ofFunctions = (metric: string): MetricRow[] =>
    FUNCTIONS.map((functionName) => ['AWS/Lambda', metric, 'FunctionName', `${name}-${functionName}`, { label: functionName }]);
  const ofQueues = (metric: string, dead = false): MetricRow[] =>
    QUEUES.map((queue) => ['AWS/SQS', metric, 'QueueName', queueName(name, queue, dead), { label: queue }]);
  const ofViews = (metric: string, ...index: string[]): MetricRow => [
    'AWS/DynamoDB',
    metric,
    'TableName',
    `${name}-views`,
    ...index.flatMap((one) => ['GlobalSecondaryIndexName', one]),
  ];
  const oursByFunction = (metric: string): MetricRow[] =>
    FUNCTIONS.map((functionName) => [namespace, metric, 'function', functionName, { label: functionName }]);

  const rows: [string, Widget[]][] = [
    [
      'Clusters',
      [
        { title: 'Watch age, ms', metrics: [each('WatchAge', 'cluster', 'Maximum')] },
        { title: 'From event to pass, p99 ms', metrics: [each('EventToPassLag', 'cluster', 'p99')] },
        { title: 'From event to action, p99 ms', metrics: [each('EventToActionLag', 'cluster', 'p99')] },
        { title: 'Passes', metrics: [each('ReconcileDuration', 'cluster', 'SampleCount')] },
        { title: 'Writes sent', metrics: [each('WritesSent', 'cluster', 'Sum')] },
        { title: 'Write budget exhausted', metrics: [each('BudgetExhausted', 'cluster', 'Sum')] },
        {
          title: 'API server silent or forbidding, credential not renewed',
          metrics: ['SilentClusters', 'ForbiddenClusters', 'CredentialsNotRenewed'].map((metric) => each(metric, 'cluster', 'Sum')),
        },
        { title: 'Never heard', metrics: [each('UnheardClusters', 'cluster', 'Sum')] },
        { title: 'Parked', metrics: [each('ParkedWorkloads', 'cluster', 'Sum'), each('UnreadableObjects', 'cluster', 'Sum')] },
        { title: "Dead letters of the relays' queues", metrics: [each('RelayDeadLetters', 'cluster', 'Maximum')] },
        { title: 'Clock offset, ms', metrics: [each('ClockOffset', 'cluster', 'Maximum')] },
      ],
    ],
    [
      'Virtual nodes',
      [
        { title: 'Age of the oldest lease, ms', metrics: [each('LeaseLateness', 'cluster', 'Maximum')] },
        { title: 'Providers that are not well', metrics: [each('UnwellVirtualNodes', 'cluster', 'Sum')] },
      ],
    ],
    [
      'Kinds and outcomes',
      [
        { title: 'Passes by outcome', metrics: [each('ReconcileDuration', 'kind,outcome', 'SampleCount')] },
        { title: 'Pass duration, p99 ms', metrics: [each('ReconcileDuration', 'kind,outcome', 'p99')] },
        { title: 'Parked', metrics: [each('ParkedWorkloads', 'kind', 'Sum')] },
        {
          title: 'What was mended',
          stat: 'Sum',
          metrics: ['StaleWakes', 'ViewMismatches', 'FailedPasses', 'ErasRaised'].map((metric) => [namespace, metric]),
        },
        {
          title: 'Refused and unreadable',
          stat: 'Sum',
          metrics: ['RefusedMessages', 'UnreadableMessages'].map((metric) => [namespace, metric]),
        },
        { title: 'Overdue runs', stat: 'Sum', metrics: [[namespace, 'OverdueRuns']] },
        { title: 'Sweeps', stat: 'Sum', metrics: [[namespace, 'SweepsFinished']] },
        { title: 'From event to wake, p99 ms', stat: 'p99', metrics: [[namespace, 'EventToWakeLag']] },
      ],
    ],
    [
      'Functions',
      [
        { title: 'Invocations', stat: 'Sum', metrics: ofFunctions('Invocations') },
        { title: 'Errors', stat: 'Sum', metrics: ofFunctions('Errors') },
        { title: 'Duration, p99 ms', stat: 'p99', metrics: ofFunctions('Duration') },
        { title: 'Throttles', stat: 'Sum', metrics: ofFunctions('Throttles') },
        { title: 'Calls to AWS', stat: 'Sum', metrics: oursByFunction('AwsRequests') },
        { title: 'Cold starts', stat: 'Sum', metrics: oursByFunction('ColdStarts') },
        { title: 'Write units', stat: 'Sum', metrics: oursByFunction('WriteUnits') },
        { title: 'Read units', stat: 'Sum', metrics: oursByFunction('ReadUnits') },
        { title: 'Concurrency', stat: 'Maximum', metrics: ofFunctions('ConcurrentExecutions') },
        {
          title: 'HTTP API, requests and errors',
          stat: 'Sum',
          metrics: ['Count', '4xx', '5xx'].map((metric) => ['AWS/ApiGateway', metric, 'ApiId', HTTP_API]),
        },
      ],
    ],
    [
      'Queues, table and cost',
      [
        { title: 'Waiting', stat: 'Maximum', metrics: ofQueues('ApproximateNumberOfMessagesVisible') },
        { title: 'Age of the oldest, s', stat: 'Maximum', metrics: ofQueues('ApproximateAgeOfOldestMessage') },
        { title: 'Dead letters', stat: 'Maximum', metrics: ofQueues('ApproximateNumberOfMessagesVisible', true) },
        {
          title: 'Table, units',
          stat: 'Sum',
          metrics: [
            ...['ConsumedWriteCapacityUnits', 'ConsumedReadCapacityUnits', 'WriteThrottleEvents'].map((metric) => ofViews(metric)),
            ...INDEXES.map((index) => ofViews('WriteThrottleEvents', index)),
          ],
        },
        {
          title: 'Calls to AWS and units, a pass',
          metrics: [aPass('AwsRequests', 'calls'), aPass('WriteUnits', 'write units'), aPass('ReadUnits', 'read units')],
        },
        { title: 'Estimated cost, $ an hour', stat: 'Sum', metrics: costRows({ name, namespace }) },
        { title: 'Estimated cost by cluster, $ an hour', stat: 'Sum', metrics: costByCluster({ name, namespace }, passes) },
      ],
    ],
  ];
  let y = 0;
  const widgets: object[] = [];
  for (const [heading, row] of rows) {
    widgets.push({ type: 'text', x: 0, y, width: 3 * WIDTH, height: 1, properties: { markdown: `## ${heading}` } });
    y += 1;
    for (const [at, { title, metrics, stat }] of row.entries())
      widgets.push({
        type: 'metric',
        x: (at % 3) * WIDTH,
        y: y + Math.floor(at / 3) * HEIGHT,
        width: WIDTH,
        height: HEIGHT,
        properties: {
          title,
          metrics,
          region,
          view: 'timeSeries',
          period: MINUTE,
          ...(stat !== undefined && { stat }),
        },
      });
    y += Math.ceil(row.length / 3) * HEIGHT;
  }
  return { widgets };
}

/**
 * Invocations, their time and memory, requests to SQS and DynamoDB's units, at list prices; storage, logs, metrics and the relays' own
 * queues are not in it. Of SQS all is AWS's own count: each batch is received once and deleted once; what is sent counts by message,
 * though ten may go in one request.
 */
function costRows({ name, namespace }: { name: string; namespace: string }): MetricRow[] {
  const hidden: MetricRow[] = [];
  const terms: string[] = [];
  const add = (id: string, dollars: number, row: MetricRow): void => {
    hidden.push([...row, { id, visible: false }]);
    // No exponents: metric math does not read them.
    terms.push(`FILL(${id},0)*${dollars.toFixed(13).replace(/0+$/, '')}`);
  };
  for (const functionName of FUNCTIONS) {
    const dimensions = ['FunctionName', `${name}-${functionName}`];
    const queue = QUEUE_OF[functionName];
    const polled = queue === undefined ? 0 : 2 * REQUEST_DOLLARS[queue];
    add(`i_${functionName}`, LIST_PRICES.lambdaInvocation.dollars + polled, ['AWS/Lambda', 'Invocations', ...dimensions]);
    add(`d_${functionName}`, (LIST_PRICES.lambdaArmGbSecond.dollars * FUNCTION_GB[functionName]) / 1000, [
      'AWS/Lambda',
      'Duration',
      ...dimensions,
    ]);
    add(`w_${functionName}`, LIST_PRICES.dynamodbWriteUnit.dollars, [namespace, 'WriteUnits', 'function', functionName]);
    add(`r_${functionName}`, LIST_PRICES.dynamodbReadUnit.dollars, [namespace, 'ReadUnits', 'function', functionName]);
  }
  for (const queue of QUEUES) {
    const dimensions = ['QueueName', queueName(name, queue)];
    // An empty answer carries no group, and so no surcharge.
    const empty = queue === 'wakes' ? LIST_PRICES.sqsFifoRequest : LIST_PRICES.sqsStandardRequest;
    add(`s_${queue}`, REQUEST_DOLLARS[queue], ['AWS/SQS', 'NumberOfMessagesSent', ...dimensions]);
    add(`e_${queue}`, empty.dollars, ['AWS/SQS', 'NumberOfEmptyReceives', ...dimensions]);
  }
  // What has no data in a period counts nothing; a minute's sum is an hour's sixtieth.
  return [[{ expression: `60*(${terms.join('+')})`, label: '$ an hour', id: 'cost' }], ...hidden];
}

/** Queues and table are shared: each cluster's part is that of its passes, as in the console of a local instance. */
function costByCluster(stage: { name: string; namespace: string }, passes: string): MetricRow[] {
  const [[cost] = [], ...hidden] = costRows(stage);
  return [
    [{ expression: 'cost*passes/SUM(passes)', label: '', id: 'share' }],
    [{ ...(typeof cost === 'object' && cost), visible: false }],
    [{ expression: passes, id: 'passes', visible: false }],
    ...hidden,
  ];
}

/** As a resource of the template. */
export const dashboardResource = (stage: { name: string; namespace: string; region: string }): Record<string, object> => ({
  Dashboard: {
    Type: 'AWS::CloudWatch::Dashboard',
    Properties: { DashboardName: stage.name, DashboardBody: { 'Fn::Sub': JSON.stringify(dashboardBody(stage)) } },
  },
});
