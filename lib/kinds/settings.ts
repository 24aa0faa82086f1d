// `--manage`: which kinds Farloop manages on a cluster, by the words of their rows.
import type { KindOptions } from '../objects/kind-options.ts';
import type { Manages } from '../objects/manages.ts';
import { ALL_FACTS } from './facts.ts';
import type { KindFacts, KindSettings, Setting } from './rows/kind.ts';

type Kinds = readonly Pick<KindFacts, 'settings'>[];

/** Where `--manage` is not given: the narrowest word of the first kind. */
export const USUAL_MANAGES: Manages = ALL_FACTS.flatMap(({ settings }) => settings.map(({ word }) => word)).slice(0, 1);

/** Words from before each kind had one. They are still accepted. */
const WORDS_OF_BEFORE = new Map([['own', 'jobs']]);

/** The words as a relay gets them: its image may be of the build before, which knows one word alone. */
export function relayWords(manages: Manages): Manages {
  const [word, ...others] = manages;
  const before = [...WORDS_OF_BEFORE].find(([, now]) => now === word);
  return before && others.length === 0 ? [before[0]] : manages;
}

/** Every word with what it takes, in the order of the kinds. */
export function settingsOf(kinds: Kinds = ALL_FACTS): Setting[] {
  const settings = new Map<string, Setting>();
  for (const setting of kinds.flatMap((facts) => facts.settings)) if (!settings.has(setting.word)) settings.set(setting.word, setting);
  return [...settings.values()];
}

/** @returns the present word for this text; undefined if no kind has it */
export function findWord(text: string, kinds: Kinds = ALL_FACTS): string | undefined {
  const word = WORDS_OF_BEFORE.get(text) ?? text;
  return settingsOf(kinds).some((setting) => setting.word === word) ? word : undefined;
}

/** Distinct words in the order given, without those that another one includes. */
export function managesOf(words: readonly string[], kinds: Kinds = ALL_FACTS): Manages {
  const given = [...new Set(words)];
  return given.filter((word) => !given.some((wider) => includesWord(wider, word, kinds)));
}

/** Whether each kind with the one word lists the other after it. */
function includesWord(wider: string, word: string, kinds: Kinds): boolean {
  const places = kinds
    .map(({ settings }) => settings.map((setting) => setting.word))
    .filter((words) => words.includes(word))
    .map((words) => words.indexOf(wider) - words.indexOf(word));
  return places.length > 0 && places.every((place) => place > 0);
}

/** Everything of every kind that can be managed. */
export const managesAll = (kinds: Kinds = ALL_FACTS): Manages =>
  managesOf(
    kinds.flatMap(({ settings }) => settings.slice(-1).map(({ word }) => word)),
    kinds,
  );

export const isManagedKind = ({ settings }: Pick<KindFacts, 'settings'>, manages: Manages): boolean =>
  settings.some(({ word }) => manages.includes(word));

/** In the order of the table, each with the children that a cluster with these settings has. */
export const managedKinds = (manages: Manages, kinds: readonly KindFacts[] = ALL_FACTS, settings: KindSettings = {}): KindFacts[] =>
  kinds
    .filter((facts) => isManagedKind(facts, manages))
    .map((facts) => usedOf(facts, settings))
    // No owner of it can be there: the settings name none.
    .filter(({ ownerSelections }) => ownerSelections?.length !== 0);

export type NodeKind = KindFacts & Required<Pick<KindFacts, 'nodes'>>;

/** The kind of a cluster's virtual nodes; undefined: it has none. */
export const nodeKindOf = (
  { manages, options }: { manages: Manages; options?: KindOptions | undefined },
  kinds: readonly KindFacts[] = ALL_FACTS,
): NodeKind | undefined => managedKinds(manages, kinds, { options }).find((kind): kind is NodeKind => kind.nodes !== undefined);

/** The facts of a kind on a cluster with these settings: without children that are not used there (trap 8), and with the selections of its owners. */
export function usedOf(facts: KindFacts, settings: KindSettings): KindFacts {
  const children = facts.children.filter(({ isUsed }) => isUsed?.(settings) ?? true);
  const used = children.length === facts.children.length ? facts : { ...facts, children };
  return facts.ownersOn ? { ...used, ownerSelections: facts.ownersOn(settings) } : used;
}

/** The options that a relay must know. */
export function relayOptions(manages: Manages, options: KindOptions = {}, kinds: readonly KindFacts[] = ALL_FACTS): KindOptions {
  const names = managedKinds(manages, kinds, { options }).flatMap((facts) => facts.options ?? []);
  const isForRelay = (name: string): boolean => names.some((option) => option.name === name && option.isForRelay === true);
  return Object.fromEntries(Object.entries(options).filter(([name]) => isForRelay(name)));
}

/** Words of kinds that this build does not know: another build manages those. */
export const unknownWords = (manages: Manages, kinds: Kinds = ALL_FACTS): string[] =>
  manages.filter((word) => findWord(word, kinds) === undefined);

/** The workloads that the words take, for people: `all Jobs, training-jobs`. */
export const managesText = (manages: Manages, kinds: Kinds = ALL_FACTS): string => {
  const settings = settingsOf(kinds);
  return manages.map((word) => settings.find((setting) => setting.word === word)?.takes ?? word).join(', ');
};
