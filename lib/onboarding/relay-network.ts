// The spec of a NetworkPolicy for a relay's pods. Policies add up: to allow more, make another one.

import { NODE_API_PORT } from '../objects/placement/node-callers.ts';

/** The relay's values that decide its peers. */
interface Reached {
  identity: { kind: string };
  awsEndpointUrl?: string;
  apiServerPort?: number;
}

interface Port {
  protocol: 'TCP' | 'UDP';
  port: number;
}

/**
 * 443: AWS, and API servers behind a load balancer or the cluster's own address. 6443: API servers themselves, as many networks see them.
 */
const USUAL_PORTS = [443, 6443];
/** 53, and the port behind the Service of DNS, which many networks see: 5353 on OpenShift, 8053 on Gardener. */
const DNS: Port[] = [53, 5353, 8053].flatMap((port): Port[] => [
  { protocol: 'UDP', port },
  { protocol: 'TCP', port },
]);
/** The agent that gives pods on EKS the credentials of their role. */
const POD_IDENTITY_AGENT = ['169.254.170.23/32', 'fd00:ec2::23/128'];

/**
 * Ingress: the probes, and API servers that ask for virtual nodes. Egress: DNS, AWS and the API server by port, and EKS's agent if the relay uses pod identity. Addresses cannot be
 * listed: those of AWS and the API server are unknown in advance, and some networks do not match those of nodes.
 */
export function relayNetworkSpec(
  values: Reached,
  { selector, probePort, nodes }: { selector: object; probePort: number; nodes: number },
): object {
  const tcp = (port: number): Port => ({ protocol: 'TCP', port });
  return {
    podSelector: { matchLabels: selector },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      { ports: [tcp(probePort)] },
      // API servers have addresses that no policy can name on every network.
      ...(nodes === 0 ? [] : [{ ports: [{ ...tcp(NODE_API_PORT), endPort: NODE_API_PORT + nodes - 1 }] }]),
    ],
    egress: [
      { ports: DNS },
      { ports: serverPorts(values).map(tcp) },
      ...(values.identity.kind === 'podIdentity'
        ? [{ to: POD_IDENTITY_AGENT.map((cidr) => ({ ipBlock: { cidr } })), ports: [tcp(80)] }]
        : []),
    ],
  };
}

function serverPorts({ awsEndpointUrl, apiServerPort }: Reached): number[] {
  const endpoint = awsEndpointUrl === undefined ? null : URL.parse(awsEndpointUrl);
  const ports = [...USUAL_PORTS, ...(apiServerPort === undefined ? [] : [apiServerPort]), ...(endpoint ? [portOf(endpoint)] : [])];
  return [...new Set(ports)];
}

/** @param url http or https */
export const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port));
