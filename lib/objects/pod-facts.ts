// What planners know of a pod: the projection that the relay sends, the view keeps and `farloop plan` makes from a manifest.
// Never environment values, never volumes, never secrets.
import { integerOf } from './index-text.ts';
import type { ContainerStatus, OwnerReference, Pod } from './kubernetes.ts';
import type { WantedFields } from './wanted-fields.ts';

export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
export const INDEX_FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count';
export const INDEX_IGNORED_FAILURE_COUNT = 'batch.kubernetes.io/job-index-ignored-failure-count';
/** Ours: the number that the pod's computed name stands for (R5). */
export const CHILD_NUMBER = 'farloop.dev/number';

export interface ContainerFacts {
  name: string;
  /** A sidecar is an init container that restarts always. */
  role: 'container' | 'sidecar' | 'init';
  restarts: number;
  /** Set while the container is terminated. */
  exitCode?: number;
  /** Unix seconds; set while terminated and told. */
  finishedAt?: number;
}

export interface PodFacts {
  uid: string;
  name: string;
  namespace: string;
  /** The object's own, not the list's that it was heard in. */
  resourceVersion: string;
  /** The owner reference with `controller: true`. */
  controller?: { apiVersion: string; kind: string; name: string; uid: string };
  /** All labels but the completion index where it repeats the annotation. */
  labels: Record<string, string>;
  /** Raw text of the completion index annotation. */
  index?: string;
  /** Raw text of the per-index failure annotations. */
  failureCount?: string;
  ignoredFailureCount?: string;
  /** From `farloop.dev/number`: whole, 0 or more. Absent on pods that Farloop did not name. */
  number?: number;
  /** Whether the Job tracking finalizer is on it. */
  tracked: boolean;
  phase: string;
  /** Unix seconds, as are all times here. */
  createdAt: number;
  /** `deletionTimestamp`. */
  deletedAt?: number;
  deletionGraceSeconds?: number;
  /** Bound to a node. */
  assigned: boolean;
  /** Status of the Ready condition, where there is one. */
  ready?: 'True' | 'False' | 'Unknown';
  /** Its last transition. */
  readySince?: number;
  /** Every condition's type and status, in the pod's order. */
  conditions: { type: string; status: string }[];
  /** Regular containers first, then init containers, each in the pod's order. */
  containers: ContainerFacts[];
}

/** Unix seconds of an RFC 3339 text; undefined when absent or unreadable. */
export function secondsOf(time: string | null | undefined): number | undefined {
  if (!time) return undefined;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}

/** RFC 3339 with whole seconds, as the API server writes times. */
export const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');

export const controllerOf = (references: readonly OwnerReference[] | undefined): OwnerReference | undefined =>
  references?.find((reference) => reference.controller === true);

const CONTAINER_FIELDS: WantedFields = { name: true, restartCount: true, state: { terminated: { exitCode: true, finishedAt: true } } };

/** What `podFactsOf` reads of a pod. */
export const POD_FIELDS: WantedFields = {
  metadata: {
    uid: true,
    name: true,
    namespace: true,
    resourceVersion: true,
    creationTimestamp: true,
    deletionTimestamp: true,
    deletionGracePeriodSeconds: true,
    labels: true,
    annotations: { [COMPLETION_INDEX]: true, [INDEX_FAILURE_COUNT]: true, [INDEX_IGNORED_FAILURE_COUNT]: true, [CHILD_NUMBER]: true },
    finalizers: true,
    ownerReferences: { apiVersion: true, kind: true, name: true, uid: true, controller: true },
  },
  spec: { nodeName: true, initContainers: { name: true, restartPolicy: true } },
  status: {
    phase: true,
    conditions: { type: true, status: true, lastTransitionTime: true },
    containerStatuses: CONTAINER_FIELDS,
    initContainerStatuses: CONTAINER_FIELDS,
  },
};

