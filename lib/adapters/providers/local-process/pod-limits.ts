// Pods that cannot run as processes of this machine, by the field that asks for more.
import type { Container, Pod } from '../../../objects/kubernetes.ts';
import { fieldsOf, listOf, numberOf, textOf, type Fields } from '../../../objects/values/untyped-fields.ts';
import type { Limits } from '../../../ports/provider.ts';
import type { Isolation } from './machine/place.ts';
import { absoluteMountsOf } from './folder/volumes.ts';

const VOLUMES = ['emptyDir', 'configMap', 'secret', 'downwardAPI', 'projected'];
const CONTAINER_LISTS = ['initContainers', 'containers'] as const;
const NO_WALL = 'its processes run as the user who runs Farloop';

export const LIMITS: Limits = {
  cannot: [
    { field: 'spec.hostNetwork', why: 'a local process has an address of its own on this machine; leave it out' },
    { field: 'spec.hostPID', why: 'the pod has no process ids of its own, nor those of a host; leave it out' },
    { field: 'spec.hostIPC', why: 'the pod is given no memory of a host; leave it out' },
    { field: 'spec.volumes.*.hostPath', why: 'the node gives no paths of the machine to pods; use emptyDir, configMap or secret' },
    { field: 'spec.volumes.*.persistentVolumeClaim', why: 'nothing is mounted from a storage of the cluster; use emptyDir' },
    ...CONTAINER_LISTS.flatMap((list) => [
      { field: `spec.${list}.*.securityContext.privileged`, why: `${NO_WALL}, and have no more rights` },
      { field: `spec.${list}.*.securityContext.capabilities.add`, why: `${NO_WALL}, and have no more rights` },
      { field: `spec.${list}.*.volumeDevices`, why: 'the node has no block devices for pods' },
      ...['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => ({
        field: `spec.${list}.*.${probe}.grpc`,
        why: 'it makes no gRPC probes; use httpGet, tcpSocket or exec',
      })),
    ]),
  ],
};

export interface Machine {
  isolation: Isolation;
  images: ReadonlyMap<string, readonly string[]>;
  /** An engine runs its containers: they have images and users of their own. */
  hasEngine?: boolean;
  /** Of the user who runs Farloop. */
  user: number | undefined;
  /** Absent: all. */
  allowedNamespaces?: ReadonlySet<string>;
}

/** Limits that a list of fields cannot say. @returns field and reason, undefined if the pod can run */
export function problemOfPod(pod: Pod, { isolation, images, hasEngine = false, user, allowedNamespaces }: Machine): string | undefined {
  const { namespace = '' } = pod.metadata;
  if (allowedNamespaces?.has(namespace) === false)
    return `metadata.namespace: pods of ${namespace} do not run here, as farloop up was given no --allow-namespace ${namespace}`;
  for (const list of CONTAINER_LISTS)
    for (const [at, container] of (pod.spec[list] ?? []).entries()) {
      const path = `spec.${list}[${at}]`;
      if (hasEngine) continue;
      if (commandOf(container, images).length === 0)
        return `${path}.command: the node has no images: give the command, or map the image to one (--image ${container.image ?? 'NAME'}=COMMAND)`;
      const problem = userProblem(fieldsOf(container['securityContext']), `${path}.securityContext`, user);
      if (problem !== undefined) return problem;
    }
  const problem = hasEngine ? undefined : userProblem(fieldsOf(pod.spec['securityContext']), 'spec.securityContext', user);
  if (problem !== undefined) return problem;
  for (const [at, volume] of listOf(pod.spec['volumes']).entries()) {
    const kind = Object.keys(volume).find((key) => key !== 'name' && !VOLUMES.includes(key));
    if (kind !== undefined) return `spec.volumes[${at}].${kind}: the node cannot make such a volume; it has ${VOLUMES.join(', ')}`;
    if (['', '.', '..'].includes(textOf(volume['name']))) return `spec.volumes[${at}].name: it cannot be the name of a folder`;
  }
  const [mount] = isolation === 'none' && !hasEngine ? absoluteMountsOf(pod) : [];
  if (mount !== undefined)
    return `${mount}: this system gives the user of Farloop no mount namespace, so only relative paths can be mounted: those lie in the pod's home ($HOME)`;
  return undefined;
}

function userProblem(context: Fields, path: string, user: number | undefined): string | undefined {
  const wanted = numberOf(context['runAsUser']);
  if (wanted !== undefined && wanted !== user) return `${path}.runAsUser: ${NO_WALL} (uid ${user ?? '?'}), and not as ${wanted}`;
  if (context['runAsNonRoot'] === true && user === 0) return `${path}.runAsNonRoot: ${NO_WALL}, which is root`;
  return undefined;
}

/** Of the container, or of what its image is mapped to. */
export function commandOf({ command = [], args = [], image = '' }: Container, images: ReadonlyMap<string, readonly string[]>): string[] {
  const words = command.length > 0 ? command : images.get(image);
  return words === undefined ? [] : [...words, ...args];
}
