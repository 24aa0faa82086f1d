// Owners of other managers, which only relays see. Heartbeats report how many came in a session. The increase since the last heartbeat is
// counted here under upstream's name, which the kind's row has.
import * as v from 'valibot';
import { ALL_FACTS } from '../../kinds/facts.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import { controllerAmong } from '../../wire/words/external-controllers.ts';
import type { EventMessage, ExternalOwners } from '../../wire/words/observations.ts';

/**
 * The counts that a session had reported when this was last stored, by the manager's name. Managers from other sessions stay, with a count
 * of 0.
 */
const Session = v.object({ session: v.string(), counts: v.record(v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(0))) });
/** The session that reported last comes last. */
export const ExternalOwnersReported = v.array(Session);
export type ExternalOwnersReported = v.InferOutput<typeof ExternalOwnersReported>;

/** A heartbeat of an earlier sender may come late, and replicas take turns. */
const MOST_SESSIONS = 3;

/**
 * @param before the counts as last stored
 * @returns the counts to store now, and the increase in them
 */
export function externalOwnersSince(
  before: ExternalOwnersReported,
  session: EventMessage['session'],
  reported: readonly ExternalOwners[],
): { told: ExternalOwnersReported; fresh: ExternalOwners[] } {
  if (reported.length === 0) return { told: before, fresh: [] };
  const known = before.find((one) => one.session === session)?.counts ?? {};
  const names = before.flatMap(({ counts }) => Object.keys(counts));
  const counts = new Map(names.map((name) => [name, known[name] ?? 0]));
  const sums = new Map<string, number>();
  for (const { controllerName, count } of reported) {
    const name = controllerAmong(counts, controllerName);
    if (!counts.has(name)) counts.set(name, 0);
    sums.set(name, (sums.get(name) ?? 0) + count);
  }
  // An older heartbeat that comes late reports lower counts.
  const fresh = [...sums].flatMap(([controllerName, sum]) => {
    const count = sum - (counts.get(controllerName) ?? 0);
    return count > 0 ? [{ controllerName, count }] : [];
  });
  for (const { controllerName } of fresh) counts.set(controllerName, sums.get(controllerName) ?? 0);
  const others = before.filter((one) => one.session !== session).slice(1 - MOST_SESSIONS);
  return { told: [...others, { session, counts: Object.fromEntries(counts) }], fresh };
}

export function countExternalOwners(telemetry: Telemetry, fresh: readonly ExternalOwners[]): void {
  const row = ALL_FACTS.find(({ externalCountOf }) => externalCountOf !== undefined);
  for (const external of fresh) {
    const counted = row?.externalCountOf?.(external);
    if (counted) telemetry.count(counted.metric, counted.value, 'Count', counted.labels);
  }
}