/** The facts of a pod as the API server stores it. Missing uid, name or version read as empty texts: the caller checks. */
export function podFactsOf(pod: Pod): PodFacts {
  const { metadata, spec, status } = pod;
  const annotations = metadata.annotations ?? {};
  const index = annotations[COMPLETION_INDEX];
  const labels = { ...metadata.labels };
  if (index !== undefined && labels[COMPLETION_INDEX] === index) delete labels[COMPLETION_INDEX];
  const controller = controllerOf(metadata.ownerReferences);
  const number = annotations[CHILD_NUMBER];
  const ready = status?.conditions?.find((condition) => condition.type === 'Ready');
  const readySince = secondsOf(ready?.lastTransitionTime);
  const deletedAt = secondsOf(metadata.deletionTimestamp);
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter((container) => container.restartPolicy === 'Always').map(({ name }) => name),
  );
  return {
    uid: metadata.uid ?? '',
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    resourceVersion: metadata.resourceVersion ?? '0',
    ...(controller && {
      controller: { apiVersion: controller.apiVersion, kind: controller.kind, name: controller.name, uid: controller.uid },
    }),
    labels,
    ...(index !== undefined && { index }),
    ...(annotations[INDEX_FAILURE_COUNT] !== undefined && { failureCount: annotations[INDEX_FAILURE_COUNT] }),
    ...(annotations[INDEX_IGNORED_FAILURE_COUNT] !== undefined && { ignoredFailureCount: annotations[INDEX_IGNORED_FAILURE_COUNT] }),
    ...(number !== undefined && /^\d{1,9}$/.test(number) && { number: Number(number) }),
    tracked: metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false,
    phase: status?.phase ?? '',
    createdAt: secondsOf(metadata.creationTimestamp) ?? 0,
    ...(deletedAt !== undefined && { deletedAt }),
    ...(deletedAt !== undefined &&
      metadata.deletionGracePeriodSeconds !== undefined && { deletionGraceSeconds: metadata.deletionGracePeriodSeconds }),
    assigned: Boolean(spec?.nodeName),
    ...(ready && { ready: ready.status === 'True' ? 'True' : ready.status === 'False' ? 'False' : 'Unknown' }),
    ...(readySince !== undefined && { readySince }),
    conditions: (status?.conditions ?? []).map((condition) => ({ type: condition.type, status: condition.status })),
    containers: [
      ...(status?.containerStatuses ?? []).map((container) => containerFactsOf(container, 'container')),
      ...(status?.initContainerStatuses ?? []).map((container) =>
        containerFactsOf(container, sidecars.has(container.name) ? 'sidecar' : 'init'),
      ),
    ],
  };
}

function containerFactsOf({ name, restartCount, state }: ContainerStatus, role: ContainerFacts['role']): ContainerFacts {
  const finishedAt = secondsOf(state?.terminated?.finishedAt);
  return {
    name,
    role,
    restarts: restartCount ?? 0,
    ...(state?.terminated && { exitCode: state.terminated.exitCode }),
    ...(finishedAt !== undefined && { finishedAt }),
  };
}

export const isFinished = (pod: PodFacts): boolean => pod.phase === 'Succeeded' || pod.phase === 'Failed';
export const isActive = (pod: PodFacts): boolean => !isFinished(pod) && pod.deletedAt === undefined;
export const isTerminating = (pod: PodFacts): boolean => !isFinished(pod) && pod.deletedAt !== undefined;
export const isReady = (pod: PodFacts): boolean => pod.ready === 'True';

/** The index that the pod's annotation names, whether or not the Job has it; undefined where there is none that can be read. */
export function completionIndexOf({ index }: PodFacts): number | undefined {
  if (index === undefined) return undefined;
  let value = 0;
  for (let at = 0; at < index.length; at += 1) {
    const digit = index.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9 || at > 8) return unusualIndex(index);
    value = value * 10 + digit;
  }
  return index === '' ? undefined : value;
}

function unusualIndex(text: string): number | undefined {
  const value = integerOf(text);
  return value === undefined || value < 0 ? undefined : value;
}
