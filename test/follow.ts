// Listens to a cluster as a relay does, on a connection of its own, for tests that tell what happened there from what is left of it.
import type { KubernetesObject } from '../lib/objects/kubernetes.ts';
import type { Resource } from '../lib/objects/resources.ts';
import type { ClusterSource } from '../lib/ports/cluster.ts';

export type Heard = (object: KubernetesObject, type: 'ADDED' | 'MODIFIED' | 'DELETED') => void;

/** Tells of the objects of a namespace that there are, then of each change, until the signal fires. */
export async function follow(
  source: ClusterSource,
  { resource, namespace }: { resource: Resource; namespace: string },
  heard: Heard,
  signal: AbortSignal,
): Promise<void> {
  const list = await source.listPage(resource, { namespace, limit: 0 }, signal);
  for (const item of list.items) heard(item, 'ADDED');
  let { resourceVersion } = list;
  while (!signal.aborted)
    for await (const event of source.watch(resource, { namespace, resourceVersion, timeoutSeconds: 300 }, signal))
      if (event.type === 'BOOKMARK') ({ resourceVersion } = event);
      else {
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        heard(event.object, event.type);
      }
}
