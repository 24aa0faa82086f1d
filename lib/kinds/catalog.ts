// Every workload kind in one table: what it is, what it owns, how its children are found and named, which planner decides.
import { controllerUidLabel, jobNameLabel, legacyControllerUidLabel, legacyJobNameLabel } from '../objects/job-labels.ts';
import type { Job, JobStatus } from '../objects/kubernetes.ts';
import { LabelSelectorError, selectorTextOf } from '../objects/label-selector.ts';
import type { PodFacts } from '../objects/pod-facts.ts';
import { JOBS, PODS, type Resource } from '../objects/resources.ts';
import type { WorkloadKey, WorkloadKind } from '../objects/workload.ts';
import { podNameOf } from './job/names.ts';
import { jobPlanner } from './job/plan.ts';
import { orphanPodPlanner } from './orphan-pod/orphan-pod.ts';
import type { Planner } from './plan.ts';
import { ownEntry } from '../objects/untyped-fields.ts';

export interface KindRow<Owner extends Job, Status> {
  kind: WorkloadKind;
  /** The owner's own resource. */
  resource: Resource;
  /** Resources whose objects belong to the workload through their controller reference. */
  owns: readonly Resource[];
  /** Source component of its Events: the reference's. */
  component: string;
  planner: Planner<Owner, Status>;
  /** No object of that key is ever read: the workload is what is left of pods without an owner. */
  isOwnerless?: true;
  /** Selects the children in a live list: by the owner's own selector where it is known. */
  childSelection(key: WorkloadKey, owner: Owner | undefined): { labelSelector: string } | { fieldSelector: string };
  /** Selects children that the first selection misses, somebody having changed the label that it asks for; undefined where nothing can. */
  strayedSelection?(key: WorkloadKey, owner: Owner | undefined): { labelSelector: string } | undefined;
  /** Whether a pod that the selector found is this workload's business: controlled by it, or by nobody. */
  concerns(key: WorkloadKey, pod: PodFacts): boolean;
  /** The name that a child's slot and number stand for (R5). */
  childName(owner: Owner, child: { slot: number; number: number }): string;
}

export type CatalogRow = KindRow<Job, JobStatus>;

export const CATALOG = {
  Job: {
    kind: 'Job',
    resource: JOBS,
    owns: [PODS],
    component: 'job-controller',
    planner: jobPlanner,
    // Of a Job that is gone: pods carry the label with the prefix too, but for those made before Kubernetes 1.27.
    childSelection: (key, owner) => ({ labelSelector: readableSelector(owner) ?? `${legacyControllerUidLabel}=${key.uid}` }),
    strayedSelection,
    concerns: (key, { controller }) => controller === undefined || controller.uid === key.uid,
    childName: (owner, { slot, number }) => podNameOf(owner, slot, number),
  },
  OrphanPod: {
    kind: 'OrphanPod',
    resource: PODS,
    owns: [PODS],
    component: 'job-controller',
    planner: orphanPodPlanner,
    isOwnerless: true,
    childSelection: ({ name }) => ({ fieldSelector: `metadata.name=${name}` }),
    concerns: (key, { uid, controller }) => uid === key.uid && controller === undefined,
    childName: ({ metadata }) => metadata.name ?? '',
  },
} satisfies Record<WorkloadKind, CatalogRow>;

export const rowOf = (kind: WorkloadKind): CatalogRow => CATALOG[kind];

/** The uid's label that a generated selector asks for → the name's label beside it. */
const NAME_LABELS: Record<string, string> = { [controllerUidLabel]: jobNameLabel, [legacyControllerUidLabel]: legacyJobNameLabel };

/** By the name that the API server labels them with beside the uid; where people chose the selector there may be no such label. */
function strayedSelection({ name }: WorkloadKey, owner: Job | undefined): { labelSelector: string } | undefined {
  const { matchLabels = {}, matchExpressions = [] } = owner?.spec.selector ?? {};
  const [[label, uid] = ['', ''], ...others] = Object.entries(matchLabels);
  const nameLabel = ownEntry(NAME_LABELS, label);
  if (!nameLabel || others.length > 0) return undefined;
  // With expressions beside it, a pod whose uid's label stands may be missed all the same.
  return { labelSelector: matchExpressions.length > 0 ? `${nameLabel}=${name}` : `${nameLabel}=${name},${label}!=${uid}` };
}

/** The Job's own, as a text; undefined where it has none, or none that can be read, for which its planner parks it. */
function readableSelector(owner: Job | undefined): string | undefined {
  try {
    return selectorTextOf(owner?.spec.selector);
  } catch (error) {
    if (error instanceof LabelSelectorError) return undefined;
    throw error;
  }
}
