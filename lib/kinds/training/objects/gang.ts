// Gang scheduling: the group of a job's pods, for Volcano or for scheduler-plugins.
import type { Replicas, Terms } from '../terms/framework.ts';
import { containersIn } from '../terms/replica-specs.ts';
import { canonicalText } from '../../../objects/child-state.ts';
import type { Json, KubernetesObject, Pod } from '../../../objects/kubernetes.ts';
import { formatQuantity, parseQuantity, sumOfQuantities, type Quantity } from '../../../objects/values/quantity.ts';
import type { Resource } from '../../../objects/resources.ts';
import { fieldsOf, textOf } from '../../../objects/values/untyped-fields.ts';
import { digestOf } from '../names/digest.ts';
import { TRAINING_JOB } from '../names/slots.ts';
import { ownerReferenceOf, totalOf } from '../terms/terms.ts';

export const VOLCANO_GROUPS: Resource = {
  apiVersion: 'scheduling.volcano.sh/v1beta1',
  kind: 'PodGroup',
  plural: 'podgroups',
  namespaced: true,
};
export const PLUGIN_GROUPS: Resource = {
  apiVersion: 'scheduling.x-k8s.io/v1alpha1',
  kind: 'PodGroup',
  plural: 'podgroups',
  namespaced: true,
};
export const PRIORITY_CLASSES: Resource = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
};

export interface GangScheduler {
  /** As pods name it. */
  name: string;
  resource: Resource;
  isVolcano: boolean;
}

/** Undefined: gang scheduling is off. @param name of the settings */
export function gangSchedulerOf(name: string): GangScheduler | undefined {
  if (name === '') return undefined;
  const isVolcano = name.toLowerCase() === 'volcano';
  return { name: isVolcano ? 'volcano' : name, resource: isVolcano ? VOLCANO_GROUPS : PLUGIN_GROUPS, isVolcano };
}

/** Whether a template of the job names another scheduler. */
export const hasForeignScheduler = (replicas: readonly Pick<Replicas, 'template'>[], { name }: Pick<GangScheduler, 'name'>): boolean =>
  replicas.some(({ template }) => {
    const named = template?.spec['schedulerName'];
    return typeof named === 'string' && named !== '' && named !== name;
  });

/** The pod as a member of its group. A scheduler that the template names stays. */
export function decorated(pod: Pod, { name, isVolcano }: GangScheduler, { job, type }: { job: string; type: string }): Pod {
  const { metadata, spec } = pod;
  const mark = isVolcano
    ? {
        annotations: {
          ...metadata.annotations,
          'scheduling.k8s.io/group-name': job,
          'volcano.sh/task-spec': type.toLowerCase(),
        },
      }
    : { labels: { ...metadata.labels, 'scheduling.x-k8s.io/pod-group': job } };
  return { ...pod, metadata: { ...metadata, ...mark }, spec: { ...spec, schedulerName: textOf(spec['schedulerName']) || name } };
}

/** Values by the name of each PriorityClass. Unknown names and none have 0. */
export type Priorities = ReadonlyMap<string, number>;

/** The PriorityClasses that the order of the pods depends on. */
export const priorityClassesIn = ({ replicas }: Terms): string[] => [
  ...new Set(replicas.map(({ template }) => textOf(template?.spec['priorityClassName'])).filter((name) => name !== '')),
];

export const minMemberOf = (terms: Terms): number => terms.runPolicy.schedulingPolicy?.minAvailable ?? totalOf(terms);

/** Of as many pods as must start together, the most urgent first. */
export function minResourcesOf(terms: Terms, priorities: Priorities): Record<string, string> {
  const priorityOf = ({ template }: Replicas): number => priorities.get(textOf(template?.spec['priorityClassName'])) ?? 0;
  const byPriority = terms.replicas.toSorted((a, b) => priorityOf(b) - priorityOf(a) || (a.type < b.type ? -1 : 1));
  const sums = new Map<string, Quantity>();
  let left = minMemberOf(terms);
  for (const { wanted, template } of byPriority) {
    const pods = Math.min(wanted, left);
    left -= pods;
    for (const { resources } of pods > 0 ? containersIn(template) : [])
      for (const [name, amount] of Object.entries(resources?.requests ?? resources?.limits ?? {})) {
        const { nanos, format } = parseQuantity(amount);
        const all = { nanos: nanos * BigInt(pods), format };
        const sum = sums.get(name);
        sums.set(name, sum ? sumOfQuantities(sum, all) : all);
      }
  }
  return Object.fromEntries([...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => [name, formatQuantity(sum)]));
}

/** The compared part of a group: the digest of Farloop's fields, and fields of others. */
export interface GroupPart {
  digest: string;
  queue: string;
  phase: string;
}

/** The spec of the job's group, without the queue. */
export function groupSpecOf(terms: Terms, gang: GangScheduler, priorities: Priorities): Record<string, Json> {
  const { schedulingPolicy: policy = {} } = terms.runPolicy;
  const minResources = policy.minResources ?? minResourcesOf(terms, priorities);
  return {
    minMember: minMemberOf(terms),
    ...(Object.keys(minResources).length > 0 && { minResources }),
    ...(gang.isVolcano
      ? policy.priorityClass !== undefined && { priorityClassName: policy.priorityClass }
      : policy.scheduleTimeoutSeconds !== undefined && { scheduleTimeoutSeconds: policy.scheduleTimeoutSeconds }),
  };
}

/** The queue for a group that has this one. One that is there stays, except in kinds of the base release. */
export function queueOf({ framework, runPolicy }: Terms, present = ''): string {
  const wanted = runPolicy.schedulingPolicy?.queue ?? '';
  if (framework.isOfBase) return wanted;
  return present || wanted || 'default';
}

const OWN_FIELDS = ['minMember', 'minResources', 'priorityClassName', 'scheduleTimeoutSeconds'];

export function groupPartOf(group: KubernetesObject): Json {
  const { spec, status } = group as { spec?: unknown; status?: unknown };
  return { digest: digestOfGroup(fieldsOf(spec)), queue: textOf(fieldsOf(spec)['queue']), phase: textOf(fieldsOf(status)['phase']) };
}

export const digestOfGroup = (spec: Record<string, unknown>): string =>
  digestOf(canonicalText(Object.fromEntries(OWN_FIELDS.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]]])))));

export function groupOf(terms: Terms, gang: GangScheduler, spec: Record<string, Json>): KubernetesObject {
  const { apiVersion, kind } = gang.resource;
  const { name, namespace, job } = terms;
  const { annotations } = job.metadata;
  const queue = gang.isVolcano ? { queue: queueOf(terms) } : {};
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { [TRAINING_JOB]: name },
      ...(annotations && { annotations }),
      ownerReferences: [ownerReferenceOf(terms)],
    },
    spec: { ...spec, ...queue },
  } as KubernetesObject;
}

/** Fields that were there and are no more are taken out by name. */
export const groupPatchOf = (
  terms: Terms,
  gang: GangScheduler,
  { spec, part }: { spec: Record<string, Json>; part: GroupPart },
): object => ({
  spec: {
    ...Object.fromEntries(OWN_FIELDS.map((name) => [name, spec[name] ?? null])),
    ...(gang.isVolcano && { queue: queueOf(terms, part.queue) }),
  },
});

/** Whether pods wait for their group. scheduler-plugins never lets them. */
export const waitsForGroup = ({ isVolcano }: GangScheduler, phase: string | undefined): boolean =>
  isVolcano && (phase === undefined || phase === '' || phase === 'Pending');
