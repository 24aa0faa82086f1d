// Whose business an object is, read from its metadata alone, so that a metadata-only list can be asked the same.
import { labelledJobName, labelledJobUid } from '../objects/job-labels.ts';
import type { ObjectMeta } from '../objects/kubernetes.ts';
import { controllerOf, isTracked } from '../objects/pod-facts.ts';
import { OBJECT_NAME, UID } from '../wire/names.ts';
import type { OwnerName } from '../wire/observations.ts';

export interface Belonging {
  owner: OwnerName;
  /**
   * `controller`: it names the workload so. `labels`: an orphan that carries the workload's labels. `finalizer`: it names nobody, but
   * without us it could never go.
   */
  by: 'controller' | 'labels' | 'finalizer';
}

/**
 * The workload that a pod reports to: its controller, else what its labels name, when nobody else controls it.
 * @returns undefined for a pod that no workload of ours can own, and where what should name it could not be a name
 */
export function belongingOf(metadata: ObjectMeta): Belonging | undefined {
  const { namespace = '', labels = {} } = metadata;
  const controller = controllerOf(metadata.ownerReferences);
  if (controller?.kind === 'Job' && controller.apiVersion.startsWith('batch/'))
    return named({ kind: 'Job', namespace, name: controller.name, uid: controller.uid }, 'controller');
  // Somebody else's, unless our finalizer is on it: then nobody but us would ever take that off.
  if (controller && !isTracked(metadata)) return undefined;
  const [uid, name] = [labelledJobUid(labels), labelledJobName(labels)];
  const labelled = uid === undefined || name === undefined ? undefined : named({ kind: 'Job', namespace, name, uid }, 'labels');
  return labelled ?? (controller ? undefined : orphanOf(metadata));
}

/** A pod with our finalizer that nobody owns is a workload of its own. */
export const orphanOf = (metadata: ObjectMeta): Belonging | undefined =>
  isTracked(metadata) && controllerOf(metadata.ownerReferences) === undefined
    ? named({ kind: 'OrphanPod', namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' }, 'finalizer')
    : undefined;

function named(owner: OwnerName, by: Belonging['by']): Belonging | undefined {
  return OBJECT_NAME.test(owner.name) && OBJECT_NAME.test(owner.namespace) && UID.test(owner.uid) ? { owner, by } : undefined;
}
