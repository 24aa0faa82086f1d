// The Node object of a virtual node: what it is made with, and what its status says (spec section 14.1).
import type { Condition, KubernetesObject, Node } from '../../objects/kubernetes.ts';
import { MADE_BY, type VirtualNodeSettings } from '../virtual-pod/node-options.ts';

/** Looks like a version of Kubernetes, or some clients fail. */
const KUBELET_VERSION = 'v1.36.3-farloop';

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

/** Conditions of others stay. @param problem why the provider can start nothing now */
export function nodeStatus(
  { status = {} }: Node,
  { name, capacity }: VirtualNodeSettings,
  { problem, nowText }: { problem: string | undefined; nowText: string },
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
    const isSame = was?.status === is && was.reason === reason && was.message === message;
    if (isSame) return was;
    const lastTransitionTime = was?.status === is ? (was.lastTransitionTime ?? nowText) : nowText;
    return { type, status: is, reason, message, lastHeartbeatTime: nowText, lastTransitionTime };
  });
  const others = before.filter(({ type }) => !wanted.some(([each]) => each === type));
  return {
    ...status,
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
