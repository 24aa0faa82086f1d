// Once a minute, whether or not there is work on it: is a cluster still there, and does it let Farloop in? A pass would notice when it acts,
// which on an idle cluster is too late for whoever changed a credential. A relayed one is asked by way of its relay, as passes ask it: what
// keeps that relay from its queue, from sending or from its API server keeps the answer back.
//
// The look asks for one owner of a managed kind that is not there, as the passes' account and by their own way: an API server answers 401 to a
// wrong credential before it looks for anything, 403 to one without rights, and 404, about that very object, to the right one. It reads one key
// and sends no object.
// `/version` proves less: it is open to anybody, and answered by what stands before an API server too.
import { managedKinds } from '../../kinds/settings.ts';
import type { Deadline } from '../../ports/clock.ts';
import { deadlineIn, hasPassed } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { NotDoneError, NotFoundError, TerminalError, ThrottledError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { readMarker } from './heartbeats.ts';
import type { Reachability } from './reachability.ts';
import { resendPutOff } from '../head/resend.ts';

/** No object is expected to bear it; one that does is as good an answer. */
const NAME = 'farloop-look';

/** Longer than a request lives: what ends by then is the cluster's answer or its silence, not that of whatever held the request up (R17). */
const ASK_MS = 11_000;

/** From its very beginning, as a pass's: one that stood still for longer asks nothing any more, the next sweep has another one begun. */
const LOOK_MS = 20_000;

export interface LookSetup {
  ports: Ports;
  reachability: Reachability;
}

type Seen = { answer: 'in' | 'none' } | { answer: 'silent' | 'forbidden'; error: Error };

/**
 * One look: what is found is told as passes tell it (R14), at once and as long as it lasts. A cluster that has answered costs no write.
 * @throws what store and queue throw
 */
export async function lookAtCluster({ ports, reachability }: LookSetup, name: string): Promise<void> {
  const end = deadlineIn(ports.clock, LOOK_MS);
  const record = await ports.clusters.get(name);
  // Nothing is done on one that is being removed.
  if (!record || record.leaving) return;
  // Its relay may not have been started yet; one that never is has an alarm of its own.
  if (record.access === 'relayed' && !(await readMarker(ports, name))) return;
  const down = await reachability.takeLook(record);
  if (down === 'probed') return;
  const resource = managedKinds(record.manages).find(({ isOwnerless }) => !isOwnerless)?.resource;
  if (!resource) return;
  const place = { cluster: name, namespace: record.namespaces[0] ?? 'default' };
  let cluster: Cluster;
  try {
    cluster = ports.connect(record);
  } catch (error) {
    ports.telemetry.warn('no way to a cluster', { cluster: name, error });
    // It is being registered, step by step, as long as its relay has not said a word.
    if (await readMarker(ports, name)) await reachability.sawSilence(place, errorIn(error));
    return;
  }
  const ask = async (): Promise<Seen> => {
    const deadline = deadlineIn(ports.clock, ASK_MS);
    if (hasPassed(end, ports.clock)) return { answer: 'none' };
    try {
      await cluster.get(resource, { namespace: place.namespace, name: NAME }, earlierOf(end, deadline));
      return { answer: 'in' };
    } catch (error) {
      if (error instanceof NotFoundError) return { answer: 'in' };
      // It waits for nobody's rights: it is let in, and has too much to do.
      if (error instanceof ThrottledError || (error instanceof NotDoneError && hasPassed(deadline, ports.clock))) return { answer: 'none' };
      const isForbidden = error instanceof TerminalError && error.code === 403;
      return { answer: isForbidden ? 'forbidden' : 'silent', error: errorIn(error) };
    }
  };
  ports.forgetCredential?.(name);
  const askedAtMs = ports.clock.nowMs();
  let seen = await ask();
  // One connection that broke silences no cluster.
  if (seen.answer === 'silent' && down === 'up') seen = await ask();
  if (seen.answer === 'silent') await reachability.sawSilence(place, seen.error);
  else if (seen.answer === 'forbidden') await reachability.lookForbidden(place, seen.error.message);
  else if (seen.answer === 'in' && (await reachability.lookAnswered(place, askedAtMs))) await resendPutOff(ports, name);
}

const errorIn = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const earlierOf = (one: Deadline, other: Deadline): Deadline => ({
  wallMs: Math.min(one.wallMs, other.wallMs),
  monotonicMs: Math.min(one.monotonicMs, other.monotonicMs),
});
