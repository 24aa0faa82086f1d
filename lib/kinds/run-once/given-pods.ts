// The pods of a request, as an API server would store them. A document that it would refuse is refused, and nothing is started.
import { withPodDefaults } from '../../admission/pod/pod-defaults.ts';
import { validatePod } from '../../admission/pod/pod-validation.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import { fieldsOf, type Fields } from '../../objects/values/untyped-fields.ts';
import { UnusableManifestError, type ManifestObject } from '../rows/manifest-documents.ts';
import { MOST_PODS } from './options.ts';

export interface SourcedPod {
  pod: Pod;
  /** The place of a field, such as `pods.yaml:12`. */
  placeOf: (path: string) => string;
}

/** Fields that a server writes. In a pod as `kubectl get -o yaml` prints it they say nothing about a new one. */
const SERVERS_FIELDS = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
]);

/** @throws UnusableManifestError it is no Pod of v1 */
export function podDocument({ status: _status, ...object }: ManifestObject, placeOf: SourcedPod['placeOf']): Fields {
  const { apiVersion, kind } = object;
  if (kind !== 'Pod')
    throw new UnusableManifestError(`${placeOf('kind')}: kind: a run takes pods alone: expected Pod, PodList or List, found ${kind}`);
  if (apiVersion !== 'v1') throw new UnusableManifestError(`${placeOf('apiVersion')}: apiVersion: Pod is of v1, not of ${apiVersion}`);
  const given = fieldsOf(object['metadata']);
  // A server has written all of it: the uid is that of a pod of its own.
  const isPrinted = given['resourceVersion'] !== undefined;
  const metadata = Object.entries(given).filter(([field]) => !SERVERS_FIELDS.has(field) && !(isPrinted && field === 'uid'));
  return { ...object, metadata: Object.fromEntries(metadata) };
}

/** @param document whose fields have the types that the API server knows. @throws UnusableManifestError */
export function podToAdmit(document: Fields, placeOf: SourcedPod['placeOf']): SourcedPod {
  const given = { ...document, spec: fieldsOf(document['spec']) } as unknown as Pod;
  const { metadata } = given;
  const { status: _status, ...pod } = withPodDefaults({ ...given, metadata: { ...metadata, namespace: metadata?.namespace || 'default' } });
  const [problem] = validatePod(pod);
  if (problem) throw new UnusableManifestError(`${placeOf(problem.field)}: ${problem.field}: ${problem.message}`);
  // A run has nobody who would choose the rest of a name.
  if (!pod.metadata.name)
    throw new UnusableManifestError(`${placeOf('metadata')}: metadata.name: expected the name of the pod, found nothing`);
  return { pod, placeOf };
}

/** @throws UnusableManifestError too many, or one of them twice */
export function checkTogether(pods: readonly SourcedPod[], source: string): void {
  if (pods.length > MOST_PODS)
    throw new UnusableManifestError(
      `${source}: expected at most ${MOST_PODS} pods in one run, found ${pods.length}: split it into several runs`,
    );
  for (const [field, keyOf] of [
    ['metadata.name', ({ pod: { metadata } }: SourcedPod) => `${metadata.namespace}/${metadata.name}`],
    ['metadata.uid', ({ pod: { metadata } }: SourcedPod) => metadata.uid],
  ] as const) {
    const places = new Map<string, string>();
    for (const sourced of pods) {
      const key = keyOf(sourced);
      if (!key) continue;
      const first = places.get(key);
      const place = sourced.placeOf(field);
      if (first !== undefined) throw new UnusableManifestError(`${place}: ${field}: expected each pod once, found ${key} as in ${first}`);
      places.set(key, place);
    }
  }
}
