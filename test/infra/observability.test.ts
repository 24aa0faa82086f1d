// Dashboard and alarms: every metric in them is one that somebody sends, with those dimensions; every alarm leads to a page.
import { describe, expect, test } from '@jest/globals';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { alarmResources, alarmsOf } from '../../infra/alarms.ts';
import { dashboardBody } from '../../infra/dashboard.ts';
import type { MetricRow } from '../../infra/dashboard.ts';
import { METRICS } from '../../lib/ports/metrics.ts';
import { ROOT } from '../deploy/packaged.ts';

const stage = { name: 'farloop-prod', namespace: 'Farloop/prod', region: 'eu-central-1', alarmActions: ['topic'] };

/** What AWS sends of its own, with the dimensions that we ask for. */
const OF_AWS: Record<string, string[]> = {
  'AWS/SQS ApproximateNumberOfMessagesVisible': ['QueueName'],
  'AWS/SQS ApproximateAgeOfOldestMessage': ['QueueName'],
  'AWS/Lambda Invocations': ['FunctionName'],
  'AWS/Lambda Errors': ['FunctionName'],
  'AWS/Lambda Duration': ['FunctionName'],
  'AWS/Lambda Throttles': ['FunctionName'],
  'AWS/Lambda ConcurrentExecutions': ['FunctionName'],
  'AWS/DynamoDB ConsumedWriteCapacityUnits': ['TableName'],
  'AWS/DynamoDB ConsumedReadCapacityUnits': ['TableName'],
  'AWS/DynamoDB WriteThrottleEvents': ['TableName'],
};

const isSent = ({ namespace, metric, dimensions }: { namespace: string; metric: string; dimensions: readonly string[] }): boolean => {
  const same = (set: readonly string[]): boolean => JSON.stringify(set.toSorted()) === JSON.stringify(dimensions.toSorted());
  return namespace === stage.namespace ? (METRICS[metric]?.sets ?? []).some(same) : same(OF_AWS[`${namespace} ${metric}`] ?? ['none']);
};

/** What a row of a widget shows; undefined for a formula over other rows. */
function shownBy(row: MetricRow): { namespace: string; metric: string; dimensions: string[] } | undefined {
  const [first] = row;
  if (typeof first === 'string') {
    const [namespace = '', metric = '', ...rest] = row.filter((part) => typeof part === 'string');
    return { namespace, metric, dimensions: rest.filter((_part, at) => at % 2 === 0) };
  }
  const search = /^SEARCH\('\{([^,}]+),?([^}]*)\} MetricName="(\w+)"', '\w+', \d+\)$/.exec(first?.expression ?? '');
  return search ? { namespace: search[1] ?? '', metric: search[3] ?? '', dimensions: (search[2] ?? '').split(',') } : undefined;
}

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
    const shown = rows.flatMap((row) => shownBy(row) ?? []);
    expect(shown.length).toBeGreaterThan(50);
    expect(shown.filter((metric) => !isSent(metric))).toEqual([]);
  });

  test('shows all that we send', () => {
    const shown = new Set(rows.flatMap((row) => shownBy(row)?.metric ?? []));
    expect(Object.keys(METRICS).filter((metric) => !shown.has(metric))).toEqual([]);
  });

  test('a formula names only rows of its own widget', () => {
    for (const { properties } of widgets) {
      const ids = (properties.metrics ?? []).flatMap((row) => row.flatMap((part) => (typeof part === 'string' ? [] : [part.id ?? ''])));
      for (const row of properties.metrics ?? [])
        for (const part of row)
          if (typeof part !== 'string' && part.expression?.startsWith('60*')) {
            for (const [id] of part.expression.matchAll(/[a-z]_[a-z]+/g)) expect(ids).toContain(id);
            expect(part.expression).not.toMatch(/\de-/);
            expect(part.expression.length).toBeLessThanOrEqual(2_048);
          }
    }
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
    for (const name of ['unreachable-cluster', 'forbidden-cluster'])
      expect(alarms.find((alarm) => alarm.name === name)).toMatchObject({ periodSeconds: 60, of: 2, bad: 1 });
    expect(alarms.find(({ name }) => name === 'lag')).toMatchObject({ statistic: 'p99' });
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
