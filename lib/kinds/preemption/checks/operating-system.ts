// The operating system of a node, and pods that ask for another one.
import type { Node, Pod } from '../../../objects/kubernetes.ts';
import { fieldsOf, textOf } from '../../../objects/values/untyped-fields.ts';
import type { Refusal } from './admission-failures.ts';

const OS_LABEL = 'kubernetes.io/os';
const USUAL_OS = 'linux';

/** The node's own report counts; its label may be wrong. */
const osOf = ({ metadata, status }: Node): string =>
  textOf(fieldsOf(status?.['nodeInfo'])['operatingSystem']) || (metadata.labels?.[OS_LABEL] ?? USUAL_OS);

/** With the label of its operating system as it really is. */
export const nodeLabelsOf = (node: Node): Record<string, string> => ({ ...node.metadata.labels, [OS_LABEL]: osOf(node) });

export function refusalForOs({ metadata, spec }: Pod, node: Node): Refusal | undefined {
  const [os, label, field] = [osOf(node), metadata.labels?.[OS_LABEL], textOf(fieldsOf(spec['os'])['name'])];
  if (label !== undefined && label !== os) {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
    return { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message };
  }
  if (field === '' || field === os) return undefined;
  return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
}
