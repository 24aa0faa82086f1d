// Gang scheduling of a Job's pods (alpha, behind a switch): one Workload and one PodGroup represent the Job on the cluster. They are
// created before its first pod. This file decides which of them is missing, and which group pods name. A Job without them runs plain pods.
import {
  GROUP_TEMPLATE_NAME,
  PARENT_GROUP_NAME,
  POD_GROUPS,
  SCHEDULING_WORKLOADS,
  type PodGroup,
  type PodGroupTemplate,
  type SchedulingWorkload,
} from '../../../objects/job-scheduling.ts';
import type { Job, KubernetesObject, OwnerReference } from '../../../objects/kubernetes.ts';
import { controllerOf } from '../../../objects/pods/pod-facts.ts';
import type { NewEvent } from '../../rows/actions.ts';
import type { SchedulingGroup } from '../pods/pod.ts';

/** The scheduling objects in the Job's namespace. */
export interface SchedulingObjects {
  workloads: readonly SchedulingWorkload[];
  podGroups: readonly PodGroup[];
}

/** The next step. One step at a time: each builds on the API server's answer to the one before. */
export type SchedulingStep =
  | { step: 'create'; object: SchedulingWorkload | PodGroup; created: NewEvent; why: string }
  | { step: 'resize'; object: KubernetesObject & { metadata: { name?: string; uid?: string } }; patch: object; why: string }
  /** Pods name this group, or none. */
  | { step: 'done'; group: SchedulingGroup | undefined; why: string }
  /** It cannot continue until a person fixes the problem. */
  | { step: 'fail'; problem: string };

const plain = (why: string): SchedulingStep => ({ step: 'done', group: undefined, why: `${why}: its pods are scheduled one by one` });

type Mode = 'none' | 'workload and pod group' | 'pod group only';

/** Who manages the two objects. The Job must have its template and annotations, which a view does not have. */
export function schedulingModeOf({ metadata, spec }: Job): Mode {
  if (spec.template?.spec['schedulingGroup'] !== undefined) return 'none';
  if (controllerOf(metadata.ownerReferences) === undefined) return 'workload and pod group';
  return metadata.annotations?.[GROUP_TEMPLATE_NAME] === undefined ? 'none' : 'pod group only';
}

/** Whether it has never started. Its objects are created only then. */
export const isNewJob = ({ status = {} }: Job, pods: number): boolean =>
  pods === 0 &&
  status.startTime === undefined &&
  (status.succeeded ?? 0) + (status.failed ?? 0) === 0 &&
  !(status.conditions ?? []).some(({ type }) => type === 'Suspended');

/** @param pods number of the Job's pods, of any state */
export function nextSchedulingStep(job: Job, found: SchedulingObjects, pods: number): SchedulingStep {
  const mode = schedulingModeOf(job);
  if (mode === 'none') return plain('its scheduling group is somebody else’s business');
  return mode === 'pod group only' ? stepOfChild(job, found, pods) : stepOfRoot(job, found, pods);
}

function stepOfRoot(job: Job, found: SchedulingObjects, pods: number): SchedulingStep {
  const { name = '', uid = '' } = job.metadata;
  const [workload, second] = found.workloads.filter(({ spec }) => isReferenceTo(spec.controllerRef, { group: 'batch', kind: 'Job', name }));
  if (second) return plain(`more than one Workload names Job ${name} as its controller`);
  if (!workload) {
    if (!isNewJob(job, pods)) return plain('the Job has started without a Workload');
    const object = workloadOf(job);
    const message = `Created Workload ${object.metadata.name} for Job ${name}`;
    const created: NewEvent = { type: 'Normal', reason: 'WorkloadCreated', message };
    return { step: 'create', object, created, why: 'the scheduler is to know the Job’s pods as one group' };
  }
  if (!isControlledBy(workload, uid)) return plain(`Workload ${workload.metadata.name} is not the Job’s own`);
  const templates = workload.spec.podGroupTemplates ?? [];
  const [template] = templates;
  if (!template || templates.length !== 1) {
    return { step: 'fail', problem: `Workload ${workload.metadata.name} has ${templates.length} pod group templates, expected 1` };
  }
  return resizeOf(job, workload, template) ?? stepOfGroup(job, found, { pods, workload, template, name: groupNameOf(workload, template) });
}

