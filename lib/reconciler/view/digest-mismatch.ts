// A view that differs from what the relay tells may only be behind, or ahead: a pass's own writes come first. What still differs a
// moment later, untouched meanwhile, has missed something, and is listed live; of what has moved meanwhile the relay tells again, for
// nobody can say any more. A digest itself proves nothing (R19).
import type { KindFacts } from '../../kinds/kind.ts';
import { factsFor } from '../../kinds/facts.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import { formatKey } from '../../objects/workload.ts';
import type { Ports } from '../../ports/ports.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { digestOf } from '../../wire/digest.ts';
import { encodeTimer } from '../../wire/messages.ts';
import type { ChildrenPart, DoubtMessage, PartsDigest, ViewPart } from '../../wire/observations.ts';
import { askForWorkload } from '../cluster/era.ts';
import { comparableParts, digestText, livingChildren, partsIn, presenceOf } from './children.ts';
import { UNKNOWN_ERA, readView } from './view-access.ts';
import { DOUBT_SECONDS } from '../head/timeouts.ts';
import { wake, wakeByNewFence, type WakePorts } from '../head/wake.ts';

/** Looked at again in a moment. */
export async function doubt({ queue }: Pick<Ports, 'queue'>, messages: readonly DoubtMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await queue.send(
    'timers',
    messages.map((message) => ({
      body: encodeTimer(message),
      groupId: message.doubt.slice(0, message.doubt.indexOf('/')),
      delaySeconds: DOUBT_SECONDS,
    })),
  );
}

/** @param digests as the relay told it, and as the view had it then: what has moved since is no case for a list */
export const doubtOf = (key: WorkloadKey, digests: { told: string; seen: string }): DoubtMessage => ({
  doubt: formatKey(key),
  ...digests,
});

/** A doubt comes back. */
export async function lookAgain(
  ports: Pick<Ports, 'queue' | 'store' | 'clock' | 'clusters' | 'telemetry'>,
  key: WorkloadKey,
  message: DoubtMessage,
): Promise<void> {
  const [record, head] = [await ports.clusters.get(key.cluster), await ports.store.readHead(key)];
  if (!record || !head) return;
  const { part, hole, children } = await readView(ports.store, head, record.era);
  const seen = seenText(factsFor(key.kind), { part, children }, partsIn(message.told));
  if (seen === message.told && !hole) return;
  if (seen === message.seen || hole) await distrust(ports, key);
  else await askForWorkload(ports, key);
}

/** What the view says in the words of a doubt. @param told the parts' digests of the relay: what cannot be compared with them counts as equal */
export const seenText = (
  facts: KindFacts,
  { part, children }: { part: ViewPart; children: readonly ChildrenPart[] },
  told: readonly PartsDigest[],
): string => digestText(viewDigestOf(facts, part, children), comparableParts(children, told));

/** The digest that a relay with the same knowledge sends. */
export function viewDigestOf({ pods }: KindFacts, part: ViewPart, children: readonly ChildrenPart[] = []): string {
  const isOurs = part.owner ? pods.isCountedIn(part.owner.object) : () => true;
  const living = [...part.pods.values()].filter(({ deleted, pod }) => !deleted && isOurs(pod)).map(({ pod }) => pod);
  const owner = part.owner && !part.owner.deleted ? part.owner.object.metadata : undefined;
  return digestOf([
    ...living.map(({ uid, resourceVersion }) => ({ uid, resourceVersion })),
    ...presenceOf(children.flatMap(livingChildren)),
    ...(owner ? [{ uid: owner.uid ?? '', resourceVersion: owner.resourceVersion ?? '' }] : []),
  ]);
}

/**
 * The head counts as missing from now on: the next pass lists the workload live (R1, R19). It may be one that an old copy of the table
 * brought back, whose fence was followed by a wake already: it gets a new one, so that no queue takes the next wake for that (R9).
 */
export async function distrust(ports: WakePorts & Pick<Ports, 'telemetry'>, key: WorkloadKey): Promise<void> {
  ports.telemetry.warn('view differs from the relay', { ...key });
  ports.telemetry.count('ViewMismatches', 1, 'Count', { kind: key.kind });
  try {
    const { fence: replaces } = await ports.store.updateHead(key, {}, { era: UNKNOWN_ERA });
    await wakeByNewFence(ports, key, replaces);
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
    // A pass has opened since, perhaps before it could see this; or the workload is forgotten, and then this does nothing.
    await wake(ports, key);
  }
}
