// A view that differs from the relay's digest may only be behind, or ahead because of a pass's own writes. If the same mismatch stands
// seconds later and the view has not changed meanwhile, the view has missed something: the workload is listed live. If the view has changed
// meanwhile, nothing can be concluded, so the relay is asked to report the workload again. A digest itself proves nothing (R19).
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { factsFor } from '../../kinds/facts.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import { formatKey } from '../../objects/workload.ts';
import type { Ports } from '../../ports/ports.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { digestOf } from '../../wire/words/digest.ts';
import { encodeTimer } from '../../wire/messages.ts';
import type { ChildrenPart, DigestMismatchMessage, PartsDigest, ViewPart } from '../../wire/words/observations.ts';
import { askForWorkload } from './era.ts';
import { comparableParts, digestText, partsIn } from '../view/parts-digest.ts';
import { livingIn } from '../view/view.ts';
import { presenceOf } from '../../objects/child-state.ts';
import { UNKNOWN_ERA } from '../view/floors.ts';
import { readView } from '../view/view-access.ts';
import { DIGEST_MISMATCH_SECONDS } from '../head/timeouts.ts';
import { wake, wakeByNewFence, type WakePorts } from '../head/wake.ts';

/** Has the mismatches looked at again a few seconds later. */
export async function sendMismatches({ queue }: Pick<Ports, 'queue'>, messages: readonly DigestMismatchMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await queue.send(
    'timers',
    messages.map((message) => ({
      body: encodeTimer(message),
      groupId: message.doubt.slice(0, message.doubt.indexOf('/')),
      delaySeconds: DIGEST_MISMATCH_SECONDS,
    })),
  );
}

/** @param digests the relay's, and the view's at that time: if the view has changed since, a list is not justified */
export const mismatchOf = (key: WorkloadKey, digests: { told: string; seen: string }): DigestMismatchMessage => ({
  doubt: formatKey(key),
  ...digests,
});

/** The second look at a digest mismatch. */
export async function lookAgain(
  ports: Pick<Ports, 'queue' | 'store' | 'clock' | 'clusters' | 'telemetry'>,
  key: WorkloadKey,
  message: DigestMismatchMessage,
): Promise<void> {
  const [record, head] = [await ports.clusters.get(key.cluster), await ports.store.readHead(key)];
  if (!record || !head) return;
  const { part, hasMissingItem, children } = await readView(ports.store, head, record.era);
  const seen = seenText(factsFor(key.kind), { part, children }, partsIn(message.told));
  if (seen === message.told && !hasMissingItem) return;
  if (seen === message.seen || hasMissingItem) await invalidate(ports, key);
  else await askForWorkload(ports, key);
}

/**
 * The view in the text of a digest mismatch. @param told the relay's digests of parts; those that cannot be compared with the view count as
 * equal
 */
export const seenText = (
  facts: KindFacts,
  { part, children }: { part: ViewPart; children: readonly ChildrenPart[] },
  told: readonly PartsDigest[],
): string => digestText(viewDigestOf(facts, part, children), comparableParts(children, told));

/** The digest that a relay with the same observations sends. */
export function viewDigestOf({ pods }: KindFacts, part: ViewPart, children: readonly ChildrenPart[] = []): string {
  const isOurs = part.owner && pods ? pods.isCountedIn(part.owner.object) : () => true;
  const living = [...livingIn(part)].filter(isOurs);
  const owner = part.owner && !part.owner.deleted ? part.owner.object.metadata : undefined;
  return digestOf([
    ...living.map(({ uid, resourceVersion }) => ({ uid, resourceVersion })),
    ...presenceOf(children.flatMap((each) => [...livingIn(each)])),
    ...(owner ? [{ uid: owner.uid ?? '', resourceVersion: owner.resourceVersion ?? '' }] : []),
  ]);
}

/**
 * Invalidates the head: it counts as missing, so the next pass lists the workload live (R1, R19). An old copy of the table may have brought
 * this head back, with a fence that a wake has followed already. A new fence keeps the queue from dropping the next wake as a duplicate of
 * that one (R9).
 */
export async function invalidate(ports: WakePorts & Pick<Ports, 'telemetry'>, key: WorkloadKey): Promise<void> {
  ports.telemetry.warn('view differs from the relay', { ...key });
  ports.telemetry.count('ViewMismatches', 1, 'Count', { kind: key.kind });
  try {
    const { fence: replaces } = await ports.store.updateHead(key, {}, { era: UNKNOWN_ERA });
    await wakeByNewFence(ports, key, replaces);
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
    // A pass has acquired the head since, perhaps before it could see this mark. Or the workload was forgotten; then this wake does
    // nothing.
    await wake(ports, key);
  }
}
