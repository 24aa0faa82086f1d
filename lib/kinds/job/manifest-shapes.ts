// The shapes of a Job and of its scheduling objects, in documents for `farloop plan`.
import * as v from 'valibot';
import type { Job } from '../../objects/kubernetes.ts';
import {
  conditions,
  flag,
  int32,
  int64,
  list,
  metadata,
  object,
  optional,
  podSpec,
  problemIn,
  text,
  texts,
  time,
  type ShapeProblem,
} from '../rows/manifest-shapes.ts';

const selector = object({
  matchLabels: optional(texts),
  matchExpressions: optional(list(object({ key: text, operator: text, values: optional(list(text)) }))),
});

const failureRule = object({
  action: text,
  onExitCodes: optional(object({ containerName: optional(text), operator: text, values: list(int32) })),
  onPodConditions: optional(list(object({ type: text, status: optional(text) }))),
});

const schedulingPolicy = object({ basic: optional(object({})), gang: optional(object({ minCount: optional(int32) })) });
const groupConstraints = {
  schedulingConstraints: optional(object({ topology: optional(list(object({ key: text }))) })),
  disruptionMode: optional(object({ single: optional(object({})), all: optional(object({})) })),
  resourceClaims: optional(list(object({ name: text, resourceClaimName: optional(text), resourceClaimTemplateName: optional(text) }))),
};
const podGroupSpec = { schedulingPolicy, ...groupConstraints, priorityClassName: optional(text) };

const schedulingWorkload = object({
  metadata: v.looseObject({ ...metadata.entries, uid: text }, 'an object'),
  spec: object({
    controllerRef: optional(object({ apiGroup: optional(text), kind: text, name: text })),
    podGroupTemplates: list(object({ name: text, ...podGroupSpec })),
  }),
});

const podGroup = object({
  metadata: v.looseObject({ ...metadata.entries, uid: text }, 'an object'),
  spec: object({ ...podGroupSpec, workloadRef: optional(object({ workloadName: text, templateName: text })) }),
});

const job = object({
  metadata,
  spec: object({
    parallelism: optional(int32),
    completions: optional(int32),
    activeDeadlineSeconds: optional(int64),
    podFailurePolicy: optional(object({ rules: list(failureRule) })),
    successPolicy: optional(object({ rules: list(object({ succeededIndexes: optional(text), succeededCount: optional(int32) })) })),
    backoffLimit: optional(int32),
    backoffLimitPerIndex: optional(int32),
    maxFailedIndexes: optional(int32),
    selector: optional(selector),
    manualSelector: optional(flag),
    template: object({
      metadata: optional(object({ labels: optional(texts), annotations: optional(texts), finalizers: optional(list(text)) })),
      spec: podSpec,
    }),
    ttlSecondsAfterFinished: optional(int32),
    completionMode: optional(text),
    suspend: optional(flag),
    podReplacementPolicy: optional(text),
    managedBy: optional(text),
    scheduling: optional(object({ schedulingPolicy: optional(schedulingPolicy), ...groupConstraints })),
  }),
  status: optional(
    object({
      conditions: optional(conditions),
      startTime: optional(time),
      completionTime: optional(time),
      active: optional(int32),
      succeeded: optional(int32),
      failed: optional(int32),
      terminating: optional(int32),
      ready: optional(int32),
      completedIndexes: optional(text),
      failedIndexes: optional(text),
      uncountedTerminatedPods: optional(object({ succeeded: optional(list(text)), failed: optional(list(text)) })),
    }),
  ),
});

export const isJob = (document: object): document is Job => v.is(job, document);
/** The first field of a wrong shape. Call it only for a document that is not a Job. */
export const jobProblem = (document: object): ShapeProblem => problemIn(job, document);

export const schedulingWorkloadProblem = (document: object): ShapeProblem | undefined =>
  v.is(schedulingWorkload, document) ? undefined : problemIn(schedulingWorkload, document);
export const podGroupProblem = (document: object): ShapeProblem | undefined =>
  v.is(podGroup, document) ? undefined : problemIn(podGroup, document);
