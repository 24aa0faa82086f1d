// A registered cluster through its administrator's kubeconfig, and the texts about workloads and pods found there.
import type { KubernetesAdministration } from '../../adapters/kubernetes/kubernetes-administration.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import { unknownWords } from '../../kinds/settings.ts';
import type { NarrowedBy } from '../../onboarding/left-namespaces.ts';
import type { NamedWorkloads } from '../../onboarding/owners-on-cluster.ts';
import type { Remains } from '../../onboarding/removal.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';

/** Workloads or pods in a sentence. */
const NAMED = 10;

/** Opens nothing yet. @throws one sentence when the file cannot be read or names no such context */
export async function administrationOf(file: string, context: string | undefined): Promise<KubernetesAdministration> {
  const [{ accessFromKubeconfig }, { KubernetesAdministration: Administration }] = await Promise.all([
    import('../../adapters/kubernetes/kubeconfig.ts'),
    import('../../adapters/kubernetes/kubernetes-administration.ts'),
  ]);
  return new Administration(await accessFromKubeconfig({ file, context }));
}

/** `2 Jobs are running: default/a, default/b`; the first ten are named, with their kinds where there are several. */
export function workloadsSentence({ kinds, found }: NamedWorkloads, state: 'running' | 'unfinished'): string {
  if (found.length === 0) return `no ${enumeration(kinds, 'or')} is ${state}`;
  const counts = kinds
    .map((kind) => ({ kind, count: found.filter((each) => each.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${count === 1 ? kind : pluralOf(kind)}`);
  const names = found.map(({ kind, name }) => (counts.length > 1 ? `${kind} ${name}` : name));
  return `${enumeration(counts, 'and')} ${found.length === 1 ? 'is' : 'are'} ${state}: ${firstOf(names)}`;
}

export const pluralOf = (kind: string): string => `${kind}s`;

/** `a`, `a or b`, `a, b or c`. */
export const enumeration = (words: readonly string[], last: 'and' | 'or'): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}` : (words[0] ?? 'workload');

/** Why less is refused. @param narrowed by which options. @returns undefined where nothing is left of what these leave out */
export function leavingRefusal({ unfinished, tracked }: Remains, narrowed: readonly NarrowedBy[]): string | undefined {
  const otherwise = 'or give --change where another installation takes them over';
  const leavesOut = `which ${enumeration(narrowed, 'or')} leaves out`;
  const { kinds, found } = unfinished;
  if (found.length > 0)
    return `${workloadsSentence(unfinished, 'unfinished')}, ${leavesOut}: nobody would look after ${found.length === 1 ? 'it' : 'them'}, and pods would keep the finalizer by which they are counted; let ${enumeration(kinds.map(pluralOf), 'and')} end there first, ${otherwise}`;
  if (tracked.length > 0)
    return `${podsSentence(tracked)}, ${leavesOut}: nobody would take it off, and once deleted they would never be gone; it comes off when they are counted, so give the command again in a minute, ${otherwise}`;
  return undefined;
}

/** Of a record that another build has written, what this one can say nothing of; undefined where it knows every word. */
export function unknownWordsSentence({ name, manages }: Pick<ClusterRecord, 'name' | 'manages'>): string | undefined {
  const unknown = unknownWords(manages);
  return unknown.length === 0
    ? undefined
    : `${name} is registered with --manage ${unknown.join(', ')}, which this version of Farloop does not know: it does nothing about those workloads, and says nothing of them`;
}

function podsSentence(pods: readonly Pod[]): string {
  const names = pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted();
  return `${names.length === 1 ? '1 pod keeps' : `${names.length} pods keep`} the finalizer by which they are counted: ${firstOf(names)}`;
}

export function firstOf(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}
