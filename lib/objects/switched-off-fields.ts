// Fields of features that a kube-apiserver of 1.36 has switched off unless it is told otherwise: it forgets them without a word.
import type { PodSpec } from './kubernetes.ts';
import { fieldsOf, listOf } from './untyped-fields.ts';

/** In place. What projected them stays, as a source of nothing. */
export function dropSwitchedOffFields(spec: PodSpec): void {
  for (const { projected } of listOf(spec['volumes'])) {
    for (const source of listOf(fieldsOf(projected)['sources'])) {
      delete source['clusterTrustBundle'];
      delete source['podCertificate'];
    }
  }
}
