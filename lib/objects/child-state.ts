// What is kept of a child that is no pod: metadata, and the part of it that its planner compares. Pods have facts of their own (pod-facts.ts).
import type { Json } from './kubernetes.ts';
import type { Resource } from './resources.ts';

/** Bytes of a part as JSON. A larger one would make a view item of it: a kind tells a digest instead. */
export const PART_BYTES_MAX = 512;

/** The part of a child that its planner compares, as one revision of its kind's row makes it. */
export interface Part {
  revision: number;
  facts: Json;
}

export interface ChildState {
  /** `plural.group`, the plural alone in the core group: plurals are not unique. */
  resource: string;
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  labels?: Record<string, string>;
  /** Which use of its name it is, where names are used again: the annotation `farloop.dev/number`. */
  number?: number;
  /** It is being deleted. */
  terminating?: true;
  part: Part;
}

export function resourceKeyOf({ apiVersion, plural }: Pick<Resource, 'apiVersion' | 'plural'>): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? plural : `${plural}.${apiVersion.slice(0, slash)}`;
}

export const partBytes = ({ facts }: Part): number => Buffer.byteLength(JSON.stringify(facts));

/** In one order of keys, so that two processes write the same text about the same. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalText(field)}`).join(',')}}`;
}

/** What of a child is news when it changes, without its part. */
const standingOf = ({ namespace, name, labels, number, terminating }: ChildState): string =>
  canonicalText([namespace, name, labels ?? {}, number ?? null, terminating ?? false]);

/**
 * Whether nothing that counts is different: a version that has moved on alone is no news. Parts of different revisions cannot be compared, for
 * builds make them differently: they count as equal.
 */
export const isSameChild = (one: ChildState, other: ChildState): boolean =>
  standingOf(one) === standingOf(other) &&
  (one.part.revision !== other.part.revision || canonicalText(one.part.facts) === canonicalText(other.part.facts));

/** Stands for all of a child that counts, in digests of parts of one revision. */
export const childText = (child: ChildState): string => `${standingOf(child)}${canonicalText(child.part.facts)}`;
