// A live list below a version that was observed before is not lag, but an API server restored from an older state (R3). If a second live
// list confirms it, the era in the cluster's record is raised. Heads and view items of earlier eras then count as missing, and messages of
// relay sessions that began in them are dropped.
import type { WorkloadKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { encodeAsk } from '../../wire/messages.ts';
import type { EventMessage } from '../../wire/words/observations.ts';

/** Two live lists in a row were older than the latest observation. */
export class RestoredServerError extends Error {}

/** Another pass or another function may have raised the era already. Then there is nothing to do. */
export async function raiseEra(
  { clusters, queue, telemetry }: Pick<Ports, 'clusters' | 'queue' | 'telemetry'>,
  seenIn: ClusterRecord,
  reason: string,
): Promise<void> {
  const record = await clusters.get(seenIn.name);
  if (!record || record.era !== seenIn.era) return;
  const era = record.era + 1;
  try {
    await clusters.put({ ...record, era }, record.version);
  } catch (error) {
    if (error instanceof StaleWriteError) return;
    throw error;
  }
  telemetry.error('API server was restored from an older state: everything is read anew', { cluster: record.name, era, reason });
  telemetry.count('ErasRaised', 1, 'Count', { cluster: record.name });
  await askForEverything({ queue }, { name: record.name, era });
}

/**
 * Asks the relay to list the cluster anew, in a session of this era.
 * @param ask.after the message that showed that something is missing
 */
export const askForEverything = async (
  { queue }: Pick<Ports, 'queue'>,
  { name, era, after }: Pick<ClusterRecord, 'name' | 'era'> & { after?: Pick<EventMessage, 'session' | 'sequence'> },
): Promise<void> => {
  const shown = after && { session: after.session, sequence: after.sequence };
  await queue.send(`relay-${name}`, [{ body: encodeAsk({ ask: 'everything', era, ...(shown && { after: shown }) }) }]);
};

/** Asks the relay to report its cache of one workload again: observations, not a whole list (R19). */
export const askForWorkload = async ({ queue }: Pick<Ports, 'queue'>, { cluster, ...owner }: WorkloadKey): Promise<void> =>
  await queue.send(`relay-${cluster}`, [{ body: encodeAsk({ ask: 'workload', owner }) }]);
