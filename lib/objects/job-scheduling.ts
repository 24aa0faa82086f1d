// Gang scheduling of a Job's pods (alpha): what a Job may say of it, and the two objects that stand for it on the cluster.
import type { KubernetesObject, ObjectMeta } from './kubernetes.ts';
import type { Resource } from './resources.ts';

const API_VERSION = 'scheduling.k8s.io/v1beta1';

/** Workloads of the scheduling API: not what Farloop calls a workload. */
export const SCHEDULING_WORKLOADS: Resource = { apiVersion: API_VERSION, kind: 'Workload', plural: 'workloads', namespaced: true };
export const POD_GROUPS: Resource = { apiVersion: API_VERSION, kind: 'PodGroup', plural: 'podgroups', namespaced: true };

/** Of a Job whose controller has the Workload: which of its templates is this Job's. */
export const GROUP_TEMPLATE_NAME = 'scheduling.k8s.io/group-template-name';
/** Of such a Job: the group of groups that its own is part of. */
export const PARENT_GROUP_NAME = 'scheduling.k8s.io/parent-compositepodgroup';

export interface SchedulingPolicy {
  basic?: object;
  /** So many pods start together or none does; of a Job `parallelism` where it is left out. */
  gang?: { minCount?: number };
}

/** What of a group of pods is passed on as it is. */
export interface GroupConstraints {
  schedulingConstraints?: { topology?: { key: string }[] };
  disruptionMode?: { single?: object; all?: object };
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[];
}

/** `spec.scheduling` of a Job. */
export interface JobScheduling extends GroupConstraints {
  schedulingPolicy?: SchedulingPolicy;
}

export interface PodGroupTemplate extends GroupConstraints {
  name: string;
  schedulingPolicy: SchedulingPolicy;
  priorityClassName?: string;
}

export interface SchedulingWorkload extends KubernetesObject {
  metadata: ObjectMeta;
  spec: {
    controllerRef?: { apiGroup?: string; kind: string; name: string };
    podGroupTemplates: PodGroupTemplate[];
  };
}

export interface PodGroup extends KubernetesObject {
  metadata: ObjectMeta;
  spec: Omit<PodGroupTemplate, 'name'> & {
    workloadRef?: { workloadName: string; templateName: string };
    parentCompositePodGroupName?: string;
  };
}
