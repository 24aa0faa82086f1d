// The Node object of a virtual node: what it is made with, and what its status says (spec section 14.1).
import type { Condition, KubernetesObject, Node } from '../../objects/kubernetes.ts';
import { MADE_BY, type VirtualNodeSettings } from '../virtual-pod/node-options.ts';

/** Looks like a version of Kubernetes, or some clients fail. */
const KUBELET_VERSION = 'v1.36.3-farloop';

/** API servers from 1.36 on then speak to the node as their own clients speak to them; those before drop the field. */
const COMMANDS_BY_WEBSOCKET = 'ExtendWebSocketsToKubelet';

/** Taints and spec are written at creation alone (trap 17). */
export const nodeObject = ({ name, provider, labels, taints }: VirtualNodeSettings): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        type: 'virtual-kubelet',
        'kubernetes.io/role': 'agent',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/exclude-from-external-load-balancers': 'true',
        ...labels,
      },
      annotations: { [MADE_BY]: provider },
    },
    spec: { ...(taints.length > 0 && { taints }) },
  }) as KubernetesObject;

/**
 * Each of ours has its heartbeat now; conditions of others stay.
 * @param problem why the provider can start nothing now
 * @param endpoint where API servers reach it; undefined: as the Node says
 */
export function nodeStatus(
  { status = {} }: Node,
  { name, capacity }: VirtualNodeSettings,
  {
    problem,
    nowText,
    endpoint,
  }: { problem: string | undefined; nowText: string; endpoint?: { address: string; port: number } | undefined },
): Record<string, unknown> {
  const before = (status['conditions'] ?? []) as Condition[];
  const wanted: [string, string, string, string][] = [
    problem === undefined
      ? ['Ready', 'True', 'KubeletReady', 'kubelet is ready.']
      : ['Ready', 'False', 'ProviderNotReady', `the provider can start nothing now: ${problem}`.slice(0, 1_000)],
    ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    ['NetworkUnavailable', 'False', 'RouteCreated', 'RouteController created a route'],
  ];
  const ours = wanted.map(([type, is, reason, message]) => {
    const was = before.find((condition) => condition.type === type);
    const lastTransitionTime = was?.status === is ? (was.lastTransitionTime ?? nowText) : nowText;
    return { type, status: is, reason, message, lastHeartbeatTime: nowText, lastTransitionTime };
  });
  // An address that is not known now is one that was right when it was written.
  const reached = endpoint && {
    addresses: [{ type: 'InternalIP', address: endpoint.address }],
    daemonEndpoints: { kubeletEndpoint: { Port: endpoint.port } },
    declaredFeatures: [COMMANDS_BY_WEBSOCKET],
  };
  const others = before.filter(({ type }) => !wanted.some(([each]) => each === type));
  return {
    ...status,
    ...reached,
    phase: 'Running',
    capacity,
    allocatable: capacity,
    conditions: [...others, ...ours],
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      osImage: 'farloop',
      kernelVersion: '',
      containerRuntimeVersion: 'farloop://1',
      kubeletVersion: KUBELET_VERSION,
      kubeProxyVersion: '',
      machineID: name,
      systemUUID: name,
      bootID: name,
    },
  };
}
