// The shapes of objects that `farloop plan` reads. They are checked first, so that planners may rely on the types of their fields.
import * as v from 'valibot';
import { LARGEST_INT32, LEAST_INT32 } from '../../objects/values/integers.ts';
import type { KubernetesObject, Pod } from '../../objects/kubernetes.ts';
import { isTime } from '../../objects/values/time.ts';
import { isFields } from '../../objects/values/untyped-fields.ts';
import type { PlanHead } from './plan.ts';

export const text = v.string('text');
export const texts = v.record(v.string(), text, 'a map of texts');
export const int32 = v.pipe(
  v.number('a whole number'),
  v.integer('a whole number'),
  v.minValue(LEAST_INT32, 'a number of 32 bits'),
  v.maxValue(LARGEST_INT32, 'a number of 32 bits'),
);
export const int64 = v.pipe(v.number('a whole number'), v.integer('a whole number'));
export const flag = v.boolean('true or false');
export const time = v.pipe(text, v.check(isTime, 'an RFC 3339 time'));
export const optional = <Schema extends v.GenericSchema>(schema: Schema) => v.optional(schema);
export const object = <Entries extends v.ObjectEntries>(entries: Entries) => v.looseObject(entries, 'an object');
export const list = <Item extends v.GenericSchema>(item: Item) => v.array(item, 'a list');

export const metadata = object({
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

export const conditions = list(
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

export const podSpec = object({
  containers,
  initContainers: optional(containers),
  restartPolicy: optional(text),
  nodeName: optional(text),
});

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

export const isPod = (document: object): document is Pod => v.is(pod, document);
/** The first field of a wrong shape. Call it only for a document that is not a Pod. */
export const podProblem = (document: object): ShapeProblem => problemIn(pod, document);

const anyObject = object({ metadata });

export const isObject = (document: object): document is KubernetesObject => v.is(anyObject, document);
/** The first field of a wrong shape. Call it only for a document that is no object. */
export const objectProblem = (document: object): ShapeProblem => problemIn(anyObject, document);

/** The durable state in a Head document. Fields that it leaves out are empty. */
export function readHead(document: object): PlanHead | ShapeProblem {
  const result = v.safeParse(head, document);
  if (!result.success) return problemIn(head, document);
  const { expectations, backoff, ordinal } = result.output;
  const { failures, lastFailureTime } = backoff;
  return { expectations, backoff: { failures, ...(lastFailureTime !== undefined && { lastFailureTime }) }, ordinal };
}

/** The first field of a wrong shape. Call it only for a document that does not match. */
export function problemIn(schema: v.GenericSchema, document: object): ShapeProblem {
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

/** The type that the schema expects there; undefined if the schema has none. */
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
