// An owner as the view keeps it, whatever its kind: its identity, its spec without fields that only live reads show, its status whole. One that
// is too large for an item of the table is stored as a mark, and each pass reads it live.
import { flag, int64, list, object, optional, text, textLike, texts, time, type Check } from '../../objects/values/fact-checks.ts';
import * as shapes from '../../objects/values/field-shapes.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import type { ObjectMeta, WorkloadObject } from '../../objects/kubernetes.ts';
import { fieldsOf, isFields } from '../../objects/values/untyped-fields.ts';

/** Marks the facts of an owner that is too large. A person may write it on an owner too: passes then read it live, which is harmless. */
const READ_LIVE = 'farloop.dev/read-live';
/** Characters of JSON, most of them one byte. With its pods, and uncompressed, such an owner still fits into an item of 400 KB. */
const MOST_CHARACTERS = 65_536;
/** Most characters of one field that a mark still holds. */
const MOST_CHARACTERS_IN_MARK = 8_192;

/** Whether these facts are only a mark. A pass must read such an owner live before it decides anything. */
export const isReadLive = ({ metadata }: WorkloadObject): boolean => metadata.annotations?.[READ_LIVE] === 'true';

export interface KeptParts<Owner extends WorkloadObject> {
  /** Annotations that its passes read, beside the mark. */
  keepsAnnotation(this: void, key: string): boolean;
  /** Fields of metadata beside those of every owner. */
  metadata?: Partial<ObjectMeta>;
  spec: Owner['spec'] | undefined;
  /** Fields beside identity and versions that a mark holds, for people. */
  markOf(this: void, facts: Owner): Pick<WorkloadObject, 'spec' | 'status'>;
}

/** @param owner of which anything may be missing that the API server does not require */
export function keptOwner<Owner extends WorkloadObject>(
  owner: Owner,
  { keepsAnnotation, metadata: more, spec, markOf }: KeptParts<Owner>,
): Owner {
  const { metadata, status, apiVersion, kind, unreadable } = owner;
  const { labels, finalizers, ownerReferences } = metadata;
  const identity = {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: { ...identityIn(metadata), ...more },
    ...(unreadable !== undefined && { unreadable }),
  };
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key === READ_LIVE || keepsAnnotation(key));
  const facts = {
    ...identity,
    metadata: {
      ...identity.metadata,
      ...(labels && { labels }),
      ...(finalizers && { finalizers }),
      ...(ownerReferences && { ownerReferences }),
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    },
    ...(spec && { spec }),
    ...(status && { status }),
  } as unknown as Owner;
  if (unreadable === undefined && JSON.stringify(facts).length <= MOST_CHARACTERS) return facts;
  return {
    ...identity,
    metadata: { ...identity.metadata, annotations: { [READ_LIVE]: 'true' } },
    ...markOf(facts),
  } as unknown as Owner;
}

function identityIn(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata;
  return present({ name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp });
}

type Present<Fields> = { [Field in keyof Fields]?: Exclude<Fields[Field], undefined> };

export const present = <Fields extends object>(fields: Fields): Present<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;

/** For a field of a mark. */
export const ifSmall = <Value>(value: Value): Value | undefined =>
  value !== undefined && JSON.stringify(value).length <= MOST_CHARACTERS_IN_MARK ? value : undefined;

/** A way into the spec, such as `replicas.*.template`; `*` stands for every field of a map. */
export type SpecPath = string;

/** The fields of an owner whose spec is kept without these. */
export const ownerFieldsWithout = (liveOnly: readonly SpecPath[]): Exclude<WantedFields, boolean> => ({
  apiVersion: true,
  kind: true,
  metadata: { '*': true, managedFields: false },
  spec: liveOnly.length === 0 ? true : liveOnly.reduce<WantedFields>((mask, path) => maskWithout(mask, path.split('.')), true),
  status: true,
});

function maskWithout(mask: WantedFields, [field, ...rest]: readonly string[]): WantedFields {
  if (field === undefined) return false;
  const known = mask === true ? { '*': true } : fieldsOf(mask);
  return { ...known, [field]: maskWithout((known[field] as WantedFields | undefined) ?? true, rest) } as WantedFields;
}

/** The spec without what these name. */
export const specWithout = (spec: object | undefined, liveOnly: readonly SpecPath[]): object | undefined =>
  spec && liveOnly.reduce<object>((kept, path) => fieldsOf(valueWithout(kept, path.split('.'))), spec);

function valueWithout(value: unknown, [field, ...rest]: readonly string[]): unknown {
  if (!isFields(value) || field === undefined) return value;
  const fields = field === '*' ? Object.keys(value) : field in value ? [field] : [];
  const kept = { ...value };
  for (const name of fields)
    if (rest.length === 0) delete kept[name];
    else kept[name] = valueWithout(kept[name], rest);
  return kept;
}

const NAME = textLike(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, 'a name');

/** Metadata that each owner in a message has. An API server accepts no other; a relay in an attacker's hands may send anything. */
const METADATA = {
  name: NAME,
  namespace: NAME,
  uid: textLike(/^[\w.:-]{1,128}$/, 'a uid'),
  resourceVersion: textLike(/^(0|[1-9][0-9]{0,39})$/, 'a resourceVersion'),
  generation: optional(int64),
  creationTimestamp: optional(time),
  deletionTimestamp: optional(time),
  deletionGracePeriodSeconds: optional(int64),
  labels: optional(texts),
  annotations: optional(texts),
  finalizers: optional(list(text)),
  ownerReferences: optional(list(object({ apiVersion: text, kind: text, name: text, uid: text, controller: optional(flag) }))),
};

/** Of a status. */
export const CONDITIONS = shapes.listOf(
  shapes.objectOf({ type: shapes.text, status: shapes.text, reason: shapes.text, message: shapes.text, lastTransitionTime: shapes.time }, [
    'type',
    'status',
  ]),
);

/** The check of facts from outside: each field that a planner, a pass or the API reads has its type and range. */
export const ownerCheck = ({
  namespaced = true,
  metadata = {},
  spec,
  status,
}: {
  namespaced?: boolean;
  /** Beside the usual fields. */
  metadata?: Record<string, Check>;
  spec: Check;
  status: Check;
}): Check =>
  object({
    metadata: object({ ...METADATA, ...(!namespaced && { namespace: optional(text) }), ...metadata }),
    spec,
    status: optional(status),
  });
