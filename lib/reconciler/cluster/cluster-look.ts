// Once a minute, with or without work: is a cluster still reachable, and does it accept Farloop's credentials? A pass would notice when it
// acts. On an idle cluster that is too late for the person who changed a credential. A relayed cluster is asked through its relay, as
// passes ask it. If the relay cannot reach its queue, its API server or the way back, there is no answer.
//
// The look asks for one owner of a managed kind that does not exist, with the account and the way of passes. An API server answers 401 to a
// wrong credential before it looks for anything, 403 to one without rights, and 404, about that very object, to the right one. It reads one
// key and sends no object. Where that kind is not installed the look asks for such a pod. `/version` proves less: it is open to anyone, and a proxy in front of an API server may answer it too.
import { managedKinds } from '../../kinds/settings.ts';
import { PODS } from '../../objects/resources.ts';
import type { Deadline } from '../../ports/clock.ts';
import { deadlineIn, hasPassed } from '../../ports/clock.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { NotDoneError, NotFoundError, TerminalError, ThrottledError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { readMarker } from './heartbeats.ts';
import type { Reachability } from './reachability.ts';
import { resendPutOff } from './resend.ts';

/** No object should have this name. If one does, it is as good an answer. */
const NAME = 'farloop-look';

/** Longer than a request lives. So the cluster's answer or its silence ends the request, not some other delay on the way (R17). */
const ASK_MS = 11_000;

/**
 * From the very beginning of the look, as for a pass. A look that stood still for longer asks nothing any more; the next sweep starts
 * another.
 */
const LOOK_MS = 20_000;

export interface LookSetup {
  ports: Ports;
  reachability: Reachability;
}

type Seen = { answer: 'in' | 'none' } | { answer: 'silent' | 'forbidden'; error: Error };

/**
 * One look. It reports its findings as passes do (R14), at once and for as long as they last. A cluster that has answered costs no write.
 * @throws errors of store and queue
 */
export async function lookAtCluster({ ports, reachability }: LookSetup, name: string): Promise<void> {
  const end = deadlineIn(ports.clock, LOOK_MS);
  const record = await ports.clusters.get(name);
  // The cluster is being removed. Do nothing on it.
  if (!record || record.leaving) return;
  // Its relay may not have been started yet. A relay that never starts has its own alarm.
  if (record.access === 'relayed' && !(await readMarker(ports, name))) return;
  const down = await reachability.takeLook(record);
  if (down === 'probed') return;
  const resource = managedKinds(record.manages).find(({ isOwnerless }) => !isOwnerless)?.resource;
  if (!resource) return;
  const about = { resource };
  const place = { cluster: name, namespace: record.namespaces[0] ?? 'default' };
  let cluster: Cluster;
  try {
    cluster = ports.connect(record);
  } catch (error) {
    ports.telemetry.warn('no way to a cluster', { cluster: name, error });
    // Until its relay has sent its first heartbeat, the cluster is still being registered step by step.
    if (await readMarker(ports, name)) await reachability.sawSilence(place, errorIn(error));
    return;
  }
  const ask = async (): Promise<Seen> => {
    const { resource: asked } = about;
    const deadline = deadlineIn(ports.clock, ASK_MS);
    if (hasPassed(end, ports.clock)) return { answer: 'none' };
    try {
      await cluster.get(asked, { namespace: place.namespace, name: NAME }, earlierOf(end, deadline));
      return { answer: 'in' };
    } catch (error) {
      if (error instanceof NotFoundError) return { answer: 'in' };
      // Not every kind that is managed has to be installed. Pods are everywhere.
      if (asked !== PODS && error instanceof TerminalError && error.code === 404) {
        about.resource = PODS;
        return await ask();
      }
      // Not a matter of rights: the API server accepts the credentials, and is overloaded.
      if (error instanceof ThrottledError || (error instanceof NotDoneError && hasPassed(deadline, ports.clock))) return { answer: 'none' };
      const isForbidden = error instanceof TerminalError && error.code === 403;
      return { answer: isForbidden ? 'forbidden' : 'silent', error: errorIn(error) };
    }
  };
  ports.forgetCredential?.(name);
  const askedAtMs = ports.clock.nowMs();
  let seen = await ask();
  // One broken connection does not make a cluster silent.
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
