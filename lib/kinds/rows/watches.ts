// The watches of a relay, from the rows of the kinds: one for each resource and selection. All kinds that need it share it.
import { unionOf, type WantedFields } from '../../objects/field-mask.ts';
import { PODS, type Resource } from '../../objects/resources.ts';
import type { ChildFacts, KindFacts, ListSelection } from './kind.ts';
import { podReaderOf } from './pod-reader.ts';

export interface Watched {
  /** As heartbeats name it. */
  readonly name: string;
  readonly resource: Resource;
  readonly selection: ListSelection | undefined;
  fields: WantedFields;
  /** The kind whose owners these are. */
  owner?: KindFacts;
  isPods: boolean;
  /** Children of these kinds, other than pods. */
  readonly children: { kind: KindFacts; child: ChildFacts }[];
  /** All kinds that need this watch. */
  readonly kinds: Set<KindFacts>;
  /** Its list begins once these are listed: owners come before children. */
  readonly after: Set<Watched>;
  /** The resource comes from a definition that may not be installed. */
  readonly mayBeAbsent: boolean;
}

/** @returns owners before children, each in the order of the kinds */
export function watchesOf(kinds: readonly KindFacts[]): readonly Watched[] {
  const watched = new Map<string, Watched>();
  const watch = (kind: KindFacts, resource: Resource, fields: WantedFields, selection?: ListSelection): Watched => {
    const name = nameOf(resource, selection);
    const known = watched.get(name);
    if (known) known.fields = known.fields === fields ? fields : unionOf(known.fields, fields);
    const mayBeAbsent = groupOf(resource).includes('.');
    const found = known ?? {
      name,
      resource,
      selection,
      fields,
      isPods: false,
      children: [],
      kinds: new Set(),
      after: new Set(),
      mayBeAbsent,
    };
    found.kinds.add(kind);
    watched.set(name, found);
    return found;
  };
  const owners = new Map<KindFacts, Watched[]>();
  for (const kind of kinds) {
    if (kind.isOwnerless) continue;
    const selections = kind.ownerSelections ?? [undefined];
    const found = selections.map((selection) => watch(kind, kind.resource, kind.fields, selection));
    for (const each of found) each.owner = kind;
    owners.set(kind, found);
  }
  const follows = (child: Watched, kind: KindFacts): void => {
    for (const owner of owners.get(kind) ?? []) if (owner !== child) child.after.add(owner);
  };
  for (const kind of kinds) {
    if (!kind.pods) continue;
    const pods = watch(kind, PODS, podReaderOf(kind).reading.fields);
    pods.isPods = true;
    follows(pods, kind);
  }
  for (const kind of kinds)
    for (const child of kind.children) {
      const found = watch(kind, child.resource, child.fields, child.watch);
      found.children.push({ kind, child });
      follows(found, kind);
    }
  return [...watched.values()];
}

const groupOf = ({ apiVersion }: Resource): string => (apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');

/** Characters of a selection in a watch's name. */
const LONGEST_SELECTION = 60;

/** With the group for installed definitions: `podgroups` exists in three groups, so the plural alone is not a key. */
function nameOf(resource: Resource, selection: ListSelection | undefined): string {
  const group = groupOf(resource);
  const name = group.includes('.') ? `${resource.plural}.${group}` : resource.plural;
  const selected = Object.values<string>(selection ?? {}).map((text) => text.replaceAll(/[^\w.]+/g, '-').slice(0, LONGEST_SELECTION));
  return [name, ...selected].join('-');
}
