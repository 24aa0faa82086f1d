// The stored state of a child other than a pod: metadata, and the part that its planner compares. Pods have their own facts (pod-facts.ts).
import type { Json } from './kubernetes.ts';
import type { Resource } from './resources.ts';

/** Most bytes of a part as JSON. A larger part would need a view item of its own, so its kind stores a digest instead. */
export const PART_BYTES_MAX = 512;

/** The part of a child that its planner compares, made by one revision of its kind's row. */
export interface Part {
  revision: number;
  facts: Json;
}

export interface ChildState {
  /** `plural.group`; the plural alone in the core group. Plurals alone are not unique. */
  resource: string;
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  labels?: Record<string, string>;
  /** Counts the uses of its name, where names are used again: the annotation `farloop.dev/number`. */
  number?: number;
  /** It is being deleted. */
  terminating?: true;
  /** Nobody controls it. Only children that a workload may adopt are known in this state. */
  orphaned?: true;
  part: Part;
}

export function resourceKeyOf({ apiVersion, plural }: Pick<Resource, 'apiVersion' | 'plural'>): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? plural : `${plural}.${apiVersion.slice(0, slash)}`;
}

export const partBytes = ({ facts }: Pick<Part, 'facts'>): number => Buffer.byteLength(JSON.stringify(facts));

/** Sorts keys, so that two processes write the same text for the same value. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalText(field)}`).join(',')}}`;
}

/** Texts of values that many children share: made once for each, not for each child. */
const sharedTexts = new WeakMap<object, string>();

function sharedText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return canonicalText(value);
  const known = sharedTexts.get(value) ?? canonicalText(value);
  sharedTexts.set(value, known);
  return known;
}

/** The compared fields of a child, without its part. */
const standingOf = ({ namespace, name, labels, number, terminating, orphaned }: ChildState): string =>
  // Earlier builds know no orphans: the text of every other child is the same in both.
  `[${[
    JSON.stringify(namespace),
    JSON.stringify(name),
    sharedText(labels ?? {}),
    `${number ?? null}`,
    `${terminating ?? false}`,
    ...(orphaned ? ['true'] : []),
  ].join(',')}]`;

const isSameShared = (one: unknown, other: unknown): boolean => one === other || sharedText(one) === sharedText(other);

/**
 * Whether all compared fields are equal. A new version alone is not a change. Parts of different revisions count as equal, because two
 * builds make them differently and they cannot be compared.
 */
export const isSameChild = (one: ChildState, other: ChildState): boolean =>
  one.namespace === other.namespace &&
  one.name === other.name &&
  one.number === other.number &&
  one.terminating === other.terminating &&
  one.orphaned === other.orphaned &&
  isSameShared(one.labels ?? {}, other.labels ?? {}) &&
  (one.part.revision !== other.part.revision || isSameShared(one.part.facts, other.part.facts));

/** All compared fields of a child, for digests of parts of one revision. */
export const childText = (child: ChildState): string => `${standingOf(child)}${sharedText(child.part.facts)}`;

/** For the digest of a workload: which children exist, without their facts. */
export const presenceOf = (children: Iterable<ChildState>): { uid: string; resourceVersion: string }[] =>
  [...children].map(({ resource, uid }) => ({ uid, resourceVersion: resource }));
