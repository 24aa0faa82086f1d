// Documents of a node and its pods, and what `farloop plan` answers to them.
import { planManifests, type ManifestPlan, type PlanRequest } from '../../../lib/kinds/planning/manifest-plan.ts';
import { readManifest } from '../../../lib/cli/manifests/manifest-types.ts';

export const NOW = '2026-05-01T10:00:00Z';
const AGENT = { priority: 2_000_001_000, priorityClassName: 'system-node-critical' };

export const aNode = (allocatable: object | null = { cpu: '1', memory: '1000Mi', pods: '10' }, name = 'virtual') => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/os': 'linux' } },
  ...(allocatable && { status: { allocatable } }),
});

interface PodGiven {
  requests?: object;
  metadata?: object;
  spec?: object;
  status?: object;
}

/** Bound to the node, of priority 0. @param full `namespace/name` */
export function aPod(full: string, { requests = {}, metadata, spec, status }: PodGiven = {}) {
  const [namespace = '', name = ''] = full.split('/');
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, uid: `uid-of-${name}`, creationTimestamp: '2026-05-01T08:00:00Z', ...metadata },
    spec: { nodeName: 'virtual', priority: 0, containers: [{ name: 'main', image: 'x', resources: { requests } }], ...spec },
    ...(status && { status }),
  };
}

/** Critical, and younger than the others. */
export const anAgent = ({ spec, ...given }: PodGiven = {}) =>
  aPod('kube-system/agent', { metadata: { creationTimestamp: '2026-05-01T09:00:00Z' }, ...given, spec: { ...AGENT, ...spec } });

export const planned = (
  objects: readonly object[],
  { workload = 'Pod/kube-system/agent', now = NOW, ...request }: Partial<Omit<PlanRequest, 'now'>> & { now?: string } = {},
): ManifestPlan =>
  planManifests(
    objects.map((document, at) => ({ document: structuredClone(document), source: `f.yaml:${at}` })),
    { now: new Date(now), workload, read: readManifest, ...request },
  );

/** Names of the pods that are evicted, in order. */
export const evictedBy = ({ actions }: ManifestPlan): string[] =>
  actions.flatMap((action) => (action.verb === 'evict' ? [`${action.namespace}/${action.name}`] : []));
