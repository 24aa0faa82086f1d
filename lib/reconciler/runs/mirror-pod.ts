// A mirror pod: the copy by which an API server shows a pod that it does not own (spec section 7).
import type { KubernetesObject, Pod } from '../../objects/kubernetes.ts';
import { CONFIG_HASH, CONFIG_MIRROR, CONFIG_SOURCE } from '../../objects/pods/config-annotations.ts';
import { listOf } from '../../objects/values/untyped-fields.ts';

/** The uid of the pod that it shows. Its own is another one. */
export const hashOf = ({ metadata: { annotations = {} } }: Pod): string | undefined => annotations[CONFIG_MIRROR];

/** As static pods are called: the node's name tells it from a pod of the cluster. */
export const mirrorNameOf = (pod: Pod): string => `${pod.metadata.name}-${pod.spec.nodeName}`;

export function mirrorOf(pod: Pod, node: KubernetesObject): Pod {
  const { namespace = '', uid = '', labels, annotations = {} } = pod.metadata;
  // An API server refuses a mirror pod that names an account, or a priority without its class.
  const { serviceAccountName: _account, serviceAccount: _former, priority, tolerations, ...spec } = pod.spec;
  const { name = '', uid: nodeUid = '' } = node.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: mirrorNameOf(pod),
      namespace,
      ...(labels && { labels }),
      annotations: { ...annotations, [CONFIG_SOURCE]: 'file', [CONFIG_HASH]: uid, [CONFIG_MIRROR]: uid },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid: nodeUid, controller: true }],
    },
    spec: {
      ...spec,
      containers: pod.spec.containers,
      ...(spec['priorityClassName'] !== undefined && priority !== undefined && { priority }),
      tolerations: [...listOf(tolerations), { operator: 'Exists', effect: 'NoExecute' }],
    },
  };
}
