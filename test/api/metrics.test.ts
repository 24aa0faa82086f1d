// The page of metrics in Prometheus' text format: types, labels, buckets.
import { afterEach, expect, test } from '@jest/globals';
import { LineTelemetry } from '../../lib/adapters/telemetry/line-telemetry.ts';
import { metricsText } from '../../lib/api/metrics.ts';
import { World } from '../world/world.ts';

let world: World;
afterEach(() => world.close());

test('the reference’s names stand as they are, histograms with cumulative buckets', async () => {
  world = new World();
  const telemetry = new LineTelemetry({ write: () => {} });
  const labels = { completion_mode: 'Indexed', result: 'success', action: 'tracking' };
  for (const seconds of [0.003, 0.005, 1_000]) telemetry.count('job_controller_job_sync_duration_seconds', seconds, 'Seconds', labels);
  telemetry.count('job_controller_job_finished_indexes_total', 2, 'Count', { status: 'failed', backoffLimit: 'perIndex' });
  telemetry.count('StaleWakes', 1, 'Count', { kind: 'Job' });
  const text = await metricsText({ ...world.ports, telemetry });
  const of = 'completion_mode="Indexed",result="success",action="tracking"';
  expect(text).toContain('# TYPE job_controller_job_sync_duration_seconds histogram\n');
  expect(text).toContain(`job_controller_job_sync_duration_seconds_bucket{${of},le="0.004"} 1\n`);
  expect(text).toContain(`job_controller_job_sync_duration_seconds_bucket{${of},le="0.008"} 2\n`);
  expect(text).toContain(`job_controller_job_sync_duration_seconds_bucket{${of},le="65.536"} 2\n`);
  expect(text).toContain(`job_controller_job_sync_duration_seconds_bucket{${of},le="+Inf"} 3\n`);
  expect(text).toContain(`job_controller_job_sync_duration_seconds_count{${of}} 3\n`);
  expect(text).toContain('# TYPE job_controller_job_finished_indexes_total counter\n');
  expect(text).toContain('job_controller_job_finished_indexes_total{status="failed",backoffLimit="perIndex"} 2\n');
  expect(text).toContain('farloop_stale_wakes_total{kind="Job"} 1\n');
  expect(text.match(/^# TYPE .*$/gm)).toEqual([...new Set(text.match(/^# TYPE .*$/gm))]);
});
