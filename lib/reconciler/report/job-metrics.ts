// The reference's metrics, told through the telemetry: what the API server confirmed in a pass, and what a change of the view shows.
import { isJobFinished } from '../../objects/job-facts.ts';
import type { JobStatus } from '../../objects/kubernetes.ts';
import { isFinished } from '../../objects/pod-facts.ts';
import { completionModeOf, isSync, type Counted } from '../../kinds/job/counts.ts';
import type { Plan } from '../../kinds/plan.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { PodEntry, ViewPart } from '../../wire/observations.ts';
import type { Pass } from '../pass/pass.ts';
import type { News } from '../view/view.ts';

/** Remembers of the first plan of a pass that it is one of the reference's syncs. */
export function noteSync(pass: Pass, plan: Plan<JobStatus>): void {
  if (pass.sync || !pass.owner || isJobFinished(pass.owner) || !isSync(plan, pass.owner)) return;
  pass.sync = { completion_mode: completionModeOf(pass.owner), action: plan.syncAction ?? 'reconciling' };
}

const GOOD = new Set(['acted', 'waiting', 'converged', 'gone']);

/** One pass under the reference's names: what it noted itself, and, where it decided, how that went and how long it took. */
export function countPass(
  telemetry: Telemetry,
  { sync, counted, actions }: Pick<Pass, 'sync' | 'counted' | 'actions'>,
  { durationMs, outcome }: { durationMs: number; outcome: string },
): void {
  for (const { metric, value, labels } of counted) {
    const isDuration = metric === 'ttl_after_finished_controller_job_deletion_duration_seconds';
    telemetry.count(metric, value, isDuration ? 'Seconds' : 'Count', labels);
  }
  if (!sync) return;
  // What one call came to, others went on after; the reference returns that call's error at the end.
  const isGood = GOOD.has(outcome) && actions.every(({ result }) => result === 'done');
  const labels = { completion_mode: sync.completion_mode, result: isGood ? 'success' : 'error', action: sync.action };
  telemetry.count('job_controller_job_syncs_total', 1, 'Count', labels);
  telemetry.count('job_controller_job_sync_duration_seconds', durationMs / 1000, 'Seconds', labels);
}

/** Ended pods that still carry the tracking finalizer: how many came and how many went. */
export interface Terminated {
  add: number;
  delete: number;
}

export const NOTHING_TERMINATED: Terminated = { add: 0, delete: 0 };

/** @param known what the view held before, of the parts touched; `merged`: what it holds now */
export function terminatedBy(known: ViewPart, merged: ViewPart, news: News): Terminated {
  const uids = new Set(news.pods.map(({ pod }) => pod.uid));
  if (news.whole) for (const uid of known.pods.keys()) uids.add(uid);
  const terminated = { ...NOTHING_TERMINATED };
  for (const uid of uids) {
    const [was, is] = [known, merged].map(({ pods }) => waits(pods.get(uid)));
    if (!was && is) terminated.add += 1;
    if (was && !is) terminated.delete += 1;
  }
  return terminated;
}

const waits = (entry: PodEntry | undefined): boolean => entry !== undefined && !entry.deleted && entry.pod.tracked && isFinished(entry.pod);

/** As metrics, without those that are 0. */
export const terminatedCounts = (terminated: Terminated): Counted[] =>
  (['add', 'delete'] as const)
    .filter((event) => terminated[event] > 0)
    .map((event) => ({ metric: 'job_controller_terminated_pods_tracking_finalizer_total', value: terminated[event], labels: { event } }));

/** Of a workload that is forgotten with all its view held. */
export const terminatedWith = ({ pods }: ViewPart): Terminated => ({ add: 0, delete: [...pods.values()].filter(waits).length });
