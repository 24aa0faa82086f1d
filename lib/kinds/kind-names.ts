// The names that people use for a kind: kubectl's, and the kind's own.
import { ALL_FACTS } from './facts.ts';
import type { KindFacts } from './rows/kind.ts';

type NamedKind = Pick<KindFacts, 'kind' | 'resource' | 'shortNames' | 'isOwnerless'>;

/** The name in lists and completions: the resource's plural, or the kind's own for a kind without owners. */
export const pluralOf = ({ kind, resource, isOwnerless }: NamedKind): string => (isOwnerless ? `${kind.toLowerCase()}s` : resource.plural);

/** All its names, in lower case. Plural and kind come first. */
export function wordsFor(facts: NamedKind): string[] {
  const { kind, resource, isOwnerless, shortNames = [] } = facts;
  const own = kind.toLowerCase();
  if (isOwnerless) return [pluralOf(facts), own, ...shortNames];
  const [group = '', version] = resource.apiVersion.includes('/') ? resource.apiVersion.split('/') : [];
  const plain = [...new Set([resource.plural, own, resource.kind.toLowerCase()])];
  const full = version === undefined ? [] : plain.flatMap((word) => [`${word}.${group}`, `${word}.${version}.${group}`]);
  return [...plain, ...full, ...shortNames];
}

/** The kind of that name, in any case; undefined if no kind has it. */
export function findKindNamed(word: string, kinds: readonly KindFacts[] = ALL_FACTS): KindFacts | undefined {
  const wanted = word.toLowerCase();
  return kinds.find((facts) => wordsFor(facts).includes(wanted));
}
