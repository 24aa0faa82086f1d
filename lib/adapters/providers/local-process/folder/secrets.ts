// The secrets in a pod's folder go when the pod has ended.
import { rmSync } from 'node:fs';
import type { Container } from '../../../../objects/kubernetes.ts';
import { placesOf, readRecord, writeRecord } from './records.ts';
import { removeVolumes } from './volumes.ts';

/** Files of its volumes, and the values of its environments. Never fails: the folder goes as a whole when the pod is forgotten. */
export function forgetSecrets(folder: string): void {
  try {
    removeVolumes(folder);
    rmSync(placesOf(folder), { recursive: true, force: true });
    const order = readRecord(folder, 'order');
    if (!order) return;
    const { spec } = order.pod;
    const { containers, initContainers } = spec;
    const pod = {
      ...order.pod,
      spec: { ...spec, containers: plain(containers), ...(initContainers && { initContainers: plain(initContainers) }) },
    };
    writeRecord(folder, 'order', { ...order, pod });
  } catch {
    // A full disk, for one.
  }
}

const plain = (containers: readonly Container[]): Container[] => containers.map(({ env: _env, ...rest }) => rest);
