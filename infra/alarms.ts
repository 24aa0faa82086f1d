// The alarms of a stage, one table: what is wrong, by which numbers, and the page that says what to do.
import { FUNCTIONS, INDEXES, QUEUES, queueName } from './stage.ts';

export interface Stage {
  /** `farloop-prod`: before the names of everything in it. */
  name: string;
  /** Of our own metrics. */
  namespace: string;
  alarmActions: readonly string[];
}

interface Alarm {
  /** In the alarm's name; lower case with dashes. */
  name: string;
  what: string;
  /** Page in docs/runbooks. */
  runbook: string;
  namespace: string;
  metric: string;
  /** Of each its value, or the resource of the template that it is of. */
  dimensions?: Record<string, string | { Ref: string }>;
  /** As `Sum`, `Maximum`, `p99`. */
  statistic: string;
  comparison?: 'GreaterThanThreshold' | 'LessThanThreshold';
  threshold: number;
  periodSeconds: number;
  /** Of so many periods so many must be bad. */
  of: number;
  bad: number;
  missing?: 'notBreaching' | 'breaching';
}

/** Every alarm of the stage, whoever is told of it. */
export function alarmsOf({ name: stage, namespace }: Pick<Stage, 'name' | 'namespace'>): Alarm[] {
  const minute = { periodSeconds: 60 };
  const fiveMinutes = { periodSeconds: 300, of: 1, bad: 1 };
  /** Told once a minute; two may fall into one, and none into the next. */
  const asLongAsItLasts = { ...minute, of: 2, bad: 1 };
  const ours = { namespace };
  return [
    {
      ...ours,
      ...minute,
      of: 3,
      bad: 2,
      name: 'silent-cluster',
      runbook: 'silent-cluster',
      metric: 'WatchAge',
      statistic: 'Maximum',
      threshold: 180_000,
      what: 'a relay has not been heard for three minutes, or one of its watches is dead',
    },
    {
      ...ours,
      ...minute,
      of: 10,
      bad: 10,
      name: 'unheard-cluster',
      runbook: 'silent-cluster',
      metric: 'UnheardClusters',
      statistic: 'Sum',
      threshold: 0,
      what: 'a cluster is registered, and no word of its relay has come for ten minutes',
    },
    {
      ...ours,
      ...asLongAsItLasts,
      name: 'unreachable-cluster',
      runbook: 'unreachable-cluster',
      metric: 'SilentClusters',
      statistic: 'Sum',
      threshold: 0,
      what: 'an API server does not answer the functions or its relay, or does not let them in, or a relayed cluster does not answer',
    },
    {
      ...ours,
      ...asLongAsItLasts,
      name: 'forbidden-cluster',
      runbook: 'unreachable-cluster',
      metric: 'ForbiddenClusters',
      statistic: 'Sum',
      threshold: 0,
      what: 'an API server forbids what every workload needs',
    },
    {
      ...ours,
      ...minute,
      of: 15,
      bad: 10,
      name: 'cluster-credential',
      runbook: 'cluster-credential',
      metric: 'CredentialsNotRenewed',
      statistic: 'Sum',
      threshold: 0,
      what: 'a credential of a cluster is in the second half of its life, and cannot be renewed',
    },
    {
      ...ours,
      ...minute,
      of: 3,
      bad: 2,
      name: 'late-lease',
      runbook: 'virtual-node',
      metric: 'LeaseLateness',
      statistic: 'Maximum',
      // The cluster takes a node for lost after 40 s, or 50 s.
      threshold: 40_000,
      what: 'the lease of a virtual node is not renewed, though its provider is well',
    },
    {
      ...ours,
      ...minute,
      of: 5,
      bad: 3,
      name: 'unwell-virtual-node',
      runbook: 'virtual-node',
      metric: 'UnwellVirtualNodes',
      statistic: 'Sum',
      threshold: 0,
      what: 'the provider of a virtual node is not well, or does not answer',
    },
    {
      ...ours,
      ...fiveMinutes,
      name: 'stale-wakes',
      runbook: 'stale-wakes',
      metric: 'StaleWakes',
      statistic: 'Sum',
      threshold: 5,
      what: 'wakes or passes get lost, and only sweep finds them',
    },
    {
      ...ours,
      ...minute,
      of: 5,
      bad: 5,
      name: 'overdue-runs',
      runbook: 'overdue-runs',
      metric: 'OverdueRuns',
      statistic: 'Sum',
      threshold: 0,
      what: 'runs of run-once are past their time again and again: they are woken by sweep alone, or cannot go on',
    },
    {
      ...ours,
      ...minute,
      of: 3,
      bad: 3,
      missing: 'breaching',
      name: 'no-sweep',
      runbook: 'no-sweep',
      metric: 'SweepsFinished',
      statistic: 'Sum',
      threshold: 1,
      comparison: 'LessThanThreshold',
      what: 'sweep has not finished for three minutes: what is lost stays lost',
    },
    ...QUEUES.map((queue): Alarm => ({
      ...minute,
      of: 1,
      bad: 1,
      namespace: 'AWS/SQS',
      metric: 'ApproximateNumberOfMessagesVisible',
      statistic: 'Maximum',
      threshold: 0,
      name: `dead-letters-${queue}`,
      runbook: 'dead-letters',
      dimensions: { QueueName: queueName(stage, queue, true) },
      what: `a message of the queue ${queue} failed at every try`,
    })),
    {
      ...ours,
      // Told every ten minutes as long as it lasts: a quarter of an hour holds one.
      periodSeconds: 300,
      of: 3,
      bad: 1,
      name: 'dead-letters-relays',
      runbook: 'dead-letters',
      metric: 'RelayDeadLetters',
      statistic: 'Maximum',
      threshold: 0,
      what: "a message to a cluster's relay failed at every try",
    },
    ...(['events', 'wakes'] as const).map((queue): Alarm => ({
      ...minute,
      of: 5,
      bad: 3,
      namespace: 'AWS/SQS',
      metric: 'ApproximateAgeOfOldestMessage',
      statistic: 'Maximum',
      threshold: 120,
      name: `backlog-${queue}`,
      runbook: 'lag',
      dimensions: { QueueName: queueName(stage, queue) },
      what: `the queue ${queue} is two minutes behind`,
    })),
    {
      ...ours,
      ...minute,
      of: 5,
      bad: 3,
      name: 'lag',
      runbook: 'lag',
      metric: 'EventToActionLag',
      statistic: 'p99',
      threshold: 30_000,
      what: 'of a hundred passes that act, one ends more than 30 seconds after its event, or after it was due',
    },
    ...FUNCTIONS.map((functionName): Alarm => ({
      ...minute,
      of: 5,
      bad: 3,
      namespace: 'AWS/Lambda',
      metric: 'Errors',
      statistic: 'Sum',
      threshold: 0,
      name: `errors-${functionName}`,
      runbook: 'function-errors',
      dimensions: { FunctionName: `${stage}-${functionName}` },
      what: `the function ${functionName} fails or times out`,
    })),
    {
      // A function that answers 500 has not failed, and one that was never reached has no errors.
      ...fiveMinutes,
      name: 'errors-http-api',
      runbook: 'function-errors',
      namespace: 'AWS/ApiGateway',
      metric: '5xx',
      statistic: 'Sum',
      threshold: 0,
      dimensions: { ApiId: { Ref: 'HttpApi' } },
      what: 'the HTTP API answers requests with an error of its own, 500 to 599',
    },
    {
      ...ours,
      ...fiveMinutes,
      name: 'failed-passes',
      runbook: 'function-errors',
      metric: 'FailedPasses',
      statistic: 'Sum',
      threshold: 10,
      what: 'passes end with errors and their wakes come back',
    },
    ...FUNCTIONS.map((functionName): Alarm => ({
      ...minute,
      of: 5,
      bad: 3,
      namespace: 'AWS/Lambda',
      metric: 'Throttles',
      statistic: 'Sum',
      threshold: 0,
      name: `throttled-${functionName}`,
      runbook: 'throttling',
      dimensions: { FunctionName: `${stage}-${functionName}` },
      what: `the account has no concurrency left for the function ${functionName}`,
    })),
    // An index that takes no more holds up the writes of its table, whose own metric does not tell of it.
    ...[undefined, ...INDEXES].map((index): Alarm => ({
      ...minute,
      of: 5,
      bad: 3,
      name: index === undefined ? 'throttled-table' : `throttled-index-${index}`,
      runbook: 'throttling',
      namespace: 'AWS/DynamoDB',
      metric: 'WriteThrottleEvents',
      statistic: 'Sum',
      threshold: 0,
      dimensions: { TableName: `${stage}-views`, ...(index !== undefined && { GlobalSecondaryIndexName: index }) },
      what: index === undefined ? 'the table refuses writes for now' : `the index ${index} of the table takes no writes for now`,
    })),
    {
      ...ours,
      ...fiveMinutes,
      name: 'budget-exhausted',
      runbook: 'budget-exhausted',
      metric: 'BudgetExhausted',
      statistic: 'Sum',
      threshold: 50,
      what: 'passes leave work undone, for the write budget of their cluster is spent',
    },
    {
      ...ours,
      ...fiveMinutes,
      name: 'clock-offset',
      runbook: 'clock-offset',
      metric: 'ClockOffset',
      statistic: 'Maximum',
      threshold: 60_000,
      what: "a cluster's clock is more than a minute off",
    },
    {
      ...ours,
      ...fiveMinutes,
      name: 'refused-messages',
      runbook: 'refused-messages',
      metric: 'RefusedMessages',
      statistic: 'Sum',
      threshold: 0,
      what: 'somebody sends events of a cluster, or of a namespace, that is not theirs',
    },
    {
      ...ours,
      ...fiveMinutes,
      name: 'parked-workloads',
      runbook: 'parked-workloads',
      metric: 'ParkedWorkloads',
      statistic: 'Sum',
      threshold: 0,
      what: 'a workload waits for a person',
    },
    {
      ...ours,
      ...fiveMinutes,
      name: 'restored-api-server',
      runbook: 'restored-api-server',
      metric: 'ErasRaised',
      statistic: 'Sum',
      threshold: 0,
      what: 'an API server was restored from an older state, and everything is read anew',
    },
  ];
}

