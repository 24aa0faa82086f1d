// A pod that is bound to a virtual node: its owner is the pod itself. What a message and a view hold of it names no environment, command or volume.
import { createHash } from 'node:crypto';
import { canonicalText } from '../../objects/child-state.ts';
import type { ObjectMeta, Pod, PodStatus, WorkloadObject } from '../../objects/kubernetes.ts';
import { hasEnded } from '../../objects/placement/schedulable.ts';
import { CONFIG_MIRROR } from '../../objects/pods/config-annotations.ts';
import { CONFIG_MAPS, NODES, PODS, SECRETS, SERVICE_ACCOUNTS, SERVICES } from '../../objects/resources.ts';
import { flag, int64, list, object, optional, text, textLike, time } from '../../objects/values/fact-checks.ts';
import { defineFacts } from '../rows/define-facts.ts';
import type { KindSettings } from '../rows/kind.ts';
import { ownerCheck, present } from '../rows/owner-facts.ts';
import { NODE_OPTIONS, nodeOptions, VIRTUAL_NODES, virtualNodesIn } from './node-options.ts';
import { preemptionOrdering } from './ordering.ts';

export const VIRTUAL_POD = 'VirtualPod';

interface NamedContainer {
  name: string;
  image?: string;
}

/** The pod as far as its passes know it without a live read. */
export interface VirtualPod extends WorkloadObject {
  metadata: ObjectMeta & { name: string; namespace: string; uid: string };
  spec: {
    nodeName: string;
    restartPolicy?: string;
    terminationGracePeriodSeconds?: number;
    activeDeadlineSeconds?: number;
    containers: NamedContainer[];
    initContainers?: NamedContainer[];
    /** Of all that a provider must hear of when it changes (spec section 6.1). */
    digest: string;
  };
  status?: PodStatus;
}

const namesOn = ({ options }: KindSettings): string[] => virtualNodesIn(options).map(({ name }) => name);

const METADATA = { '*': true, managedFields: false } as const;
/** No environment leaves the API server for a view: a start reads the pod live. */
const CONTAINERS = { '*': true, env: false, envFrom: false, command: false, args: false } as const;

export const virtualPodFacts = defineFacts<VirtualPod>({
  kind: VIRTUAL_POD,
  resource: PODS,
  shortNames: ['vpo', 'po'],
  component: 'pod-controller',
  componentOf: ({ spec }) => `${spec.nodeName}/pod-controller`,
  settings: [VIRTUAL_NODES],
  options: [...nodeOptions, preemptionOrdering],
  ownersOn: ({ options }) => virtualNodesIn(options).map(({ name }) => ({ fieldSelector: `spec.nodeName=${name}` })),
  furtherRights: [
    // A pass asks which Node has the name.
    { resource: NODES, verbs: ['get'], namesOn },
    // Objects that an environment names are read when a task is to start.
    { resource: CONFIG_MAPS, verbs: ['get'] },
    { resource: SECRETS, verbs: ['get'] },
    { resource: SERVICES, verbs: ['get', 'list'] },
    // Of every account of the namespaces, so only where it was asked for.
    {
      resource: SERVICE_ACCOUNTS,
      subresource: 'token',
      verbs: ['create'],
      isUsed: ({ options }) => options?.[NODE_OPTIONS.tokens] !== undefined,
    },
  ],
  hasNoPods: true,
  hasOtherWriters: true,
  hasTasks: true,
  fields: {
    apiVersion: true,
    kind: true,
    metadata: METADATA,
    spec: { '*': true, containers: CONTAINERS, initContainers: CONTAINERS, ephemeralContainers: CONTAINERS },
    status: true,
  },
  factsOf,
  faultOf: ownerCheck({
    spec: object({
      nodeName: text,
      restartPolicy: optional(text),
      terminationGracePeriodSeconds: optional(int64),
      activeDeadlineSeconds: optional(int64),
      containers: list(object({ name: text, image: optional(text) })),
      initContainers: optional(list(object({ name: text, image: optional(text) }))),
      digest: textLike(/^[\w-]{22}$/, 'a digest'),
    }),
    status: object({
      phase: optional(text),
      startTime: optional(time),
      conditions: optional(list(object({ type: text, status: text }))),
      containerStatuses: optional(list(object({ name: text, ready: optional(flag) }))),
    }),
  }),
  isReadLive: () => false,
  isManaged: () => true,
  managerOf: () => undefined,
  hasStarted: ({ status }) => status?.startTime !== undefined || (status?.containerStatuses ?? []).length > 0,
  isFinished: (owner) => hasEnded(owner),
  // A deletion, a shorter grace and a change that the provider must hear of are looked at at once; a status is usually our own.
  urgencyOfOwner: ({ metadata, status }) =>
    metadata.deletionTimestamp !== undefined || (status?.containerStatuses ?? []).length === 0 ? 'now' : 'soon',
});

/** Of a pod from the API server, or of these facts. */
function factsOf(pod: VirtualPod): VirtualPod {
  const { metadata, spec, status } = pod;
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  const { finalizers, annotations: { [CONFIG_MIRROR]: mirror } = {} } = metadata;
  const identity = { name, namespace, uid, resourceVersion, generation, creationTimestamp };
  const {
    nodeName,
    restartPolicy,
    terminationGracePeriodSeconds,
    activeDeadlineSeconds,
    containers = [],
    initContainers,
  } = spec as Partial<VirtualPod['spec']>;
  return {
    metadata: present({
      ...identity,
      deletionTimestamp,
      deletionGracePeriodSeconds,
      finalizers,
      ...(mirror !== undefined && { annotations: { [CONFIG_MIRROR]: mirror } }),
    }) as VirtualPod['metadata'],
    spec: {
      nodeName: nodeName ?? '',
      ...present({ restartPolicy, terminationGracePeriodSeconds, activeDeadlineSeconds }),
      containers: containers.map(namedOf),
      ...(initContainers && initContainers.length > 0 && { initContainers: initContainers.map(namedOf) }),
      digest: digestOf(pod),
    },
    ...(status && { status }),
  };
}

const namedOf = ({ name, image }: NamedContainer): NamedContainer => ({ name, ...(image !== undefined && { image }) });

/** Digest of all that may change on a running pod (spec section 6.1). A value of the environment cannot change, and is not in it. */
function digestOf(pod: VirtualPod): string {
  if (pod.spec.digest !== undefined) return pod.spec.digest;
  const { metadata, spec } = pod as unknown as Pod;
  const changeable = (containers: unknown): unknown =>
    Array.isArray(containers)
      ? containers.map(({ name, image, resources }: { name: string; image?: string; resources?: unknown }) => ({ name, image, resources }))
      : undefined;
  const compared = {
    containers: changeable(spec.containers),
    initContainers: changeable(spec.initContainers),
    ephemeralContainers: changeable(spec['ephemeralContainers']),
    activeDeadlineSeconds: spec['activeDeadlineSeconds'],
    tolerations: spec['tolerations'],
    labels: metadata.labels,
    annotations: metadata.annotations,
  };
  return createHash('sha256')
    .update(canonicalText(JSON.parse(JSON.stringify(compared))))
    .digest('base64url')
    .slice(0, 22);
}
