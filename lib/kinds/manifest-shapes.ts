// The shapes of objects that `farloop plan` reads: they are checked first, so that planners may rely on the types of their fields.
import * as v from 'valibot';
import { LARGEST_INT32, LEAST_INT32 } from '../objects/integers.ts';
import type { PodGroup, SchedulingWorkload } from '../objects/job-scheduling.ts';
import type { Job, Pod } from '../objects/kubernetes.ts';
import { isTime } from '../objects/time.ts';
import { isFields } from '../objects/untyped-fields.ts';
import type { PlanHead } from './plan.ts';

const text = v.string('text');
const texts = v.record(v.string(), text, 'a map of texts');
const int32 = v.pipe(
  v.number('a whole number'),
  v.integer('a whole number'),
  v.minValue(LEAST_INT32, 'a number of 32 bits'),
  v.maxValue(LARGEST_INT32, 'a number of 32 bits'),
);
const int64 = v.pipe(v.number('a whole number'), v.integer('a whole number'));
const flag = v.boolean('true or false');
const time = v.pipe(text, v.check(isTime, 'an RFC 3339 time'));
const optional = <Schema extends v.GenericSchema>(schema: Schema) => v.optional(schema);
const object = <Entries extends v.ObjectEntries>(entries: Entries) => v.looseObject(entries, 'an object');
const list = <Item extends v.GenericSchema>(item: Item) => v.array(item, 'a list');

const metadata = object({
  name: text,
  generateName: optional(text),
  namespace: optional(text),
  uid: optional(text),
  resourceVersion: optional(text),
  generation: optional(int64),
  creationTimestamp: optional(time),
  deletionTimestamp: optional(time),
  deletionGracePeriodSeconds: optional(int64),
  labels: optional(texts),
  annotations: optional(texts),
  finalizers: optional(list(text)),
  ownerReferences: optional(list(object({ apiVersion: text, kind: text, name: text, uid: text, controller: optional(flag) }))),
});

const conditions = list(
  object({ type: text, status: text, reason: optional(text), message: optional(text), lastTransitionTime: optional(time) }),
);

const containers = list(
  object({
    name: text,
    image: optional(text),
    command: optional(list(text)),
    args: optional(list(text)),
    env: optional(list(object({ name: text, value: optional(text) }))),
    restartPolicy: optional(text),
    resources: optional(object({})),
  }),
);

const podSpec = object({ containers, initContainers: optional(containers), restartPolicy: optional(text), nodeName: optional(text) });

const containerStatuses = list(
  object({
    name: text,
    restartCount: optional(int32),
    state: optional(object({ terminated: optional(object({ exitCode: int32, finishedAt: optional(time) })) })),
  }),
);

const pod = object({
  metadata: v.looseObject({ ...metadata.entries, uid: text }, 'an object'),
  spec: optional(podSpec),
  status: optional(
    object({
      phase: optional(text),
      conditions: optional(conditions),
      containerStatuses: optional(containerStatuses),
      initContainerStatuses: optional(containerStatuses),
    }),
  ),
});

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

const uids = v.optional(list(text), []);
const wholeFromZero = v.pipe(int32, v.minValue(0, 'a whole number from 0'));

const head = object({
  expectations: v.optional(object({ create: uids, delete: uids, strip: uids }), {}),
  backoff: v.optional(object({ failures: v.optional(wholeFromZero, 0), lastFailureTime: optional(time) }), {}),
  ordinal: v.optional(wholeFromZero, 0),
});

/** A field of the wrong type or form. */
export interface ShapeProblem {
  /** Path such as `spec.template.spec.containers[0].name`; empty for the whole document. */
  field: string;
  /** Ends the sentence "expected …". */
  expected: string;
  /** The field's value, as JSON; undefined if the field is absent. */
  found: string | undefined;
}

export const isJob = (document: object): document is Job => v.is(job, document);
export const isPod = (document: object): document is Pod => v.is(pod, document);
/** The first field that keeps the document from being a Job. Call it only for a document that is not one. */
export const jobProblem = (document: object): ShapeProblem => problemIn(job, document);
export const podProblem = (document: object): ShapeProblem => problemIn(pod, document);

export const isSchedulingWorkload = (document: object): document is SchedulingWorkload => v.is(schedulingWorkload, document);
export const isPodGroup = (document: object): document is PodGroup => v.is(podGroup, document);
export const schedulingProblem = (document: object, kind: 'Workload' | 'PodGroup'): ShapeProblem =>
  problemIn(kind === 'Workload' ? schedulingWorkload : podGroup, document);

/** The durable state in a Head document. Fields that it leaves out are empty. */
export function readHead(document: object): PlanHead | ShapeProblem {
  const result = v.safeParse(head, document);
  if (!result.success) return problemIn(head, document);
  const { expectations, backoff, ordinal } = result.output;
  const { failures, lastFailureTime } = backoff;
  return { expectations, backoff: { failures, ...(lastFailureTime !== undefined && { lastFailureTime }) }, ordinal };
}

function problemIn(schema: v.GenericSchema, document: object): ShapeProblem {
  const { issues } = v.safeParse(schema, document, { abortEarly: true });
  const issue = issues?.[0];
  const found: unknown = issue?.input;
  const path = issue?.path ?? [];
  return {
    field: fieldText(path),
    // For a missing field, valibot reports the object around it.
    expected: (found === undefined && wantedAt(schema, path)) || (issue?.message ?? 'something else'),
    found: found === undefined ? undefined : JSON.stringify(found).slice(0, 80),
  };
}

/** The type that the schema expects there; undefined where the schema does not say. */
function wantedAt(schema: v.GenericSchema, path: readonly v.IssuePathItem[]): string | undefined {
  let at: unknown = schema;
  for (const { key } of path) {
    if (!isFields(at)) return undefined;
    if (isFields(at['entries'])) at = at['entries'][String(key)];
    else at = at['item'] ?? at['value'];
    while (isFields(at) && isFields(at['wrapped'])) at = at['wrapped'];
  }
  const wanted = isFields(at) ? at['message'] : undefined;
  return typeof wanted === 'string' ? wanted : undefined;
}

function fieldText(path: readonly v.IssuePathItem[]): string {
  let field = '';
  for (const { key } of path) field += typeof key === 'number' ? `[${key}]` : `${field === '' ? '' : '.'}${String(key)}`;
  return field;
}
