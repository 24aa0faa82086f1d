// Telemetry as CloudWatch reads it: the contract, and metrics in the embedded format.
import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '../../lib/adapters/embedded/virtual-clock.ts';
import { EmfTelemetry } from '../../lib/adapters/emf-telemetry.ts';
import { METRICS } from '../../lib/ports/metrics.ts';
import { telemetryContract } from '../contracts/telemetry.ts';

interface Line {
  _aws: {
    Timestamp: number;
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  [field: string]: unknown;
}

const opened = (namespace: string | undefined = 'Farloop/test'): { telemetry: EmfTelemetry; lines: string[]; metrics: () => Line[] } => {
  const lines: string[] = [];
  const clock = new VirtualClock({ startMs: 1_000 });
  const telemetry = new EmfTelemetry({ namespace, level: 'info', clock, write: (line) => lines.push(line) });
  return { telemetry, lines, metrics: () => lines.flatMap((line) => (line.includes('"_aws"') ? [JSON.parse(line) as Line] : [])) };
};

telemetryContract('embedded metric format', () => {
  const { telemetry, lines } = opened();
  return { telemetry, said: () => lines };
});

describe('metrics in the embedded format', () => {
  test('are written when the invocation ends, one line for the same dimensions, none before and none twice', () => {
    const { telemetry, metrics } = opened();
    telemetry.begin('reconcile', 'r1');
    for (const durationMs of [5, 7])
      telemetry.count('ReconcileDuration', durationMs, 'Milliseconds', { cluster: 'one', kind: 'Job', outcome: 'acted' });
    telemetry.count('WritesSent', 2, 'Count', { cluster: 'one' });
    telemetry.count('WritesSent', 3, 'Count', { cluster: 'one' });
    expect(metrics()).toEqual([]);
    telemetry.end();
    telemetry.end();
    expect(metrics()).toEqual([
      { ...envelope([['function']], [['ColdStarts', 'Count']]), function: 'reconcile', ColdStarts: 1 },
      {
        ...envelope([['kind', 'outcome'], ['cluster']], [['ReconcileDuration', 'Milliseconds']]),
        cluster: 'one',
        kind: 'Job',
        outcome: 'acted',
        ReconcileDuration: [5, 7],
      },
      { ...envelope([['cluster']], [['WritesSent', 'Count']]), cluster: 'one', WritesSent: 5 },
    ]);
  });

  test('a process is cold once', () => {
    const { telemetry, lines } = opened();
    for (const request of ['r1', 'r2']) {
      telemetry.begin('ingest', request);
      telemetry.info('at work');
      telemetry.end();
    }
    expect(lines.filter((line) => line.includes('ColdStarts'))).toHaveLength(1);
    const said = lines.filter((line) => line.includes('at work')).map((line) => JSON.parse(line) as object);
    expect(said).toMatchObject([
      { level: 'INFO', message: 'at work', service: 'farloop', function_name: 'ingest', function_request_id: 'r1', cold_start: true },
      { function_request_id: 'r2', cold_start: false },
    ]);
  });

  test('more values than a line holds go into the next one', () => {
    const { telemetry, metrics } = opened();
    for (let at = 0; at < 250; at++) telemetry.count('EventToPassLag', at, 'Milliseconds', { cluster: 'one' });
    telemetry.end();
    expect(metrics().map(({ EventToPassLag: values }) => (values as number[]).length)).toEqual([100, 100, 50]);
  });

  test('of a thousand clusters each is told of, and what is counted last', () => {
    const { telemetry, metrics } = opened();
    telemetry.begin('sweep', 'r1');
    const names = Array.from({ length: 1_000 }, (_none, at) => `cluster-${at}`);
    for (const cluster of names) telemetry.count('WatchAge', 1, 'Milliseconds', { cluster });
    telemetry.count('StaleWakes', 1, 'Count', { kind: 'Job' });
    telemetry.count('SweepsFinished', 1, 'Count');
    // What was written early does not come a second time.
    telemetry.count('WatchAge', 2, 'Milliseconds', { cluster: 'cluster-0' });
    telemetry.end();
    expect(metrics().flatMap(({ WatchAge: ageMs, cluster }) => (ageMs === 1 ? [cluster] : []))).toEqual(names);
    expect(metrics().filter((line) => 'WatchAge' in line)).toHaveLength(1_001);
    expect(metrics().flatMap(({ SweepsFinished: finished = [] }) => finished)).toEqual([1]);
    expect(metrics().flatMap(({ StaleWakes: stale = [] }) => stale)).toEqual([1]);
    expect(metrics().filter((line) => 'ColdStarts' in line)).toHaveLength(1);
  });

  test('what nobody looks at, and what is no number, is not published; nor anything without a namespace', () => {
    const { telemetry, lines } = opened();
    telemetry.count('job_controller_job_syncs_total', 1, 'Count', { action: 'x' });
    telemetry.count('EventToPassLag', NaN, 'Milliseconds', { cluster: 'one' });
    telemetry.end();
    const silent = new EmfTelemetry({ namespace: undefined, level: 'info', clock: new VirtualClock(), write: (line) => lines.push(line) });
    silent.count('StaleWakes', 1, 'Count', { kind: 'Job' });
    silent.end();
    expect(lines).toEqual([]);
  });

  test("a field takes the place of none of the line's own", () => {
    const { telemetry, lines } = opened();
    telemetry.warn('real', {
      message: 'forged',
      level: 'DEBUG',
      service: 'other',
      error: new Error('outer', { cause: new Error('inner') }),
    });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      message: 'real',
      level: 'WARN',
      service: 'farloop',
      error: { cause: { message: 'inner' } },
    });
  });

  test('every description is within the limits of the format', () => {
    for (const { dimensions, sets } of Object.values(METRICS))
      for (const set of sets) {
        expect(set.length).toBeLessThanOrEqual(30);
        for (const name of set) expect([...dimensions, 'function']).toContain(name);
      }
  });
});

const envelope = (sets: string[][], metrics: [string, string][]): Pick<Line, '_aws'> => ({
  _aws: {
    Timestamp: 1_000,
    CloudWatchMetrics: [{ Namespace: 'Farloop/test', Dimensions: sets, Metrics: metrics.map(([Name, Unit]) => ({ Name, Unit })) }],
  },
});
