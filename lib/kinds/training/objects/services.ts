// The headless service of a slot.
import type { Replicas, Terms } from '../terms/framework.ts';
import { containersIn, portsIn } from '../terms/replica-specs.ts';
import type { KubernetesObject } from '../../../objects/kubernetes.ts';
import { nameOfSlot, slotLabels } from '../names/slots.ts';
import { ownerReferenceOf } from '../terms/terms.ts';

export interface Service extends KubernetesObject {
  spec: { clusterIP: 'None'; selector: Record<string, string>; ports?: { name?: string; port: number }[] };
}

/** Without a default container there are no ports. */
export function serviceOf(terms: Terms, { type, template }: Replicas, { index }: { index: number }): Service {
  const { framework, name: job, namespace } = terms;
  const slot = { type, index };
  const labels = slotLabels(framework, job, slot);
  const own = containersIn(template).find(({ name }) => name === framework.container);
  const ports = new Map(portsIn(own).map(({ name, containerPort }) => [name, containerPort]));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: nameOfSlot(job, slot), namespace, labels, ownerReferences: [ownerReferenceOf(terms)] },
    spec: {
      clusterIP: 'None',
      selector: labels,
      ...(ports.size > 0 && { ports: [...ports].map(([name, port]) => ({ ...(name !== undefined && { name }), port })) }),
    },
  };
}
