// The shapes of the objects that the API server knows, written as data and read once at start.
//
// One line per type: `field:type` separated by blanks, `field*:type` for one that is always serialised, `field@3:type` with its
// number in protocol buffers (`@2.1`: field 1 of a message that JSON does not show, itself field 2).
//   s text · i 32-bit integer · l 64-bit integer · n number · b boolean · t time · m time with microseconds · y base64
//   q quantity · x integer or text · * anything · {T} map of texts to T · Name an object of that type
//   T[] list replaced as a whole · T[k] list merged by key k, in patches and in field ownership
//   T[p|a,b] merged by p in patches, owned by a,b · T[p|] merged by p in patches only · T[|a] owned by a only
//   T[=] set of scalars · T[|=] set for ownership only · T[k!] and T! `$retainKeys` applies · T~ owned as a whole
//   T^ always there, as an empty object, an empty text, or a time or list of null: nobody owns an object of it, only what is in it · T~^ both
import { createHash } from 'node:crypto';
import { isOn } from '../objects/features.ts';
import { admissionTypes } from './types/admission-types.ts';
import { appsTypes } from './types/apps-types.ts';
import { autoscalingTypes } from './types/autoscaling-types.ts';
import { clusterTypes } from './types/cluster-types.ts';
import { containerTypes } from './types/container-types.ts';
import { definitionTypes } from './types/definition-types.ts';
import { descriptions } from './descriptions.ts';
import { fieldValues } from './field-values.ts';
import type { FieldValues } from './field-values.ts';
import { jobTypes } from './types/job-types.ts';
import { metricsTypes } from './types/metrics-types.ts';
import { metaTypes } from './types/meta-types.ts';
import { podTypes } from './types/pod-types.ts';
import { policyTypes } from './types/policy-types.ts';
import { rbacTypes } from './types/rbac-types.ts';
import { reviewTypes } from './types/review-types.ts';
import { schedulingTypes } from './types/scheduling-types.ts';
import { volumeTypes } from './types/volume-types.ts';

export type Scalar =
  'string' | 'int32' | 'int64' | 'number' | 'boolean' | 'time' | 'microTime' | 'bytes' | 'quantity' | 'intOrString' | 'any' | 'free';

export interface ScalarType {
  is: Scalar;
}

export interface MapType {
  is: 'map';
  of: FieldType;
}

export interface ListType {
  is: 'list';
  of: FieldType;
  /** How a strategic merge patch treats the list: replaced, merged by `patchKey`, or merged as a set of scalars. */
  patch: 'replace' | 'merge' | 'set';
  patchKey: string;
  /** How field ownership treats it: as one value, per element by `ownerKeys`, or per scalar. */
  ownership: 'atomic' | 'map' | 'set';
  ownerKeys: readonly string[];
  /** A strategic merge patch of an element may drop the fields that it does not name. */
  retainsKeys: boolean;
}

export interface ObjectType {
  is: 'object';
  name: string;
  /** Field ownership does not look inside. */
  isWhole: boolean;
  /** Fields that it does not declare are kept, as free-form values (free-form.ts). */
  keepsUnknown?: true;
  fields: ReadonlyMap<string, Field>;
}

export type FieldType = ScalarType | MapType | ListType | ObjectType;

export interface Field {
  name: string;
  /** Always serialised, even when empty. */
  required: boolean;
  /** Field ownership does not look inside. */
  atomic: boolean;
  /** There even when nobody gave it: an object, a text or a time. */
  isEmbedded: boolean;
  /** The texts that it takes, and its default. */
  values: FieldValues | undefined;
  /** Its numbers in protocol buffers: one, or more for a field of messages that JSON does not show. */
  numbers: readonly number[];
  type: FieldType;
}

const scalars: Readonly<Record<string, Scalar>> = {
  s: 'string',
  i: 'int32',
  l: 'int64',
  n: 'number',
  b: 'boolean',
  t: 'time',
  m: 'microTime',
  y: 'bytes',
  q: 'quantity',
  x: 'intOrString',
  '*': 'any',
};

