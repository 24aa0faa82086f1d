// Checks facts of a Job from outside: each field that a planner, a pass or the API reads must have its type and range. An API server
// accepts only valid Jobs, so its objects pass. A relay in an attacker's hands may send anything.
import { flag, int32, int64, list, object, optional, text, texts, time } from '../../objects/values/fact-checks.ts';
import { ownerCheck } from '../rows/owner-facts.ts';

const conditions = list(
  object({
    type: text,
    status: text,
    reason: optional(text),
    message: optional(text),
    lastProbeTime: optional(time),
    lastTransitionTime: optional(time),
  }),
);

const selector = object({
  matchLabels: optional(texts),
  matchExpressions: optional(list(object({ key: text, operator: text, values: optional(list(text)) }))),
});

const failureRule = object({
  action: text,
  onExitCodes: optional(object({ containerName: optional(text), operator: text, values: optional(list(int32)) })),
  onPodConditions: optional(list(object({ type: text, status: optional(text) }))),
});

const scheduling = object({
  schedulingPolicy: optional(object({ basic: optional(object({})), gang: optional(object({ minCount: optional(int32) })) })),
  schedulingConstraints: optional(object({ topology: optional(list(object({ key: text }))) })),
  disruptionMode: optional(object({ single: optional(object({})), all: optional(object({})) })),
  resourceClaims: optional(list(object({ name: text, resourceClaimName: optional(text), resourceClaimTemplateName: optional(text) }))),
});

const spec = object({
  parallelism: optional(int32),
  completions: optional(int32),
  activeDeadlineSeconds: optional(int64),
  podFailurePolicy: optional(object({ rules: optional(list(failureRule)) })),
  successPolicy: optional(object({ rules: optional(list(object({ succeededIndexes: optional(text), succeededCount: optional(int32) }))) })),
  backoffLimit: optional(int32),
  backoffLimitPerIndex: optional(int32),
  maxFailedIndexes: optional(int32),
  selector: optional(selector),
  manualSelector: optional(flag),
  template: optional(object({ spec: optional(object({ restartPolicy: optional(text) })) })),
  ttlSecondsAfterFinished: optional(int32),
  completionMode: optional(text),
  suspend: optional(flag),
  podReplacementPolicy: optional(text),
  managedBy: optional(text),
  scheduling: optional(scheduling),
});

const status = object({
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
});

/** The first field that no Job can have; undefined if the facts are possible. */
export const jobFactsFault = ownerCheck({ spec, status });
