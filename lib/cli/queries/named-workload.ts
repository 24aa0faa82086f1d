// Which workload a person means: `job/demo`, or a name alone; and its path in the API, where one alone has that name.
import { Argument, type Command } from 'commander';
import type { WorkloadDetail, WorkloadSummary } from '../../api/told-workload.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { findKindNamed } from '../../kinds/kind-names.ts';
import { ApiFailedError, type ApiClient } from '../instance/api-client.ts';
import { withWords, withWorkloads } from '../terminal/completion-hints.ts';
import { AmbiguousError, FailedError, UsageError } from '../terminal/exit.ts';
import { allWorkloads } from './get-workloads.ts';
import { pathOfKey, placeText } from './place-text.ts';

export interface NamedWorkload {
  kind?: string;
  name: string;
}

interface Place {
  namespace?: string;
  cluster?: string;
}

/** A command about one workload: KIND/NAME, KIND NAME or NAME, and where it is. */
export const aboutWorkload = (command: Command, kinds: readonly KindFacts[], others: readonly string[] = []): Command =>
  command
    .addArgument(
      withWords(withWorkloads(new Argument('<workload>', 'KIND/NAME, as in job/demo, or NAME where one only has it')), [
        ...kinds.map(({ kind }) => `${kind.toLowerCase()}/`),
        ...others,
      ]),
    )
    .argument('[name]', 'NAME, where only the kind stands before it, as in job demo')
    .option('-n, --namespace <namespace>', 'its namespace, where several have one of that name')
    .option('--cluster <cluster>', 'its cluster, where several have one of that name');

/** The two arguments of `aboutWorkload` as one text. */
export const workloadText = (first: string, second: string | undefined): string => (second === undefined ? first : `${first}/${second}`);

/**
 * The path of the workload in the API.
 * @param isAnother asked where there is no such workload: whether something else of that name has been dealt with instead
 * @returns undefined: it has
 * @throws FailedError with what is known of one that is not there; AmbiguousError
 */
export async function workloadPathNamed(
  api: ApiClient,
  { text, named: { kind, name }, namespace, cluster }: Place & { text: string; named: NamedWorkload },
  isAnother: (kind: string, name: string, removed: WorkloadSummary | undefined) => Promise<boolean> = async () => false,
): Promise<string | undefined> {
  const ofKind = kind === undefined ? {} : { kind };
  const place = { ...(namespace !== undefined && { namespace }), ...(cluster !== undefined && { cluster }) };
  const found = await allWorkloads(api, { ...ofKind, name, ...place });
  if (found.length > 0) return workloadPath(text, found);
  const removed = await removedNamed(api, { ...ofKind, name, ...place });
  const kindOfIt = kind ?? removed?.kind;
  if (kindOfIt !== undefined && (await isAnother(kindOfIt, name, removed))) return undefined;
  const { absenceOf } = await import('./workload-absence.ts');
  const absence = await absenceOf(api, { kind, name, namespace, cluster }, await allWorkloads(api, ofKind));
  throw new FailedError(removed ? `${absence}. ${removedText(removed)}` : absence);
}

/** The one of that name that was removed last, as long as that is remembered. */
async function removedNamed(
  api: ApiClient,
  wanted: { kind?: string; name: string; namespace?: string; cluster?: string },
): Promise<WorkloadSummary | undefined> {
  const all = await allWorkloads(api, { ...wanted, ended: '7d' });
  const [latest] = all
    .filter(({ removedTime }) => removedTime !== undefined)
    .toSorted((one, other) => ((one.removedTime ?? '') < (other.removedTime ?? '') ? 1 : -1));
  return latest;
}

const removedText = (removed: WorkloadSummary): string =>
  `One of that name ${placeText(removed)} is gone since ${removed.removedTime ?? 'then'}: "farloop explain ${removed.kind.toLowerCase()}/${removed.name}" tells of its last passes`;

/** Workloads of that name, as people name them. */
export const textsNamed = async (api: ApiClient, name: string): Promise<string[]> =>
  (await allWorkloads(api, { name })).map((key) => `${key.kind.toLowerCase()}/${key.name} ${placeText(key)}`);

/** `NAME` alone is of whatever kind has it. @throws UsageError */
export function nameWorkload(text: string, kinds: readonly KindFacts[]): NamedWorkload {
  const parts = text.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2 || parts.includes('')) throw new UsageError(`"${text}" names no workload: expected KIND/NAME, as in job/demo`);
  if (second === undefined) return { name: first };
  const facts = findKindNamed(first, kinds);
  if (!facts && first === 'run')
    throw new UsageError(`"${text}" is no workload, but a run of farloop run-once: farloop explain run/${second} says how it stands`);
  if (!facts)
    throw new UsageError(
      `"${text}" names no workload: the kinds are ${kinds.map(({ kind }) => kind.toLowerCase()).join(', ')}, as in job/demo`,
    );
  return { kind: facts.kind, name: second };
}

/** @param found one or more */
function workloadPath(text: string, found: readonly WorkloadSummary[]): string {
  const paths = new Map(found.map((key) => [pathOfKey(key), key]));
  const [path = ''] = paths.keys();
  if (paths.size === 1) return `/v1/workloads/${path}`;
  const keys = [...paths.values()];
  if (new Set(keys.map(({ kind }) => kind)).size > 1) {
    const candidates = keys.map((key) => `${key.kind.toLowerCase()}/${key.name} ${placeText(key)}`);
    throw new AmbiguousError(`${text} is the name of several workloads: ${candidates.join(', ')}; say which with KIND/NAME`);
  }
  const places = keys.map(({ namespace, cluster }) => [namespace, `on ${cluster}`].filter((part) => part !== '').join(' ')).join(', ');
  throw new AmbiguousError(`${text} is in more than one place: ${places}; say which with --namespace or --cluster`);
}

/** @param path of the workload in the API. @returns undefined: it is gone */
export async function workloadAt(api: ApiClient, path: string): Promise<WorkloadDetail | undefined> {
  try {
    return (await api.get<{ items: WorkloadDetail[] }>(path)).items[0];
  } catch (error) {
    if (error instanceof ApiFailedError && error.status === 404 && error.message.startsWith('there is no workload')) return undefined;
    throw error;
  }
}
