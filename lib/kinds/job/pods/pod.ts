// The pods that a Job starts, built from its template.
import { POD_GROUPS } from '../../../objects/job-scheduling.ts';
import type { Container, Job, OwnerReference, Pod, PodSpec } from '../../../objects/kubernetes.ts';
import {
  CHILD_NUMBER,
  COMPLETION_INDEX,
  INDEX_FAILURE_COUNT,
  INDEX_IGNORED_FAILURE_COUNT,
  TRACKING_FINALIZER,
  type PodFacts,
} from '../../../objects/pods/pod-facts.ts';
import { namePrefixOf, podNameOf } from './names.ts';
import { inheritedFailures } from '../backoff/per-index-backoff.ts';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';

/** The group that pods name, by name and uid. */
export interface SchedulingGroup {
  name: string;
  uid: string;
}

export interface PodOrder {
  /** Completion index. For a Job without indexes the number itself. */
  slot: number;
  number: number;
  /** With failures counted per index: the failed pod that it replaces. */
  replaces: PodFacts | undefined;
}

/** A maker of the Job's pods, which builds their common parts once. A Job from a view has no template: its pods have no containers. */
export function podMaker(job: Job, group?: SchedulingGroup): (order: PodOrder) => Pod {
  const { name: jobName = '', namespace = '', uid = '' } = job.metadata;
  const template = job.spec.template ?? { spec: { containers: [] } };
  const indexed = job.spec.completionMode === 'Indexed';
  const perIndex = indexed && job.spec.backoffLimitPerIndex !== undefined;
  const owner: OwnerReference = { apiVersion: 'batch/v1', kind: 'Job', name: jobName, uid, controller: true, blockOwnerDeletion: true };
  const own = template.metadata?.finalizers ?? [];
  const finalizers = own.includes(TRACKING_FINALIZER) ? own : [...own, TRACKING_FINALIZER];
  const grouped = group ? { ...template.spec, schedulingGroup: { podGroupName: group.name } } : template.spec;
  const spec = indexed ? withIndexVariable(grouped) : grouped;
  const { annotations: ownAnnotations, labels: ownLabels } = template.metadata ?? {};
  const hasLabels = indexed || Object.keys(ownLabels ?? {}).length > 0;
  const { apiVersion, kind } = POD_GROUPS;
  const ownerReferences = group ? [owner, { apiVersion, kind, name: group.name, uid: group.uid }] : [owner];
  return ({ slot, number, replaces }) => {
    const index = String(slot);
    const annotations: Record<string, string> = { ...ownAnnotations };
    annotations[CHILD_NUMBER] = String(number);
    if (indexed) annotations[COMPLETION_INDEX] = index;
    if (perIndex) {
      const { counted, ignored } = inheritedFailures(job.spec, replaces);
      annotations[INDEX_FAILURE_COUNT] = String(counted);
      if (ignored > 0) annotations[INDEX_IGNORED_FAILURE_COUNT] = String(ignored);
    }
    const labels: Record<string, string> = { ...ownLabels };
    if (indexed) labels[COMPLETION_INDEX] = index;
    const name = podNameOf(job, slot, number);
    const generateName = namePrefixOf(jobName, indexed ? slot : undefined);
    const metadata = hasLabels
      ? { name, generateName, namespace, labels, annotations, finalizers, ownerReferences }
      : { name, generateName, namespace, annotations, finalizers, ownerReferences };
    return { apiVersion: 'v1', kind: 'Pod', metadata, spec: indexed ? { ...spec, hostname: `${jobName}-${slot}` } : spec };
  };
}

/** The spec with the variable added to every container that has none of that name. */
function withIndexVariable(spec: PodSpec): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map(withVariable),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(withVariable) }),
  };
}

function withVariable(container: Container): Container {
  if (container.env?.some(({ name }) => name === INDEX_VARIABLE)) return container;
  const variable = { name: INDEX_VARIABLE, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } } };
  return { ...container, env: [...(container.env ?? []), variable] };
}

/** Why this template yields no pod; undefined if it does. */
export function templateProblem(job: Job): string | undefined {
  const { template, completionMode } = job.spec;
  if (!template || template.spec.containers.length === 0 || completionMode === 'Indexed') return undefined;
  return Object.keys(template.metadata?.labels ?? {}).length === 0 ? 'unable to create pods, no labels' : undefined;
}
