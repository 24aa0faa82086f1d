// Rates of the last hour: minute by minute, what is older is forgotten.
import { expect, test } from '@jest/globals';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { LineTelemetry } from '../../lib/adapters/telemetry/line-telemetry.ts';
import { ratesNow } from '../../lib/api/metrics.ts';
import { SilentTelemetry } from '../world/recording-telemetry.ts';

const BEGAN_MS = Date.parse('2026-05-01T10:00:00Z');
const MINUTE_MS = 60_000;

class SetClock extends SystemClock {
  setMs = BEGAN_MS;
  override nowMs(): number {
    return this.setMs;
  }
}

function started() {
  const clock = new SetClock();
  const telemetry = new LineTelemetry({ write: () => {}, clock });
  return { clock, telemetry, at: (minutes: number): void => void (clock.setMs = BEGAN_MS + minutes * MINUTE_MS) };
}

test('each minute has its own sums, by the labels that tell success from failure', () => {
  const { clock, telemetry, at } = started();
  const finished = 'job_controller_job_pods_finished_total';
  at(1);
  telemetry.count('job_controller_job_pods_creation_total', 3, 'Count', { reason: 'new', status: 'succeeded' });
  telemetry.count('job_controller_job_pods_creation_total', 9, 'Count', { reason: 'new', status: 'failed' });
  telemetry.count('created_pods_total', 2, 'Count');
  at(5);
  telemetry.count(finished, 4, 'Count', { completion_mode: 'Indexed', result: 'succeeded' });
  telemetry.count(finished, 1, 'Count', { completion_mode: 'Indexed', result: 'failed' });
  telemetry.count('failed_pods_total', 1, 'Count');
  for (const ms of [10, 30]) telemetry.count('ReconcileDuration', ms, 'Milliseconds', { cluster: 'a', kind: 'Job', outcome: 'acted' });
  for (const ms of [100, 300]) telemetry.count('EventToPassLag', ms, 'Milliseconds', { cluster: 'a' });
  const rates = ratesNow({ clock, telemetry });
  expect(rates).toMatchObject({ counted: true, since: '2026-05-01T10:00:00.000Z', to: '2026-05-01T10:05:00.000Z', stepSeconds: 60 });
  expect(rates.podsStarted.slice(-5)).toEqual([5, 0, 0, 0, 0]);
  expect([rates.podsSucceeded.at(-1), rates.podsFailed.at(-1), rates.passes.at(-1), rates.lagMs.at(-1)]).toEqual([4, 2, 2, 200]);
  expect([rates.podsStarted.length, rates.lagMs.at(-2)]).toEqual([60, null]);
});

test('what is more than an hour ago is forgotten', () => {
  const { clock, telemetry, at } = started();
  telemetry.count('created_pods_total', 7, 'Count');
  at(59);
  expect(ratesNow({ clock, telemetry }).podsStarted[0]).toBe(7);
  at(61);
  telemetry.count('created_pods_total', 1, 'Count');
  const { podsStarted, since } = ratesNow({ clock, telemetry });
  expect([podsStarted.reduce((sum, value) => sum + value, 0), since]).toEqual([1, '2026-05-01T10:01:00.000Z']);
});

test('a telemetry that keeps nothing says so', () => {
  const { clock } = started();
  expect(ratesNow({ clock, telemetry: new SilentTelemetry() })).toMatchObject({ counted: false, passes: [] });
});
