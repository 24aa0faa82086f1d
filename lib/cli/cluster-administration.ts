// A registered cluster through its administrator's kubeconfig, and what is told of the Jobs and pods found there.
import type { KubernetesAdministration } from '../adapters/kubernetes-administration.ts';
import type { Pod } from '../objects/kubernetes.ts';
import type { Remains } from '../onboarding/removal.ts';

/** Jobs or pods in a sentence. */
const NAMED = 10;

/** Opens nothing yet. @throws one sentence when the file cannot be read or names no such context */
export async function administrationOf(file: string, context: string | undefined): Promise<KubernetesAdministration> {
  const [{ accessFromKubeconfig }, { KubernetesAdministration: Administration }] = await Promise.all([
    import('../adapters/kubernetes/kubeconfig.ts'),
    import('../adapters/kubernetes-administration.ts'),
  ]);
  return new Administration(await accessFromKubeconfig({ file, context }));
}

/**
 * `2 Jobs are running: default/a, default/b`; the first ten are named.
 * @param jobs `namespace/name` of each
 */
export function jobsSentence(jobs: readonly string[], state: 'running' | 'unfinished'): string {
  if (jobs.length === 0) return `no Job is ${state}`;
  return `${jobs.length === 1 ? '1 Job is' : `${jobs.length} Jobs are`} ${state}: ${firstOf(jobs)}`;
}

/** Why fewer namespaces are refused. @returns undefined where nothing is left in the others */
export function leavingRefusal({ unfinished, tracked }: Remains): string | undefined {
  const otherwise = 'or give --change where another installation takes them over';
  if (unfinished.length > 0)
    return `${jobsSentence(unfinished, 'unfinished')}, which --namespaces leaves out: nobody would look after ${unfinished.length === 1 ? 'it' : 'them'}, and pods would keep the finalizer by which they are counted; let Jobs end there first, ${otherwise}`;
  if (tracked.length > 0)
    return `${podsSentence(tracked)}, which --namespaces leaves out: nobody would take it off, and once deleted they would never be gone; it comes off when they are counted, so give the command again in a minute, ${otherwise}`;
  return undefined;
}

function podsSentence(pods: readonly Pod[]): string {
  const names = pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted();
  return `${names.length === 1 ? '1 pod keeps' : `${names.length} pods keep`} the finalizer by which they are counted: ${firstOf(names)}`;
}

function firstOf(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}
