// The objects of a workload other than pods: services, config maps and roles of training jobs, for one.
import type { Known } from './known.ts';

export interface ChildSummary {
  /** `plural.group`; the plural alone in the core group. */
  resource: string;
  kind: string;
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  labels?: Readonly<Record<string, string>>;
  terminating: boolean;
  /** Nobody controls it: it may be adopted. */
  orphaned: boolean;
}

export interface ChildPage {
  items: ChildSummary[];
  /** By resource. */
  counts: Record<string, number>;
  /** Beyond the limit. */
  leftOut: number;
}

/** More of a workload are not told in one answer. */
const MOST_CHILDREN = 1_000;

export function childrenOf({ children, row: { facts } }: Known): ChildPage {
  const kinds = new Map(facts.children.map(({ resource }) => [resource.plural, resource.kind]));
  const counts: Record<string, number> = {};
  const items: ChildSummary[] = [];
  for (const part of children)
    for (const { presence, child } of part.children.values()) {
      if (presence !== 'there') continue;
      counts[child.resource] = (counts[child.resource] ?? 0) + 1;
      const [plural = ''] = child.resource.split('.');
      const { resource, name, namespace, uid, resourceVersion, labels, terminating = false, orphaned = false } = child;
      const kind = kinds.get(plural) ?? plural;
      items.push({ resource, kind, name, namespace, uid, resourceVersion, ...(labels && { labels }), terminating, orphaned });
    }
  items.sort((a, b) => (a.resource === b.resource ? (a.name < b.name ? -1 : 1) : a.resource < b.resource ? -1 : 1));
  return { items: items.slice(0, MOST_CHILDREN), counts, leftOut: Math.max(items.length - MOST_CHILDREN, 0) };
}
