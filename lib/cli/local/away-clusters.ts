// Of several clusters of a local instance, those that do not answer: the others are worked on, and these as soon as they answer.
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { LocalRuntime } from '../../runtime.ts';
import type { Registration } from './register-cluster.ts';
import { identityOf, isAway, registerAway, registerCluster } from './register-cluster.ts';

/**
 * Registers each cluster that answers. Of the others it notes why in `away`, and registers what is known.
 * @returns one record at least
 * @throws where none answers: the first one's error; FailedError for one that is not the cluster it was
 */
export async function registerAll(
  { ports, sourceOf }: Pick<LocalRuntime, 'ports' | 'sourceOf'>,
  registrations: readonly Registration[],
  away: Map<string, Error>,
): Promise<[ClusterRecord, ...ClusterRecord[]]> {
  const connect = ({ name }: Pick<ClusterRecord, 'name'>): ReturnType<typeof sourceOf> => sourceOf(name);
  // At once: one that hangs takes all its time.
  const identities = await Promise.allSettled(
    registrations.map(async (registration) => await identityOf({ clock: ports.clock, connect }, registration)),
  );
  const records: ClusterRecord[] = [];
  for (const [at, registration] of registrations.entries()) {
    const identity = identities[at];
    if (identity?.status === 'fulfilled') records.push(await registerCluster(ports, registration, identity.value));
    else if (isAway(identity?.reason)) away.set(registration.name, identity.reason);
    else throw identity?.reason;
  }
  const [first, ...others] = records;
  if (!first) throw [...away.values()][0] ?? new Error('there is no cluster to work on');
  for (const registration of registrations) if (away.has(registration.name)) await registerAway(ports, registration);
  return [first, ...others];
}

const FIRST_AGAIN_MS = 2_000;
const MOST_AGAIN_MS = 30_000;

/** Asks each that is away again and again until it answers. @returns ends that; nothing is started from then on */
export function takeUpLater({
  runtime: { ports, sourceOf },
  registrations,
  away,
  onNotice = () => {},
  start,
}: {
  runtime: Pick<LocalRuntime, 'ports' | 'sourceOf'>;
  registrations: readonly Registration[];
  away: Map<string, Error>;
  onNotice: ((sentence: string) => void) | undefined;
  start: (record: ClusterRecord) => void;
}): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const connect = ({ name }: Pick<ClusterRecord, 'name'>): ReturnType<typeof sourceOf> => sourceOf(name);
  const takeUp = async (registration: Registration): Promise<void> => {
    const { name } = registration;
    let said = away.get(name)?.message;
    onNotice(`${name} is left out for now: ${said}; it is asked again, and the other clusters are worked on`);
    for (let waitMs = FIRST_AGAIN_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, MOST_AGAIN_MS)) {
      await ports.clock.wait(waitMs, signal);
      if (signal.aborted) return;
      try {
        const identity = await identityOf({ clock: ports.clock, connect }, registration);
        if (signal.aborted) return;
        const record = await registerCluster(ports, registration, identity);
        away.delete(name);
        start(record);
        return onNotice(`${name} answers now, and is worked on`);
      } catch (error) {
        const reason = error instanceof Error ? error : new Error(String(error));
        away.set(name, reason);
        if (reason.message !== said) onNotice(`${name} is still left out: ${reason.message}`);
        said = reason.message;
      }
    }
  };
  for (const registration of registrations) void takeUp(registration);
  // One that hangs is not waited for.
  return () => ending.abort();
}
