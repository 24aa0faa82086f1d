// Removes a resource while the server runs: its objects go first, then its watches end.
import { storageName } from '../rows/resources.ts';
import type { Cluster } from '../verbs/writing.ts';

/** To be called before anything watches: listeners of the resources are called in order. @returns the way to stop it */
export function forgetRemovedResources({ storage, resources }: Cluster): () => void {
  return resources.onChange((change) => {
    if ('added' in change) return;
    const { removed } = change;
    if (removed.defined) return; // its definition says when objects go: versions that are not served keep theirs
    if (resources.storedAs(storageName(removed))) return; // another row shows the same objects
    for (const { key } of storage.list(storageName(removed))) storage.remove(storageName(removed), key);
    storage.commit();
  });
}