const sources: Readonly<Record<string, string>> = {
  ...metaTypes,
  ...volumeTypes,
  ...containerTypes,
  ...podTypes,
  ...jobTypes,
  ...appsTypes,
  ...clusterTypes,
  ...policyTypes,
  ...rbacTypes,
  ...autoscalingTypes,
  ...admissionTypes,
  ...reviewTypes,
  ...metricsTypes,
  ...definitionTypes,
  ...(isOn('WorkloadWithJob') && { ...schedulingTypes, JobSpec: `${jobTypes.JobSpec} scheduling@17:JobScheduling` }),
};

/** References and selectors: the owner of one owns all of it. */
const wholeTypes = new Set([
  'ConfigMapKeySelector',
  'FileKeySelector',
  'LabelSelector',
  'LocalObjectReference',
  'NodeSelector',
  'NodeSelectorTerm',
  'ObjectFieldSelector',
  'ObjectReference',
  'OwnerReference',
  'ResourceFieldSelector',
  'SecretKeySelector',
  'MatchResources',
  'ParamKind',
  'ParamRef',
  'TypedLocalObjectReference',
]);

const read = new Map<string, ObjectType>();

/**
 * The shape of a type, e.g. `Pod`. Types refer to each other and to themselves; each is read once.
 * @throws Error for a type that no table names: a mistake in this program, not in a request
 */
export function schemaOf(name: string): ObjectType {
  const known = read.get(name);
  if (known) return known;
  const source = sources[name];
  if (source === undefined) throw new Error(`no schema table names the type ${name}`);
  const fields = new Map<string, Field>();
  const type: ObjectType = { is: 'object', name, isWhole: wholeTypes.has(name), fields };
  read.set(name, type); // before its fields: JSON-like types contain themselves
  for (const word of source.trim().split(/\s+/)) {
    const field = fieldOf(word);
    fields.set(field.name, { ...field, values: fieldValues[`${name}.${field.name}`] });
  }
  return type;
}

/** Every type's name, in the order of the tables. */
export const schemaNames = (): string[] => Object.keys(sources);

let digest: string | undefined;

/** A number for all that is said of the types: what is made of them is the same as long as this is. */
export const describedTypesDigest = (): string =>
  (digest ??= createHash('sha256')
    .update(JSON.stringify([sources, fieldValues, descriptions]))
    .digest('hex'));

function fieldOf(word: string): Omit<Field, 'values'> {
  const colon = word.indexOf(':');
  const [head = '', numbers = ''] = word.slice(0, colon).split('@');
  const required = head.endsWith('*');
  const name = required ? head.slice(0, -1) : head;
  let type = word.slice(colon + 1);
  const isEmbedded = type.endsWith('^');
  if (isEmbedded) type = type.slice(0, -1);
  const atomic = type.endsWith('~');
  if (atomic) type = type.slice(0, -1);
  const path = numbers === '' ? [] : numbers.split('.').map(Number);
  return { name, required, atomic, isEmbedded, numbers: path, type: typeOf(type.endsWith('!') ? type.slice(0, -1) : type) };
}

function typeOf(text: string): FieldType {
  if (text.endsWith(']')) return listOf(text);
  if (text.startsWith('{')) return { is: 'map', of: typeOf(text.slice(1, -1)) };
  const scalar = scalars[text];
  return scalar ? { is: scalar } : schemaOf(text);
}

function listOf(text: string): ListType {
  const open = text.lastIndexOf('[');
  const notes = text.slice(open + 1, -1).replace('!', '');
  const bar = notes.indexOf('|');
  const patchNote = bar < 0 ? notes : notes.slice(0, bar);
  const ownerNote = bar < 0 ? notes : notes.slice(bar + 1);
  return {
    is: 'list',
    of: typeOf(text.slice(0, open)),
    retainsKeys: text.slice(open).includes('!'),
    patch: patchNote === '' ? 'replace' : patchNote === '=' ? 'set' : 'merge',
    patchKey: patchNote === '=' ? '' : patchNote,
    ownership: ownerNote === '' ? 'atomic' : ownerNote === '=' ? 'set' : 'map',
    ownerKeys: ownerNote === '' || ownerNote === '=' ? [] : ownerNote.split(','),
  };
}
