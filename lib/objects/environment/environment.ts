// A pod with its environment written out, and what its volumes hold beside it: who runs it needs no API server.
import type { Container, EnvVar, Pod } from '../kubernetes.ts';
import { UnresolvedReferenceError, valueOfField, valueOfResource, type FieldReference, type ResourceReference } from './downward-fields.ts';
import { expanded } from './expansion.ts';
import { serviceVariables } from './service-variables.ts';
import type { Around, ResolutionEvent, ResolvedPod, SourceKind, SourceName } from './sources.ts';
import { sourcesInVolumes, volumeContents } from './volumes.ts';

/** The pod with nothing left to look up; or, in one sentence, why it cannot be had now. */
export type Resolution = { events: ResolutionEvent[] } & ({ pod: ResolvedPod } | { problem: string });

interface Reference {
  name?: string;
  key?: string;
  optional?: boolean;
}

const allContainers = ({ spec }: Pod): Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
  ...((spec['ephemeralContainers'] ?? []) as Container[]),
];

/** The container's `envFrom`, which its type leaves open. */
const bulkOf = (container: Container): { prefix?: string; configMapRef?: Reference; secretRef?: Reference }[] =>
  (container['envFrom'] ?? []) as never;

const keyReferenceOf = ({ valueFrom }: EnvVar): { kind: SourceKind; reference: Reference } | undefined => {
  if (valueFrom?.['configMapKeyRef']) return { kind: 'ConfigMap', reference: valueFrom['configMapKeyRef'] as Reference };
  if (valueFrom?.['secretKeyRef']) return { kind: 'Secret', reference: valueFrom['secretKeyRef'] as Reference };
  return undefined;
};

const bulkReferenceOf = ({
  configMapRef,
  secretRef,
}: ReturnType<typeof bulkOf>[number]): { kind: SourceKind; reference: Reference } | undefined => {
  if (configMapRef) return { kind: 'ConfigMap', reference: configMapRef };
  if (secretRef) return { kind: 'Secret', reference: secretRef };
  return undefined;
};

/** The same for all that name one object of the pod's namespace. */
export const sourceKeyOf = ({ kind, name }: SourceName): string => `${kind}/${name}`;

/** By its containers and its volumes, each once. */
export function sourcesNamedIn(pod: Pod): SourceName[] {
  const named = allContainers(pod).flatMap((container) => [
    ...bulkOf(container).flatMap((entry) => bulkReferenceOf(entry) ?? []),
    ...(container.env ?? []).flatMap((variable) => keyReferenceOf(variable) ?? []),
  ]);
  const all = [...named.map(({ kind, reference: { name = '' } }): SourceName => ({ kind, name })), ...sourcesInVolumes(pod)];
  return [...new Map(all.map((source) => [sourceKeyOf(source), source])).values()];
}

/**
 * Containers in the order in which they are listed: init containers first, ephemeral ones last.
 * @returns a pod of its own whose containers have literal variables alone, by name, and no references in commands and arguments; beside it
 * what its volumes hold
 */
export function resolved(pod: Pod, around: Around): Resolution {
  const { namespace = '' } = pod.metadata;
  const events: ResolutionEvent[] = [];
  const services = serviceVariables(around.services, { namespace, areLinked: pod.spec['enableServiceLinks'] !== false });
  const resolve = (container: Container): Container => resolvedContainer(container, { pod, around, services, events });
  try {
    const { containers, initContainers, ephemeralContainers } = pod.spec;
    const spec = {
      ...pod.spec,
      ...(initContainers && { initContainers: initContainers.map(resolve) }),
      containers: containers.map(resolve),
      ...(Array.isArray(ephemeralContainers) && { ephemeralContainers: (ephemeralContainers as Container[]).map(resolve) }),
    };
    const contents = volumeContents(pod, around, events);
    const sources = sourcesNamedIn(pod).flatMap((named) => {
      const read = around.sourceOf(named);
      return 'source' in read ? [{ ...read.source, kind: named.kind }] : [];
    });
    return {
      events,
      pod: { ...pod, spec, ...(contents.length > 0 && { volumeContents: contents }), ...(sources.length > 0 && { sources }) },
    };
  } catch (error) {
    if (error instanceof UnresolvedReferenceError) return { events, problem: error.message };
    throw error;
  }
}

interface Resolving {
  pod: Pod;
  around: Around;
  services: ReadonlyMap<string, string>;
  /** Grows. */
  events: ResolutionEvent[];
}

function resolvedContainer(container: Container, resolving: Resolving): Container {
  const { services } = resolving;
  const variables = new Map<string, string>();
  for (const entry of bulkOf(container)) addAll(variables, entry, resolving);
  for (const variable of container.env ?? []) {
    const value = valueOf(variable, container, { ...resolving, variables });
    if (value !== undefined) variables.set(variable.name, value);
  }
  for (const [name, value] of services) if (!variables.has(name)) variables.set(name, value);
  const { env: _env, envFrom: _from, command, args, ...rest } = container;
  const write = (text: string): string => expanded(text, variables);
  return {
    ...rest,
    ...(command && { command: command.map(write) }),
    ...(args && { args: args.map(write) }),
    env: [...variables.keys()].toSorted().map((name) => ({ name, value: variables.get(name) ?? '' })),
  };
}

const NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const isVariableName = (name: string): boolean => NAME.test(name) && name !== '.' && !name.startsWith('..');

/** Of an `envFrom` entry. A later entry replaces what an earlier one said. */
function addAll(variables: Map<string, string>, entry: ReturnType<typeof bulkOf>[number], { pod, around, events }: Resolving): void {
  const named = bulkReferenceOf(entry);
  if (!named) return;
  const { kind, reference } = named;
  const { name = '' } = reference;
  const data = dataOf(named, { about: '', around, events, fetching: 'fetch' });
  if (!data) return;
  const skipped: string[] = [];
  for (const [key, value] of Object.entries(data)) {
    const full = `${entry.prefix ?? ''}${key}`;
    if (isVariableName(full)) variables.set(full, value());
    else skipped.push(full);
  }
  if (skipped.length > 0)
    events.push({
      reason: 'InvalidEnvironmentVariableNames',
      message: `keys [${skipped.toSorted().join(', ')}] from ${kind.toLowerCase()} ${pod.metadata.namespace}/${name} were skipped since they are invalid as environment variable names`,
    });
}

/** @returns undefined: the variable is left out */
function valueOf(
  variable: EnvVar,
  container: Container,
  { pod, around, services, events, variables }: Resolving & { variables: ReadonlyMap<string, string> },
): string | undefined {
  const { value, valueFrom } = variable;
  if (valueFrom === undefined || valueFrom === null) return expanded(value ?? '', variables, services);
  const named = keyReferenceOf(variable);
  if (named) return keyOf(variable, named, { pod, around, events });
  if (valueFrom['fieldRef']) return valueOfField(valueFrom['fieldRef'] as FieldReference, pod, around.addresses);
  if (valueFrom['resourceFieldRef'])
    return valueOfResource(valueFrom['resourceFieldRef'] as ResourceReference, pod, { own: container, allocatable: around.allocatable });
  return undefined;
}

function keyOf(
  { name: variable }: EnvVar,
  named: { kind: SourceKind; reference: Reference },
  { pod, around, events }: Pick<Resolving, 'pod' | 'around' | 'events'>,
): string | undefined {
  const { kind, reference } = named;
  const { name = '', key = '', optional = false } = reference;
  const word = kind.toLowerCase();
  const skipping = `skipping optional envvar ${JSON.stringify(variable)}: `;
  const data = dataOf(named, { about: skipping, around, events, fetching: 'read' });
  if (!data) return undefined;
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value) return value();
  if (optional) {
    events.push({
      reason: `Optional${kind}KeyNotFound`,
      message: `${skipping}key ${JSON.stringify(key)} does not exist in ${word} ${JSON.stringify(name)}`,
    });
    return undefined;
  }
  events.push({
    reason: `Mandatory${kind}KeyNotFound`,
    message: `key ${JSON.stringify(key)} does not exist in ${word} ${JSON.stringify(name)}`,
  });
  throw new UnresolvedReferenceError(
    `${word} ${JSON.stringify(name)} doesn't contain the ${JSON.stringify(key)} key required by pod ${pod.metadata.name}`,
  );
}

/**
 * The values of an object by their keys, decoded when they are asked for.
 * @param about begins the message where the object is optional
 * @returns undefined: it is optional, and not there
 * @throws UnresolvedReferenceError
 */
function dataOf(
  { kind, reference: { name = '', optional = false } }: { kind: SourceKind; reference: Reference },
  { about, around, events, fetching }: Pick<Resolving, 'around' | 'events'> & { about: string; fetching: 'fetch' | 'read' },
): Record<string, () => string> | undefined {
  const word = kind.toLowerCase();
  const read = around.sourceOf({ kind, name });
  if ('source' in read) {
    const { data } = read.source;
    return Object.fromEntries(
      Object.entries(data ?? {}).map(([key, value]) => [key, () => (kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value)]),
    );
  }
  const isAbsent = 'absent' in read;
  const message = isAbsent ? `${word} ${JSON.stringify(name)} not found` : `failed to read ${word} ${JSON.stringify(name)}`;
  if (optional) {
    events.push({ reason: isAbsent ? `Optional${kind}NotFound` : `FailedToReadOptional${kind}`, message: `${about}${message}` });
    return undefined;
  }
  events.push({ reason: isAbsent ? `Mandatory${kind}NotFound` : `FailedToReadMandatory${kind}`, message });
  throw new UnresolvedReferenceError(isAbsent ? message : `failed to ${fetching} ${word} ${JSON.stringify(name)}: ${read.unreadable}`);
}
