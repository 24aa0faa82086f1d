// How long a Job waits before it replaces a failed pod, and the record of failures that this needs.
import { LARGEST_INT32 } from '../../../objects/values/integers.ts';
import { secondsOf, timeOf, type PodFacts } from '../../../objects/pods/pod-facts.ts';
import type { PlanHead } from '../../rows/plan.ts';

const BASE_SECONDS = 10;
const MAX_SECONDS = 600;

/**
 * Seconds to wait after the latest failure before a replacement may start: 10, doubling, 600 at most.
 * @param failures since the last success; 0 means no wait
 */
const backoffSeconds = (failures: number): number =>
  failures <= 0 ? 0 : failures > 7 ? MAX_SECONDS : Math.min(BASE_SECONDS * 2 ** (failures - 1), MAX_SECONDS);

/** Milliseconds left of the wait. @param latestFailure Unix seconds */
export function remainingBackoffMs(failures: number, latestFailure: number | undefined, nowMs: number): number {
  if (failures <= 0 || latestFailure === undefined) return 0;
  return Math.max(0, latestFailure * 1000 + backoffSeconds(failures) * 1000 - nowMs);
}

/** The record after these pods, which finished since the record was made. */
export function nextBackoff(
  stored: PlanHead['backoff'],
  { succeeded, failed }: { succeeded: readonly PodFacts[]; failed: readonly PodFacts[] },
): PlanHead['backoff'] {
  if (succeeded.length === 0 && failed.length === 0) return stored;
  const latestSuccess = succeeded.length > 0 ? latestFinish(succeeded) : undefined;
  let failures = latestSuccess === undefined ? stored.failures : 0;
  let latestFailure: number | undefined;
  for (const pod of failed) {
    const finish = finishTimeOf(pod);
    if (latestSuccess !== undefined && finish <= latestSuccess) continue;
    failures += 1;
    latestFailure = latestFailure === undefined ? finish : Math.max(latestFailure, finish);
  }
  return { failures: Math.min(failures, LARGEST_INT32), ...(latestFailure !== undefined && { lastFailureTime: timeOf(latestFailure) }) };
}

/** Unix seconds; undefined without a recorded failure. */
export const latestFailureOf = ({ lastFailureTime }: PlanHead['backoff']): number | undefined => secondsOf(lastFailureTime);

const latestFinish = (pods: readonly PodFacts[]): number =>
  pods.reduce((latest, pod) => Math.max(latest, finishTimeOf(pod)), Number.NEGATIVE_INFINITY);

/**
 * When the pod finished, in Unix seconds: its containers' latest end, else since when it is not ready, else when its deletion
 * was asked for, else its creation.
 */
export function finishTimeOf(pod: PodFacts): number {
  const ended = containersEnd(pod);
  if (ended !== undefined) return ended;
  if (pod.ready === 'False' && pod.readySince !== undefined) return pod.readySince;
  if (pod.deletedAt !== undefined) return pod.deletedAt - (pod.deletionGraceSeconds ?? 0);
  return pod.createdAt;
}

/** Sidecars must have ended; where regular containers have too, the latest of all counts, else the sidecars' alone. */
function containersEnd(pod: PodFacts): number | undefined {
  let regular: number | undefined;
  let regularRuns = false;
  let sidecar: number | undefined;
  for (const { role, finishedAt } of pod.containers) {
    if (role === 'init') continue;
    if (role === 'sidecar') {
      if (finishedAt === undefined) return undefined;
      sidecar = Math.max(sidecar ?? finishedAt, finishedAt);
    } else if (finishedAt === undefined) regularRuns = true;
    else regular = Math.max(regular ?? finishedAt, finishedAt);
  }
  if (regularRuns || regular === undefined) return sidecar;
  return sidecar === undefined ? regular : Math.max(regular, sidecar);
}
