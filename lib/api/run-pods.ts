// The pods of a request for a run, by an API server's rules. They are loaded only where a run is begun.
import { checkTogether, podDocument, podToAdmit, type SourcedPod } from '../kinds/run-once/given-pods.ts';
import { withoutUid } from '../kinds/run-once/new-run.ts';
import { objectsIn, UnusableManifestError } from '../kinds/rows/manifest-documents.ts';
import type { Node, Pod } from '../objects/kubernetes.ts';
import { RunRefusedError } from '../ports/runs.ts';
import { environmentOf } from '../reconciler/runs/provider-answers.ts';

/** @throws RunRefusedError */
export function podsIn(manifest: readonly object[], { node, isOfCluster }: { node: Node; isOfCluster: boolean }): Pod[] {
  try {
    const documents = manifest.map((document, at) => ({ document, source: `manifest[${at}]` }));
    const pods: SourcedPod[] = [...objectsIn(documents)].map(({ object, source }) =>
      readPod(() => podToAdmit(podDocument(object, at(source)), at(source)), source),
    );
    checkTogether(pods, 'manifest');
    for (const { pod, placeOf } of pods) {
      const resolution = environmentOf(pod, { node });
      if ('problem' in resolution)
        throw new UnusableManifestError(`${placeOf('spec')}: ${resolution.problem}: a run has no API server that could give it`);
    }
    return pods.map(({ pod }) => (isOfCluster ? withoutUid(pod) : pod));
  } catch (error) {
    if (error instanceof UnusableManifestError) throw new RunRefusedError(400, error.message, { cause: error });
    throw error;
  }
}

const at = (source: string) => (): string => source;

/** A field of another type than it has in Kubernetes is met by code that knows the type alone. */
function readPod(read: () => SourcedPod, source: string): SourcedPod {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UnusableManifestError(`${source}: a field has another type than in a Pod of v1`, { cause: error });
  }
}
