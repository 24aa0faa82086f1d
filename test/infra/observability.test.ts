// Dashboard and alarms: every metric in them is one that somebody sends, with those dimensions; every alarm leads to a page.
import { describe, expect, test } from '@jest/globals';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { alarmResources, alarmsOf } from '../../infra/alarms.ts';
import { dashboardBody } from '../../infra/dashboard.ts';
import type { MetricRow } from '../../infra/dashboard.ts';
import { createTableInput } from '../../lib/adapters/dynamodb/table-definition.ts';
import { METRICS } from '../../lib/ports/metrics.ts';
import { ROOT } from '../deploy/packaged.ts';

const stage = { name: 'farloop-prod', namespace: 'Farloop/prod', region: 'eu-central-1', alarmActions: ['topic'] };

/** What AWS sends of its own, with the dimensions that we ask for. */
const OF_AWS: Record<string, string[]> = {
  'AWS/SQS ApproximateNumberOfMessagesVisible': ['QueueName'],
  'AWS/SQS ApproximateAgeOfOldestMessage': ['QueueName'],
  'AWS/SQS NumberOfMessagesSent': ['QueueName'],
  'AWS/SQS NumberOfEmptyReceives': ['QueueName'],
  'AWS/Lambda Invocations': ['FunctionName'],
  'AWS/Lambda Errors': ['FunctionName'],
  'AWS/Lambda Duration': ['FunctionName'],
  'AWS/Lambda Throttles': ['FunctionName'],
  'AWS/Lambda ConcurrentExecutions': ['FunctionName'],
  'AWS/ApiGateway Count': ['ApiId'],
  'AWS/ApiGateway 4xx': ['ApiId'],
  'AWS/ApiGateway 5xx': ['ApiId'],
  'AWS/DynamoDB ConsumedWriteCapacityUnits': ['TableName'],
  'AWS/DynamoDB ConsumedReadCapacityUnits': ['TableName'],
  'AWS/DynamoDB WriteThrottleEvents': ['TableName'],
};
/** What AWS tells of an index is not in what it tells of its table. */
const OF_INDEXES = ['AWS/DynamoDB WriteThrottleEvents'];

const isSent = ({ namespace, metric, dimensions }: { namespace: string; metric: string; dimensions: readonly string[] }): boolean => {
  const same = (set: readonly string[]): boolean => JSON.stringify(set.toSorted()) === JSON.stringify(dimensions.toSorted());
  return namespace === stage.namespace
    ? (METRICS[metric]?.sets ?? []).some(same)
    : same(OF_AWS[`${namespace} ${metric}`] ?? ['none']) ||
        (OF_INDEXES.includes(`${namespace} ${metric}`) && same(['TableName', 'GlobalSecondaryIndexName']));
};

/** What a row of a widget shows: one metric, or what its formula searches for. */
function shownBy(row: MetricRow): { namespace: string; metric: string; dimensions: string[] }[] {
  const [first] = row;
  if (typeof first === 'string') {
    const [namespace = '', metric = '', ...rest] = row.filter((part) => typeof part === 'string');
    return [{ namespace, metric, dimensions: rest.filter((_part, at) => at % 2 === 0) }];
  }
  return [...(first?.expression ?? '').matchAll(SEARCH)].map(([, namespace = '', dimensions = '', metric = '']) => ({
    namespace,
    metric,
    dimensions: dimensions.split(','),
  }));
}

const SEARCH = /SEARCH\('\{([^,}]+),?([^}]*)\} MetricName="(\w+)"', '\w+', \d+\)/g;

interface Shown {
  type: string;
  x: number;
  y: number;
  width: number;
  height: number;
  properties: { metrics?: MetricRow[]; title?: string; markdown?: string };
}

describe('the dashboard', () => {
  const widgets = dashboardBody(stage).widgets as Shown[];
  const rows = widgets.flatMap(({ properties }) => properties.metrics ?? []);

  test('shows only what is sent', () => {
    const shown = rows.flatMap(shownBy);
    expect(shown.length).toBeGreaterThan(50);
    expect(shown.filter((metric) => !isSent(metric))).toEqual([]);
  });

  test('shows all that we send', () => {
    const shown = new Set(rows.flatMap(shownBy).map(({ metric }) => metric));
    expect(Object.keys(METRICS).filter((metric) => !shown.has(metric))).toEqual([]);
  });

  test('a formula names only rows of its own widget, in words that metric math reads', () => {
    const formulas: string[] = [];
    for (const { properties } of widgets) {
      const parts = (properties.metrics ?? []).flat().filter((part) => typeof part !== 'string');
      const ids = parts.flatMap(({ id }) => id ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { expression = '' } of parts) {
        const words = expression.replaceAll(SEARCH, '').match(/[A-Za-z_]\w*/g) ?? [];
        expect(words.filter((word) => !['FILL', 'SUM', ...ids].includes(word))).toEqual([]);
        expect(expression).not.toMatch(/\de-/);
        expect(expression.length).toBeLessThanOrEqual(2_048);
        formulas.push(expression);
      }
    }
    expect(formulas).toContainEqual(expect.stringMatching(/^60\*/));
    expect(formulas).toContain('cost*passes/SUM(passes)');
    expect(formulas.filter((formula) => /AwsRequests.*ReconcileDuration/.test(formula))).toHaveLength(1);
  });

  /** What the estimate makes of what happened in a minute, in dollars. */
  const estimateOf = (happened: Record<string, number>): number => {
    const formula = widgets
      .flatMap(({ properties }) => properties.metrics ?? [])
      .flatMap(([part]) => (typeof part === 'object' ? part : []));
    const terms = formula.find(({ id }) => id === 'cost')?.expression?.matchAll(/FILL\((\w+),0\)\*([\d.]+)/g) ?? [];
    return [...terms].reduce((sum, [, id = '', dollars]) => sum + (happened[id] ?? 0) * Number(dollars), 0);
  };

  test('the estimate of the cost takes each service at its own price', () => {
    const million = 1e6;
    // Sent one by one; received and deleted ten at a time.
    expect(estimateOf({ s_wakes: million, i_reconcile: million / 10 })).toBeCloseTo(0.5 + 0.1 * (0.2 + 2 * 0.5), 6);
    expect(estimateOf({ s_events: million, i_ingest: million / 10 })).toBeCloseTo(0.5 + 0.1 * (0.2 + 2 * 0.5), 6);
    expect(estimateOf({ i_api: million })).toBeCloseTo(0.2, 6);
    expect(estimateOf({ e_events: million, e_wakes: million, e_timers: million })).toBeCloseTo(0.4 + 0.5 + 0.4, 6);
    expect(estimateOf({ w_ingest: million, r_reconcile: million })).toBeCloseTo(0.625 + 0.125, 6);
    // A thousand invocations of a second each, of 1 GB and of 0.5.
    expect(estimateOf({ d_reconcile: million, d_sweep: million })).toBeCloseTo(1_500 * 0.0000133334, 6);
  });

  test('lies on the grid, no widget over another, and is no larger than CloudWatch takes', () => {
    const taken = new Set<string>();
    for (const { x, y, width, height } of widgets) {
      expect(x + width).toBeLessThanOrEqual(24);
      for (let column = x; column < x + width; column++)
        for (let row = y; row < y + height; row++) {
          expect(taken.has(`${column},${row}`)).toBe(false);
          taken.add(`${column},${row}`);
        }
    }
    expect(widgets.length).toBeLessThanOrEqual(500);
  });
});

