// The table of metrics and the code: each tells what the other does.
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UPSTREAM_METRICS, upstreamMetric } from '../../lib/objects/upstream-metrics.ts';
import { METRICS } from '../../lib/ports/metrics.ts';
import { ROOT } from '../deploy/packaged.ts';

/** Told by a process that stays, on its page of metrics: not published on AWS. */
const ELSEWHERE = /^(EventMessages|ReportsTooLarge|SkippedEvents|SilentWatches|RefusedCommands)$/;

interface Counted {
  metric: string;
  unit: string;
  dimensions: string[];
}

/** Every `count('Name', value, 'Unit', { dimensions })` of our code. */
function countsInCode(): Counted[] {
  const found: Counted[] = [];
  for (const path of globSync('lib/**/*.ts', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/\s+/g, ' ');
    for (const [, metric = '', , unit = '', given = ''] of text.matchAll(
      /\.count\( ?'(\w+)', ((?:[^()']|\((?:[^()]|\([^()]*\))*\))*?), '(Count|Milliseconds|Seconds|Bytes)'(?:, (\{[^}]*\}))?,? ?\)/g,
    ))
      found.push({
        metric,
        unit,
        dimensions: given
          .slice(1, -1)
          .split(',')
          .flatMap((part) => /^ ?(\w+)/.exec(part)?.[1] ?? []),
      });
  }
  return found;
}

test('every metric that the code counts is described as it is counted, and every description is counted', () => {
  const counted = countsInCode().filter(({ metric }) => !ELSEWHERE.test(metric) && !upstreamMetric(metric));
  expect(counted.length).toBeGreaterThan(15);
  for (const { metric, unit, dimensions } of counted)
    expect({ metric, unit, dimensions: dimensions.toSorted() }).toEqual({
      metric,
      unit: METRICS[metric]?.unit,
      dimensions: METRICS[metric]?.dimensions.toSorted(),
    });
  // An invocation's end counts these by their names in one loop.
  const names = new Set([...counted.map(({ metric }) => metric), 'AwsRequests', 'WriteUnits', 'ReadUnits']);
  expect(Object.keys(METRICS).filter((name) => !names.has(name))).toEqual([]);
});

test('the page tells of each metric of the built-in controllers with its labels', () => {
  const page = readFileSync(join(ROOT, 'docs', 'metrics.md'), 'utf8');
  const rows = [
    ...page.matchAll(
      /^\| `((?:job_controller|ttl_after|training_operator|created_pod|deleted_pod|failed_pods|succeeded_service|failed_service)\w+)`(?: \(histogram\))? \| (.*?) ?\|$/gm,
    ),
  ];
  const told = new Map(rows.map(([, name = '', labels = '']) => [name, labels.match(/\w+(?=`)/g) ?? []]));
  expect(told.get('job_controller_job_syncs_total')).toEqual(told.get('job_controller_job_sync_duration_seconds'));
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(UPSTREAM_METRICS.map(({ name, labels }) => [name, labels])));
});

test('docs/metrics.md tells of each what the table does', () => {
  const bySets = (sets: readonly (readonly string[])[]): string =>
    sets.map((set) => (set.length === 0 ? 'all' : set.join(' and '))).join(', ');
  const rows = Object.entries(METRICS).map(([name, { unit, sets, tells }]) => `| \`${name}\` | ${unit} | ${bySets(sets)} | ${tells} |`);
  const page = readFileSync(join(ROOT, 'docs', 'metrics.md'), 'utf8');
  expect(page.split('\n').filter((line) => /^\| `[A-Z]/.test(line))).toEqual(rows);
});