/** The Workload belongs to the Job's controller, which names this Job's template in it. */
function stepOfChild(job: Job, found: SchedulingObjects, pods: number): SchedulingStep {
  const parent = controllerOf(job.metadata.ownerReferences);
  const wanted = job.metadata.annotations?.[GROUP_TEMPLATE_NAME] ?? '';
  if (parent === undefined) return plain('the Job has no controller');
  const group = parent.apiVersion.includes('/') ? parent.apiVersion.slice(0, parent.apiVersion.indexOf('/')) : '';
  const [workload, second] = found.workloads.filter(({ spec }) => isReferenceTo(spec.controllerRef, { ...parent, group }));
  if (second) return plain(`more than one Workload names ${parent.kind} ${parent.name} as its controller`);
  if (!workload) return { step: 'fail', problem: `no Workload of ${parent.kind} ${parent.name}, the Job’s controller, is there yet` };
  const template = workload.spec.podGroupTemplates.find(({ name }) => name === wanted);
  if (!template) return { step: 'fail', problem: `Workload ${workload.metadata.name} has no pod group template ${wanted}` };
  return stepOfGroup(job, found, { pods, workload, template, name: groupNameOf(workload, template, job.metadata.uid) });
}

function stepOfGroup(
  job: Job,
  { podGroups }: SchedulingObjects,
  { pods, workload, template, name }: { pods: number; workload: SchedulingWorkload; template: PodGroupTemplate; name: string },
): SchedulingStep {
  const { name: jobName = '', uid = '' } = job.metadata;
  const own = schedulingModeOf(job) === 'workload and pod group';
  const [podGroup, second] = podGroups.filter(({ metadata, spec }) =>
    own ? spec.workloadRef?.workloadName === workload.metadata.name : metadata.name === name,
  );
  if (second) return plain(`more than one PodGroup names Workload ${workload.metadata.name}`);
  if (!podGroup) {
    if (!isNewJob(job, pods)) return plain('the Job has started without a PodGroup');
    const created: NewEvent = { type: 'Normal', reason: 'PodGroupCreated', message: `Created PodGroup ${name} for Job ${jobName}` };
    return { step: 'create', object: podGroupOf(job, { workload, template, name, own }), created, why: 'its pods are to name it' };
  }
  if (!isControlledBy(podGroup, uid)) return plain(`PodGroup ${podGroup.metadata.name} is not the Job’s own`);
  const minCount = template.schedulingPolicy.gang?.minCount;
  if (minCount !== undefined && podGroup.spec.schedulingPolicy.gang?.minCount !== minCount) {
    return {
      step: 'resize',
      object: { ...podGroup, ...typeOf(POD_GROUPS) },
      patch: { spec: { schedulingPolicy: { gang: { minCount } } } },
      why: `the gang is of ${minCount} pods now`,
    };
  }
  const group = { name: podGroup.metadata.name ?? '', uid: podGroup.metadata.uid ?? '' };
  return { step: 'done', group, why: `its pods are scheduled as the group ${group.name}` };
}

/** Changes the Workload first, then the group made from it. */
function resizeOf(job: Job, workload: SchedulingWorkload, template: PodGroupTemplate): SchedulingStep | undefined {
  const { schedulingPolicy } = groupTemplateOf(job);
  const minCount = schedulingPolicy.gang?.minCount;
  if (minCount === undefined || template.schedulingPolicy.gang === undefined || template.schedulingPolicy.gang.minCount === minCount) {
    return undefined;
  }
  // A merge patch replaces the whole list of templates. It has one template.
  const podGroupTemplates = [{ ...template, schedulingPolicy: { gang: { minCount } } }];
  return {
    step: 'resize',
    object: { ...workload, ...typeOf(SCHEDULING_WORKLOADS) },
    patch: { spec: { podGroupTemplates } },
    why: `the gang is of ${minCount} pods now`,
  };
}

const typeOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }) => ({ apiVersion, kind });

const isControlledBy = ({ metadata }: KubernetesObject, uid: string): boolean => controllerOf(metadata.ownerReferences)?.uid === uid;

const isReferenceTo = (
  reference: SchedulingWorkload['spec']['controllerRef'],
  { group, kind, name }: { group: string; kind: string; name: string },
): boolean => reference !== undefined && (reference.apiGroup ?? '') === group && reference.kind === kind && reference.name === name;

const ownerReferenceOf = ({ metadata: { name = '', uid = '' } }: Job): OwnerReference => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

function workloadOf(job: Job): SchedulingWorkload {
  const { name = '', namespace = '' } = job.metadata;
  return {
    ...typeOf(SCHEDULING_WORKLOADS),
    metadata: { name: workloadNameOf(job), namespace, ownerReferences: [ownerReferenceOf(job)] },
    spec: { controllerRef: { apiGroup: 'batch', kind: 'Job', name }, podGroupTemplates: [groupTemplateOf(job)] },
  };
}

function groupTemplateOf({ metadata, spec }: Job): PodGroupTemplate {
  const { schedulingPolicy = { basic: {} }, ...constraints } = spec.scheduling ?? {};
  const { gang } = schedulingPolicy;
  const priorityClassName = spec.template?.spec['priorityClassName'];
  return {
    name: `${metadata.name}-pgt-0`,
    schedulingPolicy: gang === undefined ? schedulingPolicy : { gang: { minCount: gang.minCount ?? Math.max(spec.parallelism ?? 1, 1) } },
    ...constraints,
    ...(typeof priorityClassName === 'string' && priorityClassName !== '' && { priorityClassName }),
  };
}

function podGroupOf(
  job: Job,
  { workload, template, name, own }: { workload: SchedulingWorkload; template: PodGroupTemplate; name: string; own: boolean },
): PodGroup {
  const { name: templateName, ...spec } = template;
  const { name: workloadName = '', uid = '' } = workload.metadata;
  const parent = job.metadata.annotations?.[PARENT_GROUP_NAME];
  // Neither controller nor blocking: the Workload may be deleted before its group.
  const ofWorkload: OwnerReference = { ...typeOf(SCHEDULING_WORKLOADS), name: workloadName, uid };
  return {
    ...typeOf(POD_GROUPS),
    metadata: {
      name,
      namespace: job.metadata.namespace ?? '',
      ownerReferences: [ownerReferenceOf(job), ...(own ? [ofWorkload] : [])],
    },
    spec: {
      ...spec,
      workloadRef: { workloadName, templateName },
      ...(!own && parent !== undefined && { parentCompositePodGroupName: parent }),
    },
  };
}

/** Longest name of an object. */
const MOST_CHARACTERS = 253;

function workloadNameOf({ metadata: { name = '', uid = '' } }: Job): string {
  const hash = safeHash(uid);
  return `${name.slice(0, MOST_CHARACTERS - hash.length - 1)}-${hash}`;
}

/** Cuts both halves evenly if they are too long. @param uid of a Job that shares the template with others */
function groupNameOf({ metadata: { name = '' } }: SchedulingWorkload, { name: template }: PodGroupTemplate, uid = ''): string {
  const hash = safeHash(`${name}${template}${uid}`);
  const most = MOST_CHARACTERS - hash.length - 2;
  const half = Math.floor(most / 2);
  const ofTemplate = name.length + template.length <= most ? template.length : Math.max(half, most - name.length);
  const ofWorkload = Math.min(name.length, most - Math.min(template.length, ofTemplate));
  return `${name.slice(0, ofWorkload)}-${template.slice(0, ofTemplate)}-${hash}`;
}

/** FNV-1a of 32 bits. Writes its decimal digits with letters that are valid in names and spell no words. */
function safeHash(text: string): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return String(hash >>> 0).replaceAll(/\d/g, (digit) => letters.charAt(digit.charCodeAt(0) % letters.length));
}
