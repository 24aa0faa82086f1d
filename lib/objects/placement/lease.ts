// The lease by which a cluster sees that a node is alive, and how long a relay keeps it.
import type { KubernetesObject } from '../kubernetes.ts';
import type { Resource } from '../resources.ts';

export const LEASES: Resource = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', plural: 'leases', namespaced: true };

/** The namespace of the leases of nodes. */
export const NODE_LEASES = 'kube-node-lease';
const DURATION_SECONDS = 40;

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}
export type Lease = KubernetesObject & { spec?: LeaseSpec };

/** An annotation: until when a relay was asked to renew it. */
const KEPT_UNTIL = 'farloop.dev/kept-until';

/** In microseconds, as the API server wants it. */
export const microTimeOf = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Of a node that is alive now. */
export const nodeLeaseSpec = (node: string, nowMs: number): LeaseSpec => ({
  holderIdentity: node,
  leaseDurationSeconds: DURATION_SECONDS,
  renewTime: microTimeOf(nowMs),
});

/** Owned by its node, so that it goes with it. */
export const leaseOf = ({ name, uid }: { name: string; uid: string }, nowMs: number): Lease => ({
  apiVersion: LEASES.apiVersion,
  kind: LEASES.kind,
  metadata: { namespace: NODE_LEASES, name, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] },
  spec: nodeLeaseSpec(name, nowMs),
});

/** The body of a merge patch. It carries the version, so a write in between is a conflict (R8). */
export const renewalOf = ({ metadata: { name = '', resourceVersion } }: Lease, { nowMs, untilMs }: { nowMs: number; untilMs: number }) => ({
  metadata: { resourceVersion, annotations: { [KEPT_UNTIL]: new Date(untilMs).toISOString() } },
  spec: nodeLeaseSpec(name, nowMs),
});

/** Unix milliseconds; 0: never. */
export const renewedAtMs = ({ spec }: Lease): number => Date.parse(spec?.renewTime ?? '') || 0;

/** Unix milliseconds; 0: nobody was asked. */
export const untilIn = ({ metadata: { annotations } }: Lease): number => Date.parse(annotations?.[KEPT_UNTIL] ?? '') || 0;
