// Gang scheduling of a Job's pods (alpha): the two objects that represent it on the cluster.
import type { KubernetesObject, ObjectMeta } from './kubernetes.ts';
import type { Resource } from './resources.ts';
import type { GroupConstraints, SchedulingPolicy } from './scheduling-policy.ts';

const API_VERSION = 'scheduling.k8s.io/v1beta1';

/** The option of `--workload-with-job`. */
export const WORKLOAD_WITH_JOB = 'workload-with-job';

/** Workloads of the scheduling API. Farloop's own workloads are something else. */
export const SCHEDULING_WORKLOADS: Resource = { apiVersion: API_VERSION, kind: 'Workload', plural: 'workloads', namespaced: true };
export const POD_GROUPS: Resource = { apiVersion: API_VERSION, kind: 'PodGroup', plural: 'podgroups', namespaced: true };

/** On a Job whose controller has the Workload: the name of this Job's template in it. */
export const GROUP_TEMPLATE_NAME = 'scheduling.k8s.io/group-template-name';
/** On such a Job: the group of groups that contains its own group. */
export const PARENT_GROUP_NAME = 'scheduling.k8s.io/parent-compositepodgroup';

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
