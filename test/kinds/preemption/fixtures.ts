// The pods of the specification's worked cases (16.1), and what else its tables are written in.
import type { Container, Pod, PodSpec } from '../../../lib/objects/kubernetes.ts';
import type { Requirement } from '../../../lib/kinds/preemption/victims/requirements.ts';

export const SYSTEM_CRITICAL = 2_000_000_000;
type Resources = NonNullable<Container['resources']>;

export interface PodGiven {
  requests?: Resources['requests'];
  limits?: Resources['limits'];
  priority?: number;
  priorityClassName?: string;
  annotations?: Record<string, string>;
  spec?: Partial<PodSpec>;
  status?: Pod['status'];
}

/** With one container. */
export function podOf(name: string, { requests, limits, annotations, spec, status = {}, ...ranks }: PodGiven = {}): Pod {
  const resources = { ...(requests && { requests }), ...(limits && { limits }) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name, uid: name, ...(annotations && { annotations }) },
    spec: { containers: [{ name: 'main', image: 'image', resources }], ...ranks, ...spec },
    status,
  };
}

export const asking = (cpu: number, mebibytes: number): NonNullable<Resources['requests']> => ({
  cpu: `${cpu}m`,
  memory: `${mebibytes}Mi`,
});
const exactly = (cpu: number, mebibytes: number): PodGiven => ({ requests: asking(cpu, mebibytes), limits: asking(cpu, mebibytes) });

export const FILE_SOURCE = { 'kubernetes.io/config.source': 'file' };
export const MIRRORED = { 'kubernetes.io/config.mirror': '' };

export const fixtures = {
  tiny: podOf('tiny', { requests: asking(1, 1) }),
  be: podOf('be'),
  b: podOf('b', { requests: asking(100, 100) }),
  hrb: podOf('hrb', { requests: asking(300, 300) }),
  hpb: podOf('hpb', { requests: asking(200, 200), priority: 100 }),
  g: podOf('g', exactly(100, 100)),
  hrg: podOf('hrg', exactly(300, 300)),
  cc: podOf('cc', { requests: asking(100, 100), priority: SYSTEM_CRITICAL, priorityClassName: 'system-cluster-critical' }),
  nc: podOf('nc', { requests: asking(100, 100), priority: SYSTEM_CRITICAL + 100, priorityClassName: 'system-node-critical' }),
};

const MEBIBYTE = 2n ** 20n;

/** Cpu in thousandths, mebibytes, pods; what is nothing is not needed. */
export function needing(cpu: number, mebibytes: number, pods: number): Requirement[] {
  const needs = [
    { resource: 'cpu', quantity: BigInt(cpu) },
    { resource: 'memory', quantity: BigInt(mebibytes) * MEBIBYTE },
    { resource: 'pods', quantity: BigInt(pods) },
  ];
  return needs.filter(({ quantity }) => quantity > 0n);
}

/** The same pod, with another name. */
export const named = (pod: Pod, name: string): Pod => ({ ...pod, metadata: { ...pod.metadata, name, uid: name } });
