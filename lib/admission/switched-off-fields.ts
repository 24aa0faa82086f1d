// Fields of features that a kube-apiserver of 1.36 has switched off by default: it drops them silently.
import type { PodSpec } from '../objects/kubernetes.ts';
import { fieldsOf, isFields, listOf } from '../objects/values/untyped-fields.ts';

/** In place. What projected them stays, as a source of nothing; a lifecycle goes that had a signal to stop and nothing else. */
export function dropSwitchedOffFields(spec: PodSpec): void {
  for (const container of ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) => listOf(spec[list]))) {
    const { lifecycle } = container;
    if (!isFields(lifecycle) || typeof lifecycle['stopSignal'] !== 'string') continue;
    delete lifecycle['stopSignal'];
    if (!isFields(lifecycle['preStop']) && !isFields(lifecycle['postStart'])) delete container['lifecycle'];
  }
  for (const { projected } of listOf(spec['volumes'])) {
    for (const source of listOf(fieldsOf(projected)['sources'])) {
      delete source['clusterTrustBundle'];
      delete source['podCertificate'];
    }
  }
}
