// Jobs of other managers, which relays alone see: heartbeats tell how many came in a session, and what is new of it is counted here under
// the reference's name.
import * as v from 'valibot';
import type { Telemetry } from '../../ports/telemetry.ts';
import { controllerAmong } from '../../wire/external-controllers.ts';
import type { EventMessage, ExternalJobs } from '../../wire/observations.ts';

/** What a session had told when this was last kept, by the manager's name; those that other sessions told of stay, with nothing counted. */
const Session = v.object({ session: v.string(), counts: v.record(v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(0))) });
/** The one heard of last comes last. */
export const ExternalJobsTold = v.array(Session);
export type ExternalJobsTold = v.InferOutput<typeof ExternalJobsTold>;

/** A heartbeat of the sender before may come late, and replicas take turns. */
const MOST_SESSIONS = 3;

/**
 * @param before what had been told when this was last kept
 * @returns what has been told now, to be kept; and what is new in it
 */
export function externalJobsSince(
  before: ExternalJobsTold,
  session: EventMessage['session'],
  heard: readonly ExternalJobs[],
): { told: ExternalJobsTold; fresh: ExternalJobs[] } {
  if (heard.length === 0) return { told: before, fresh: [] };
  const known = before.find((one) => one.session === session)?.counts ?? {};
  const names = before.flatMap(({ counts }) => Object.keys(counts));
  const counts = new Map(names.map((name) => [name, known[name] ?? 0]));
  const sums = new Map<string, number>();
  for (const { controllerName, count } of heard) {
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
  const others = before.filter((one) => one.session !== session).slice(1 - MOST_SESSIONS);
  return { told: [...others, { session, counts: Object.fromEntries(counts) }], fresh };
}

export function countExternalJobs(telemetry: Telemetry, fresh: readonly ExternalJobs[]): void {
  for (const { controllerName, count } of fresh)
    telemetry.count('job_controller_jobs_by_external_controller_total', count, 'Count', { controller_name: controllerName });
}
