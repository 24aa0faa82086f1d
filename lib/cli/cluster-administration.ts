// A registered cluster through its administrator's kubeconfig, and what is told of the Jobs found there.
import type { KubernetesAdministration } from '../adapters/kubernetes-administration.ts';

const NAMED_JOBS = 10;

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
  const more = jobs.length > NAMED_JOBS ? ` and ${jobs.length - NAMED_JOBS} more` : '';
  return `${jobs.length === 1 ? '1 Job is' : `${jobs.length} Jobs are`} ${state}: ${jobs.slice(0, NAMED_JOBS).join(', ')}${more}`;
}
