// Jobs of other managers, which relays alone see: heartbeats tell how many came in a session, and what is new of it is counted here under
// the reference's name.
import * as v from 'valibot';
import type { Telemetry } from '../ports/telemetry.ts';
import { controllerAmong } from '../wire/external-controllers.ts';
import type { EventMessage, ExternalJobs } from '../wire/observations.ts';

export const ExternalJobsTold = v.object({
  session: v.string(),
  /** By the manager's name; those of earlier sessions stay, with nothing counted. */
  counts: v.record(v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
});
export type ExternalJobsTold = v.InferOutput<typeof ExternalJobsTold>;

/**
 * @param before what had been told when this was last kept
 * @returns what has been told now, to be kept; and what is new in it
 */
export function externalJobsSince(
  before: ExternalJobsTold | undefined,
  session: EventMessage['session'],
  told: readonly ExternalJobs[],
): { told: ExternalJobsTold; fresh: ExternalJobs[] } {
  const isSame = before?.session === session;
  const counts = new Map(Object.entries(before?.counts ?? {}).map(([name, count]) => [name, isSame ? count : 0]));
  const sums = new Map<string, number>();
  for (const { controllerName, count } of told) {
    const name = controllerAmong(counts, controllerName);
    if (!counts.has(name)) counts.set(name, 0);
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  // An older heartbeat that comes late tells of fewer.
  const fresh = [...sums].flatMap(([controllerName, sum]) => {
    const count = sum - (counts.get(controllerName) ?? 0);
    return count > 0 ? [{ controllerName, count }] : [];
  });
  for (const { controllerName } of fresh) counts.set(controllerName, sums.get(controllerName) ?? 0);
  return { told: { session, counts: Object.fromEntries(counts) }, fresh };
}

export function countExternalJobs(telemetry: Telemetry, fresh: readonly ExternalJobs[]): void {
  for (const { controllerName, count } of fresh)
    telemetry.count('job_controller_jobs_by_external_controller_total', count, 'Count', { controller_name: controllerName });
}
