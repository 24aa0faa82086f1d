// A live list below what was heard before is not lag but an API server restored from an older state (R3). Confirmed by a second live
// list, it raises the era in the cluster's record: heads and view items of earlier eras count as missing, and messages of relay
// sessions begun in them are dropped.
import type { WorkloadKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { encodeAsk } from '../../wire/messages.ts';
import type { EventMessage } from '../../wire/observations.ts';

/** Two live lists, one after the other, were older than what had been heard. */
export class RestoredServerError extends Error {}

/** Another pass, or another function, may have raised it already: then there is nothing to do. */
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
 * The relay lists the cluster anew, in a session of this era.
 * @param ask.after the message that showed that something is missing
 */
export const askForEverything = async (
  { queue }: Pick<Ports, 'queue'>,
  { name, era, after }: Pick<ClusterRecord, 'name' | 'era'> & { after?: Pick<EventMessage, 'session' | 'sequence'> },
): Promise<void> => {
  const shown = after && { session: after.session, sequence: after.sequence };
  await queue.send(`relay-${name}`, [{ body: encodeAsk({ ask: 'everything', era, ...(shown && { after: shown }) }) }]);
};

/** The relay tells again what it knows of one workload: news, no whole list (R19). */
export const askForWorkload = async ({ queue }: Pick<Ports, 'queue'>, { cluster, ...owner }: WorkloadKey): Promise<void> =>
  await queue.send(`relay-${cluster}`, [{ body: encodeAsk({ ask: 'workload', owner }) }]);
