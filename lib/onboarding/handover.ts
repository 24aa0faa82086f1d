// Functions that work on a cluster read a changed registration seconds later. Until then their old rights must stay. So a registration
// first widens the rights, then changes the record, then narrows the rights.
import type { KubernetesAdministration } from '../adapters/kubernetes/kubernetes-administration.ts';
import { fieldsOf } from '../objects/values/untyped-fields.ts';
import { RECORD_AGE_MS_MAX } from '../ports/clusters.ts';
import { ourObject, resourceOf } from './ours.ts';
import type { Manifest } from './relay-manifests.ts';

/** How long to keep the old rights. A pass with the oldest record allowed that takes even longer is refused, parked, and run again. */
export const HANDOVER_MS = RECORD_AGE_MS_MAX + 5_000;

/** The field of each kind whose entries give rights. */
const GIVING: Record<string, string> = { ClusterRole: 'rules', Role: 'rules', ClusterRoleBinding: 'subjects', RoleBinding: 'subjects' };

/** @returns the manifest plus the entries that the object on the cluster has beyond it; the same manifest if there are no such entries */
export async function widened(administration: Pick<KubernetesAdministration, 'get'>, manifest: Manifest): Promise<Manifest> {
  const field = GIVING[manifest.kind];
  if (field === undefined) return manifest;
  const there = entriesOf(await administration.get(resourceOf(manifest), ourObject(manifest)), field);
  const wanted = entriesOf(manifest, field);
  const known = new Set(wanted.map(textOf));
  const more = there.filter((entry) => !known.has(textOf(entry)));
  return more.length === 0 ? manifest : { ...manifest, [field]: [...wanted, ...more] };
}

const entriesOf = (object: unknown, field: string): unknown[] => {
  const entries = fieldsOf(object)[field];
  return Array.isArray(entries) ? entries : [];
};

/** A text that is equal for equal entries, whatever the order of their fields. */
const textOf = (entry: unknown): string =>
  JSON.stringify(Object.entries(fieldsOf(entry)).toSorted(([one], [other]) => (one < other ? -1 : 1)));