describe('alarms', () => {
  const alarms = alarmsOf(stage);

  test('watch only what is sent', () => {
    expect(
      alarms.filter(({ namespace, metric, dimensions = {} }) => !isSent({ namespace, metric, dimensions: Object.keys(dimensions) })),
    ).toEqual([]);
  });

  test('tell of all that an operator must hear of', () => {
    const kinds = ['silent-cluster', 'stale-wakes', 'dead-letters', 'errors', 'lag', 'throttled', 'budget-exhausted', 'clock-offset'];
    const told = (kind: string): boolean => alarms.some(({ name }) => name === kind || name.startsWith(`${kind}-`));
    expect(kinds.filter((kind) => !told(kind))).toEqual([]);
    for (const page of ['docs/deploy.md', 'docs/costs.md'])
      expect(readFileSync(join(ROOT, page), 'utf8')).toContain(`${alarms.length} alarms ${(alarms.length / 10).toFixed(2)}`);
    const throttled = alarms.filter(({ metric }) => metric === 'WriteThrottleEvents').map(({ dimensions }) => dimensions);
    const TableName = 'farloop-prod-views';
    const indexes = (createTableInput(TableName).GlobalSecondaryIndexes ?? []).map(({ IndexName = '' }) => IndexName);
    expect(throttled).toEqual([{ TableName }, ...indexes.map((GlobalSecondaryIndexName) => ({ TableName, GlobalSecondaryIndexName }))]);
    for (const name of ['unreachable-cluster', 'forbidden-cluster'])
      expect(alarms.find((alarm) => alarm.name === name)).toMatchObject({ periodSeconds: 60, of: 2, bad: 1 });
    expect(alarms.find(({ name }) => name === 'lag')).toMatchObject({ statistic: 'p99' });
    // What a handler answers is no error of its function; what lies dead in the relays' queues is told of by sweep, of all clusters at once.
    expect(alarms.find(({ name }) => name === 'errors-http-api')).toMatchObject({
      metric: '5xx',
      threshold: 0,
      runbook: 'function-errors',
    });
    expect(alarms.find(({ name }) => name === 'dead-letters-relays')).toMatchObject({ metric: 'RelayDeadLetters', threshold: 0 });
    expect(alarms.find(({ name }) => name === 'dead-letters-relays')?.dimensions).toBeUndefined();
  });

  test('each leads to its page, and each page is led to', () => {
    const pages = globSync('docs/runbooks/*.md', { cwd: ROOT }).map((path) => basename(path, '.md'));
    expect(pages.toSorted()).toEqual([...new Set(alarms.map(({ runbook }) => runbook))].toSorted());
    for (const page of pages) {
      const text = readFileSync(join(ROOT, 'docs', 'runbooks', `${page}.md`), 'utf8');
      for (const heading of ['## What it means', '## See more', '## What to do'])
        expect([page, text.includes(heading)]).toEqual([page, true]);
      for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)/g))
        expect([page, link, existsSync(join(ROOT, 'docs', 'runbooks', link))]).toEqual([page, link, true]);
    }
  });

  test('tell whoever the stage names, and say what is wrong', () => {
    const resources = Object.entries(alarmResources(stage));
    expect(resources).toHaveLength(alarms.length);
    for (const [, made] of resources)
      expect(made).toMatchObject({
        Properties: {
          AlarmActions: ['topic'],
          AlarmDescription: expect.stringMatching(/^[a-z].+\. What to do: docs\/runbooks\/[a-z-]+\.md$/),
        },
      });
    expect(resources.every(([name]) => /^Alarm\w+$/.test(name))).toBe(true);
  });

  test('no finished sweep is bad, not unknown', () => {
    expect(alarms.filter(({ missing }) => missing === 'breaching').map(({ name }) => name)).toEqual(['no-sweep']);
  });
});
