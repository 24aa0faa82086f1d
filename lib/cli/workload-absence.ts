// A workload that was named and is not there: where it is, or which one may have been meant.
import type { WorkloadSummary } from '../api/workloads.ts';
import { suggestionText } from './suggestions.ts';

export interface SoughtWorkload {
  kind?: string | undefined;
  name: string;
  namespace?: string | undefined;
  cluster?: string | undefined;
}

/** @param known all workloads of that kind. @returns one sentence without a full stop */
export function absenceText({ kind = 'workload', name, namespace, cluster }: SoughtWorkload, known: readonly WorkloadSummary[]): string {
  const where = `${namespace === undefined ? '' : ` in namespace ${namespace}`}${cluster === undefined ? '' : ` on cluster ${cluster}`}`;
  const what = `there is no ${kind} ${name}${where}`;
  if (known.length === 0) return `${what}: Farloop knows of no ${kind} yet`;
  const elsewhere = known.filter((workload) => workload.name === name);
  if (elsewhere.length > 0) {
    const places = new Set(elsewhere.map((workload) => `in namespace ${workload.namespace} on cluster ${workload.cluster}`));
    return `${what}: there is one ${[...places].slice(0, 3).join(', and one ')}`;
  }
  const names = [...new Set(known.map((workload) => workload.name))];
  return `${what}${suggestionText(name, names)}: "farloop get workloads" shows what there is`;
}
