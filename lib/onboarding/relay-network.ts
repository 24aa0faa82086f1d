// What a relay's pods may speak with, as the spec of a NetworkPolicy. Policies add up: whoever needs more makes another one beside it.

/** Of the relay's values, those that say what it reaches. */
interface Reached {
  identity: { kind: string };
  awsEndpointUrl?: string;
  apiServerPort?: number;
}

interface Port {
  protocol: 'TCP' | 'UDP';
  port: number;
}

/** AWS and API servers behind a load balancer or the cluster's own address; API servers themselves, which is what many networks see. */
const USUAL_PORTS = [443, 6443];
/** Many networks see the port behind the Service of DNS, too: OpenShift's answers at 5353, Gardener's at 8053. */
const DNS: Port[] = [53, 5353, 8053].flatMap((port): Port[] => [
  { protocol: 'UDP', port },
  { protocol: 'TCP', port },
]);
/** The agent that gives pods on EKS the credentials of their role. */
const POD_IDENTITY_AGENT = ['169.254.170.23/32', 'fd00:ec2::23/128'];

/**
 * In: the probes. Out: names, AWS and the API server by their ports, and the agent of EKS where pods show AWS who they are by it.
 * Addresses cannot be named: neither AWS's nor the API server's are known beforehand, and some networks do not match those of nodes.
 */
export function relayNetworkSpec(values: Reached, { selector, probePort }: { selector: object; probePort: number }): object {
  const tcp = (port: number): Port => ({ protocol: 'TCP', port });
  return {
    podSelector: { matchLabels: selector },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ ports: [tcp(probePort)] }],
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
