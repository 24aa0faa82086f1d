// The words by which people name a kind: as kubectl takes them, and the kind's own.
import { ALL_FACTS } from './facts.ts';
import type { KindFacts } from './kind.ts';

/** The word that lists and completions show: the resource's plural, or the kind's where it has no owners of a resource. */
export const pluralOf = ({ kind, resource, isOwnerless }: KindFacts): string => (isOwnerless ? `${kind.toLowerCase()}s` : resource.plural);

/** All words for it, in lower case; the first two are its plural and its kind. */
export function wordsFor(facts: KindFacts): string[] {
  const { kind, resource, isOwnerless, shortNames = [] } = facts;
  const own = kind.toLowerCase();
  if (isOwnerless) return [pluralOf(facts), own, ...shortNames];
  const [group = '', version] = resource.apiVersion.includes('/') ? resource.apiVersion.split('/') : [];
  const plain = [...new Set([resource.plural, own, resource.kind.toLowerCase()])];
  const full = version === undefined ? [] : plain.flatMap((word) => [`${word}.${group}`, `${word}.${version}.${group}`]);
  return [...plain, ...full, ...shortNames];
}

/** The kind of that name, whatever its case; undefined where no kind has it. */
export function findKindNamed(word: string, kinds: readonly KindFacts[] = ALL_FACTS): KindFacts | undefined {
  const wanted = word.toLowerCase();
  return kinds.find((facts) => wordsFor(facts).includes(wanted));
}
