// Values on the command line, checked as they are read.
import { isIP } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import type { Level } from '../../adapters/telemetry/log-lines.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { findWord, managedKinds, managesOf, settingsOf } from '../../kinds/settings.ts';
import type { Manages } from '../../objects/manages.ts';
import { problemsOfDnsLabel } from '../../objects/names.ts';
import { MOST_NAMESPACES } from '../../wire/words/names.ts';
import { withWords } from './completion-hints.ts';
import { UsageError } from './exit.ts';

/** A parser for commander. @param bounds inclusive */
export const wholeNumber =
  ({ min, max }: { min: number; max: number }) =>
  (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
    return number;
  };

/** The URL of a queue, as AWS gave it to its owner. */
export function queueUrl(text: string): string {
  const { protocol } = URL.parse(text) ?? {};
  if (protocol !== 'https:' && protocol !== 'http:') throw new InvalidArgumentError('Expected the URL of an SQS queue.');
  return text;
}

export function ipAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('Expected an IP address, such as 192.0.2.7.');
  return text;
}

/** As clusters are registered. */
export function clusterName(text: string): string {
  if (problemsOfDnsLabel(text).length > 0)
    throw new InvalidArgumentError('Expected the name of a cluster: lower case letters, digits and dashes.');
  return text;
}

/** For options that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

/** For `--namespace`, which may be given several times. A name that no namespace can have would be watched in vain. */
export function collectNamespaces(value: string, before: readonly string[] = []): string[] {
  if (problemsOfDnsLabel(value).length > 0)
    throw new InvalidArgumentError('Expected the name of a namespace: lower case letters, digits and dashes.');
  return collect(value, before);
}

/** Each is watched for itself, and heartbeats of more could not be read. @throws UsageError */
export function refuseManyNamespaces(option: '--namespace' | '--namespaces', namespaces: readonly string[]): void {
  if (namespaces.length > MOST_NAMESPACES)
    throw new UsageError(
      `${option} names ${namespaces.length} namespaces, and at most ${MOST_NAMESPACES} are watched one by one: leave it out to have all namespaces looked after`,
    );
}

/** Written out: a command line starts without any adapter. */
const LOG_LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

export const logLevelOption = (usual: Level): Option =>
  new Option('--log-level <level>', 'what to log on standard error').choices(LOG_LEVELS).default(usual);

/** Which kinds are managed; given words replace the usual ones. @param usual for people: what is managed without it */
export function manageOption(what: string, usual: string): Option {
  const settings = settingsOf();
  const meanings = settings.map(({ word, takes }) => `${word} (${takes})`).join(', ');
  return withWords(
    new Option('--manage <kinds>', `${what}: ${meanings}; may be given several times (default: ${usual})`).argParser(collectManages),
    settings.map(({ word }) => word),
  );
}

/** One word, or several separated by commas. @throws InvalidArgumentError for a word that no kind has */
function collectManages(text: string, before: Manages = []): Manages {
  const words = text.split(',').map((given) => {
    const word = findWord(given);
    if (word !== undefined) return word;
    const known = settingsOf().map((setting) => setting.word);
    throw new InvalidArgumentError(
      `No kind is called ${JSON.stringify(given)}. Expected ${known.slice(0, -1).join(', ')} or ${known.at(-1)}.`,
    );
  });
  return managesOf([...before, ...words]);
}

/** Owners without a namespace are in none of those that are named. @throws UsageError */
export function refuseNarrowScope(
  option: '--namespace' | '--namespaces',
  { manages, namespaces }: { manages: Manages; namespaces: readonly string[] },
  kinds?: readonly KindFacts[],
): void {
  const wide = namespaces.length === 0 ? undefined : managedKinds(manages, kinds).find(({ resource }) => !resource.namespaced);
  if (wide)
    throw new UsageError(
      `--manage ${wide.settings.map(({ word }) => word).find((word) => manages.includes(word))} and ${option} contradict each other: a ${wide.kind} is in no namespace, so leave ${option} out`,
    );
}
