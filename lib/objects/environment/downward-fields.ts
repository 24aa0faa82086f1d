// Variables that tell of their own pod: its fields, and resources of one of its containers.
import type { Container, Pod } from '../kubernetes.ts';
import { problemsOfQualifiedName } from '../names.ts';
import { isQuantity, parseQuantity } from '../values/quantity.ts';

/** A reference that no variable can hold. The message is for people. */
export class UnresolvedReferenceError extends Error {}

export interface FieldReference {
  apiVersion?: string;
  fieldPath?: string;
}

/** Of a pod that is yet to be started, where its provider knows them by then. */
export interface PodAddresses {
  podIP: string;
  hostIP: string;
}

/** Most providers know them only once the pod runs, and tell them to nobody whom they start. */
const KNOWN_TOO_LATE = new Set(['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs']);

/** @throws UnresolvedReferenceError */
export function valueOfField({ apiVersion = 'v1', fieldPath = '' }: FieldReference, pod: Pod, addresses?: PodAddresses): string {
  if (apiVersion !== 'v1') throw new UnresolvedReferenceError(`unsupported pod version: ${apiVersion}`);
  const [, path = '', key] = /^([^[]+)(?:\['(.*)'\])?$/.exec(fieldPath) ?? [];
  const { name, namespace, uid, labels = {}, annotations = {} } = pod.metadata;
  const { nodeName, serviceAccountName, restartPolicy, schedulerName } = pod.spec;
  if (key !== undefined) {
    if (path !== 'metadata.labels' && path !== 'metadata.annotations')
      throw new UnresolvedReferenceError(`field label does not support subscript: ${fieldPath}`);
    const isLabel = path === 'metadata.labels';
    const [problem] = problemsOfQualifiedName(isLabel ? key : key.toLowerCase());
    if (problem !== undefined) throw new UnresolvedReferenceError(`invalid key subscript in ${fieldPath}: ${problem}`);
    return (isLabel ? labels : annotations)[key] ?? '';
  }
  switch (path) {
    case 'metadata.name':
      return name ?? '';
    case 'metadata.namespace':
      return namespace ?? '';
    case 'metadata.uid':
      return uid ?? '';
    case 'metadata.labels':
      return linesOf(labels);
    case 'metadata.annotations':
      return linesOf(annotations);
    case 'spec.nodeName':
    case 'spec.host':
      return nodeName ?? '';
    case 'spec.serviceAccountName':
      return textOr(serviceAccountName, '');
    case 'spec.restartPolicy':
      return restartPolicy ?? '';
    case 'spec.schedulerName':
      return textOr(schedulerName, '');
    case 'status.phase':
      return pod.status?.phase ?? '';
  }
  const address = path.startsWith('status.podIP') ? addresses?.podIP : addresses?.hostIP;
  if (KNOWN_TOO_LATE.has(path) && address !== undefined) return address;
  throw new UnresolvedReferenceError(
    KNOWN_TOO_LATE.has(path) ? `unsupported fieldPath: ${fieldPath}` : `field label not supported: ${fieldPath}`,
  );
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** A line `key="value"` each, by key. */
const linesOf = (pairs: Readonly<Record<string, string>>): string =>
  Object.keys(pairs)
    .toSorted()
    .map((key) => `${key}=${quoted(pairs[key] ?? '')}`)
    .join('\n');

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** As Go quotes a text. */
const quoted = (text: string): string => `"${Array.from(text, escaped).join('')}"`;

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const known = ESCAPES.get(character);
  if (known !== undefined) return known;
  if (code < 0x20 || code === 0x7f) return `\\x${hexadecimal(code, 2)}`;
  if (code < 0x80 || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character)) return character;
  return code > 0xff_ff ? `\\U${hexadecimal(code, 8)}` : `\\u${hexadecimal(code, 4)}`;
}

const hexadecimal = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

export interface ResourceReference {
  containerName?: string;
  resource?: string;
  divisor?: string | number;
}

/**
 * In whole multiples of the divisor, rounded up.
 * @param own the container that has the variable
 * @param allocatable of the node, by resource: what a container without a limit can have
 * @throws UnresolvedReferenceError
 */
export function valueOfResource(
  { containerName, resource = '', divisor = '1' }: ResourceReference,
  pod: Pod,
  { own, allocatable }: { own: Container; allocatable: Readonly<Record<string, string>> },
): string {
  const { containers, initContainers = [] } = pod.spec;
  const container =
    containerName === undefined || containerName === ''
      ? own
      : [...containers, ...initContainers].find(({ name }) => name === containerName);
  if (!container) throw new UnresolvedReferenceError(`container ${containerName} not found`);
  const [, list, name = ''] = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/.exec(resource) ?? [];
  if (list === undefined) throw new UnresolvedReferenceError(`unsupported container resource : ${resource}`);
  const amounts = container.resources?.[list as 'limits' | 'requests'] ?? {};
  const amount = amounts[name] ?? (list === 'limits' ? allocatable[name] : undefined) ?? '0';
  const unit = isQuantity(divisor) && parseQuantity(divisor).nanos > 0n ? parseQuantity(divisor).nanos : parseQuantity('1').nanos;
  const { nanos } = parseQuantity(amount);
  return String((nanos + unit - 1n) / unit);
}
