// A watch that goes on: an API server ends that of a client which reads too slowly, as on a busy machine, and what came later would never
// be seen.
import { ExpiredError } from '../../../lib/ports/errors.ts';
import type { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import type { Resource } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import type { WatchEvent } from '../../../lib/ports/cluster.ts';

const SELECTION = { namespace: 'default' };
const clock = new SystemClock();

/**
 * Calls back for each event after now, until the signal fires. Where the server has forgotten the version at which a watch ended, each
 * object is listed as MODIFIED: when it was made is not known then.
 * @returns once the version is known after which everything is seen; `over` rejects when the watch cannot go on
 */
export async function follow(
  cluster: Pick<KubernetesCluster, 'list' | 'watch'>,
  resource: Resource,
  signal: AbortSignal,
  seen: (event: Exclude<WatchEvent<KubernetesObject>, { type: 'BOOKMARK' }>) => void,
): Promise<{ over: Promise<void> }> {
  const first = await cluster.list(resource, SELECTION, deadlineIn(clock, 10_000));
  let resourceVersion = first.resourceVersion;
  const watchOnce = async (): Promise<void> => {
    for await (const event of cluster.watch(resource, { ...SELECTION, resourceVersion, timeoutSeconds: 3_600 }, signal)) {
      resourceVersion = event.type === 'BOOKMARK' ? event.resourceVersion : (event.object.metadata.resourceVersion ?? resourceVersion);
      if (event.type !== 'BOOKMARK') seen(event);
    }
  };
  const listAnew = async (): Promise<void> => {
    const list = await cluster.list(resource, SELECTION, deadlineIn(clock, 10_000));
    for (const object of list.items) seen({ type: 'MODIFIED', object });
    resourceVersion = list.resourceVersion;
  };
  const goOn = async (): Promise<void> => {
    while (!signal.aborted)
      try {
        await watchOnce();
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ExpiredError)) throw error;
        await listAnew();
      }
  };
  return { over: goOn() };
}
