// Functions that have a cluster at work learn of a changed registration seconds later. Until then what they did before stays allowed:
// rights are first widened, then the change becomes known, then rights are what they should be.
import type { KubernetesAdministration } from '../adapters/kubernetes-administration.ts';
import { fieldsOf } from '../objects/untyped-fields.ts';
import { RECORD_AGE_MS_MAX } from '../ports/clusters.ts';
import { ourObject, resourceOf } from './ours.ts';
import type { Manifest } from './relay-manifests.ts';

/** A pass that began with a record as old as one may be, and takes longer than the rest, is refused, parked, and begun again. */
export const HANDOVER_MS = RECORD_AGE_MS_MAX + 5_000;

/** The field of a kind that gives rights, entry by entry. */
const GIVING: Record<string, string> = { ClusterRole: 'rules', Role: 'rules', ClusterRoleBinding: 'subjects', RoleBinding: 'subjects' };

/** @returns the manifest with what the object on the cluster gives beyond it, and the manifest itself where that is nothing */
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

/** Equal for equal entries, whatever the order of their fields. */
const textOf = (entry: unknown): string =>
  JSON.stringify(Object.entries(fieldsOf(entry)).toSorted(([one], [other]) => (one < other ? -1 : 1)));
