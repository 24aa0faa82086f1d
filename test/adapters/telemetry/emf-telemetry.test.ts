// Telemetry as CloudWatch reads it: the contract, and metrics in the embedded format.
import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { EmfTelemetry } from '../../../lib/adapters/telemetry/emf-telemetry.ts';
import { METRICS } from '../../../lib/ports/metrics.ts';
import { telemetryContract } from '../../contracts/telemetry.ts';

interface Line {
  _aws: {
    Timestamp: number;
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  [field: string]: unknown;
}

const opened = ({ referenceMetrics = true } = {}): { telemetry: EmfTelemetry; lines: string[]; metrics: () => Line[] } => {
  const lines: string[] = [];
  const clock = new VirtualClock({ startMs: 1_000 });
  const telemetry = new EmfTelemetry({
    namespace: 'Farloop/test',
    referenceMetrics,
    level: 'info',
    clock,
    write: (line) => lines.push(line),
  });
  return { telemetry, lines, metrics: () => lines.flatMap((line) => (line.includes('"_aws"') ? [JSON.parse(line) as Line] : [])) };
};

telemetryContract('embedded metric format', () => {
  const { telemetry, lines } = opened();
  return { telemetry, said: () => lines };
});

describe('metrics in the embedded format', () => {
  test('are written when the invocation ends, in one line where nothing stands for two things; none before and none twice', () => {
    const { telemetry, metrics } = opened();
    telemetry.begin('reconcile', 'r1');
    for (const durationMs of [5, 7])
      telemetry.count('ReconcileDuration', durationMs, 'Milliseconds', { cluster: 'one', kind: 'Job', outcome: 'acted' });
    telemetry.count('WritesSent', 2, 'Count', { cluster: 'one' });
    telemetry.count('WritesSent', 3, 'Count', { cluster: 'one' });
    // Neither the same cluster nor another metric: a line has one place for each.
    telemetry.count('WritesSent', 1, 'Count', { cluster: 'two' });
    expect(metrics()).toEqual([]);
    telemetry.end();
    telemetry.end();
    expect(metrics()).toEqual([
      {
        ...envelope(
          { sets: [['function']], metrics: [['ColdStarts', 'Count']] },
          { sets: [['kind', 'outcome'], ['cluster']], metrics: [['ReconcileDuration', 'Milliseconds']] },
          { sets: [['cluster']], metrics: [['WritesSent', 'Count']] },
        ),
        function: 'reconcile',
        cluster: 'one',
        kind: 'Job',
        outcome: 'acted',
        ColdStarts: 1,
        ReconcileDuration: [5, 7],
        WritesSent: 5,
      },
      { ...envelope({ sets: [['cluster']], metrics: [['WritesSent', 'Count']] }), cluster: 'two', WritesSent: 1 },
    ]);
  });

  test("under the built-in controllers' names: with their labels, unless that is switched off", () => {
    const { telemetry, metrics } = opened();
    const labels = { completion_mode: 'Indexed', result: 'success', action: 'reconciling' };
    for (const seconds of [0.01234567, 1234.5678]) {
      telemetry.count('job_controller_job_syncs_total', 1, 'Count', labels);
      telemetry.count('job_controller_job_sync_duration_seconds', seconds, 'Seconds', labels);
    }
    // A result of another kind.
    telemetry.count('job_controller_job_pods_finished_total', 12, 'Count', { completion_mode: 'Indexed', result: 'succeeded' });
    telemetry.count('job_controller_jobs_finished_total', 1, 'Count', { completion_mode: 'Indexed', result: 'succeeded', reason: '' });
    telemetry.count('ttl_after_finished_controller_job_deletion_duration_seconds', 0.5, 'Seconds');
    telemetry.end();
    expect(metrics()).toEqual([
      {
        ...envelope(
          {
            sets: [['completion_mode', 'result', 'action']],
            metrics: [
              ['job_controller_job_syncs_total', 'Count'],
              ['job_controller_job_sync_duration_seconds', 'Seconds'],
            ],
          },
          { sets: [[]], metrics: [['ttl_after_finished_controller_job_deletion_duration_seconds', 'Seconds']] },
        ),
        ...labels,
        job_controller_job_syncs_total: 2,
        job_controller_job_sync_duration_seconds: [0.01235, 1235],
        ttl_after_finished_controller_job_deletion_duration_seconds: 0.5,
      },
      {
        ...envelope(
          { sets: [['completion_mode', 'result']], metrics: [['job_controller_job_pods_finished_total', 'Count']] },
          { sets: [['completion_mode', 'result', 'reason']], metrics: [['job_controller_jobs_finished_total', 'Count']] },
        ),
        completion_mode: 'Indexed',
        result: 'succeeded',
        // CloudWatch takes no empty value.
        reason: 'unknown',
        job_controller_job_pods_finished_total: 12,
        job_controller_jobs_finished_total: 1,
      },
    ]);
    const { telemetry: without, lines } = opened({ referenceMetrics: false });
    without.count('job_controller_job_syncs_total', 1, 'Count', labels);
    without.end();
    expect(lines).toEqual([]);
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
    telemetry.count('EventMessages', 1, 'Count');
    telemetry.count('EventToPassLag', NaN, 'Milliseconds', { cluster: 'one' });
    telemetry.end();
    const clock = new VirtualClock();
    const silent = new EmfTelemetry({
      namespace: undefined,
      referenceMetrics: true,
      level: 'info',
      clock,
      write: (line) => lines.push(line),
    });
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

const envelope = (...directives: { sets: string[][]; metrics: [string, string][] }[]): Pick<Line, '_aws'> => ({
  _aws: {
    Timestamp: 1_000,
    CloudWatchMetrics: directives.map(({ sets, metrics }) => ({
      Namespace: 'Farloop/test',
      Dimensions: sets,
      Metrics: metrics.map(([Name, Unit]) => ({ Name, Unit })),
    })),
  },
});
