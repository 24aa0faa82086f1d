// Every kind in one table: what it owns, how its children are found and named, its planner.
import type { Job, JobStatus } from '../objects/kubernetes.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import type { Resource } from '../objects/resources.ts';
import { JOBS } from '../objects/resources.ts';
import type { WorkloadKey, WorkloadKind } from '../objects/workload.ts';
import { podNameOf } from './job/names.ts';
import { jobPlanner } from './job/plan.ts';
import type { Planner } from './plan.ts';

export interface CatalogRow {
  kind: WorkloadKind;
  resource: Resource;
  /** Source component of its Events: the reference's. */
  component: string;
  planner: Planner<Job, JobStatus>;
  /** Selects the children in a live list; the owner's own selector where it is known. */
  childSelector(key: WorkloadKey, owner: Job | undefined): string;
  /** Whether a pod that the selector found is this workload's business: controlled by it, or by nobody. */
  concerns(key: WorkloadKey, pod: PodFacts): boolean;
  /** The name that a child's slot and number stand for (R5). */
  childName(owner: Job, child: { slot: number; number: number }): string;
}

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

export const CATALOG: readonly CatalogRow[] = [
  {
    kind: 'Job',
    resource: JOBS,
    component: 'job-controller',
    planner: jobPlanner,
    childSelector: (key, owner) => selectorTextOf(owner) ?? `${CONTROLLER_UID}=${key.uid}`,
    concerns: (key, { controller }) => controller === undefined || controller.uid === key.uid,
    childName: (owner, { slot, number }) => podNameOf(owner, slot, number),
  },
];

export function rowOf(kind: WorkloadKind): CatalogRow {
  const row = CATALOG.find((candidate) => candidate.kind === kind);
  if (!row) throw new Error(`no catalogue row for kind ${kind}`);
  return row;
}

/** `matchLabels` as a selector text; undefined where there are none, or expressions that a text would have to repeat. */
function selectorTextOf(owner: Job | undefined): string | undefined {
  const labels = Object.entries(owner?.spec.selector?.matchLabels ?? {});
  if (labels.length === 0 || (owner?.spec.selector?.matchExpressions?.length ?? 0) > 0) return undefined;
  return labels.map(([key, value]) => `${key}=${value}`).join(',');
}