/** As resources of the template. */
export function alarmResources(stage: Stage): Record<string, object> {
  return Object.fromEntries(
    alarmsOf(stage).map((alarm) => [
      `Alarm${alarm.name.replaceAll(/(?:^|-)(\w)/g, (_whole, letter: string) => letter.toUpperCase())}`,
      {
        Type: 'AWS::CloudWatch::Alarm',
        Properties: {
          AlarmName: `${stage.name}-${alarm.name}`,
          AlarmDescription: `${alarm.what}. What to do: docs/runbooks/${alarm.runbook}.md`,
          Namespace: alarm.namespace,
          MetricName: alarm.metric,
          Dimensions: Object.entries(alarm.dimensions ?? {}).map(([Name, Value]) => ({ Name, Value })),
          ...(alarm.statistic.startsWith('p') ? { ExtendedStatistic: alarm.statistic } : { Statistic: alarm.statistic }),
          ComparisonOperator: alarm.comparison ?? 'GreaterThanThreshold',
          Threshold: alarm.threshold,
          Period: alarm.periodSeconds,
          EvaluationPeriods: alarm.of,
          DatapointsToAlarm: alarm.bad,
          TreatMissingData: alarm.missing ?? 'notBreaching',
          AlarmActions: stage.alarmActions,
          OKActions: stage.alarmActions,
        },
      },
    ]),
  );
}
