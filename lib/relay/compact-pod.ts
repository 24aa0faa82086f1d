// Pods in a few numbers each: what many have in common is held once.
import { childNameOf } from '../objects/child-names.ts';
import type { ContainerFacts, PodFacts } from '../objects/pod-facts.ts';
import type { OwnerName } from '../wire/observations.ts';

/** Everything but what differs from pod to pod. Labels that repeat the owner's uid or name say so instead. */
export interface Shape {
  /** Its own while it has users. */
  id: number;
  key: string;
  users: number;
  facts: Omit<
    PodFacts,
    | 'uid'
    | 'name'
    | 'namespace'
    | 'resourceVersion'
    | 'index'
    | 'number'
    | 'createdAt'
    | 'deletedAt'
    | 'readySince'
    | 'labels'
    | 'controller'
    | 'reasons'
  >;
  labels: readonly (readonly [string, string | OwnerPart])[];
  /** `owner`: the apiVersion of a controller that is the owner itself. */
  controller: { owner: string } | PodFacts['controller'];
  /** What a pod of this shape looked like after its next change: pods of a workload go the same way. */
  next: Shape | undefined;
  /** What `expand` gave the pods of one owner last. */
  shared: { owner: OwnerName; labels: PodFacts['labels']; controller: PodFacts['controller'] } | undefined;
}

/** Which part of the owner a label's value repeats. */
type OwnerPart = 0 | 1;

export interface CompactPod {
  uid: string;
  /** Undefined: what is computed from owner, index and number. */
  name: string | undefined;
  version: string;
  shape: Shape;
  createdAt: number;
  /** A number where the text is its plain form. */
  index: string | number | undefined;
  number: number | undefined;
  deletedAt: number | undefined;
  readySince: number | undefined;
  /** One for each terminated container that tells when, in order. */
  finishedAt: readonly number[];
  reasons: PodFacts['reasons'];
}

/** As much of a pod as was known before as helps to find its shape. */
type Known = Pick<CompactPod, 'shape' | 'name' | 'index' | 'number'>;

/** What a message may hold of one pod's kind; more is nothing that a real pod has. */
const LONGEST_TEXT = 1_000;
const LONGEST_KEY = 60_000;
const LONGEST_NAME = 253;
const NONE: readonly number[] = [];

export class PodShapes {
  readonly #shapes = new Map<string, Shape>();
  readonly #byId: Shape[] = [];
  readonly #freeIds: number[] = [];
  #last: Shape | undefined;

  get size(): number {
    return this.#shapes.size;
  }

  /**
   * @param before the same pod of the same owner as it was known until now
   * @returns undefined for a pod that no message could carry
   */
  compact(pod: PodFacts, owner: OwnerName, before?: Known): CompactPod | undefined {
    const shape = this.#guess(pod, owner, before) ?? this.#shapeOf(pod, owner);
    if (!shape || pod.name.length > LONGEST_NAME || (pod.index?.length ?? 0) > LONGEST_TEXT) return undefined;
    shape.users += 1;
    this.#last = shape;
    if (before && before.shape !== shape) before.shape.next = shape;
    const index = isPlain(pod.index) ? Number(pod.index) : pod.index;
    const { number } = pod;
    // A pod's name never changes: it was compared with what is computed when it was heard of first.
    const isComputed = before?.index === index && before?.number === number && before ? before.name === undefined : undefined;
    return {
      uid: pod.uid,
      name: (isComputed ?? pod.name === computedNameOf(pod, owner)) ? undefined : pod.name,
      version: pod.resourceVersion,
      shape,
      createdAt: pod.createdAt,
      index,
      number,
      deletedAt: pod.deletedAt,
      readySince: pod.readySince,
      finishedAt: finishedAtOf(pod),
      reasons: pod.reasons,
    };
  }

  /** @param id of a shape in use. @throws Error there is none: a mistake in the program */
  at(id: number): Shape {
    const shape = this.#byId[id];
    if (!shape) throw new Error(`no shape ${id}`);
    return shape;
  }

  /** Looks where the shape probably is, before its key is made. */
  #guess(pod: PodFacts, owner: OwnerName, before: Known | undefined): Shape | undefined {
    if (!before) return fits(this.#last, pod, owner) ? this.#last : undefined;
    const { next } = before.shape;
    if (fits(next, pod, owner)) return next;
    return fits(before.shape, pod, owner) ? before.shape : undefined;
  }

  /** Its pod is gone, or has taken another shape. */
  release(shape: Shape): void {
    shape.users -= 1;
    if (shape.users > 0) return;
    this.#shapes.delete(shape.key);
    this.#freeIds.push(shape.id);
    shape.next = undefined;
    shape.shared = undefined;
  }

  #shapeOf(pod: PodFacts, owner: OwnerName): Shape | undefined {
    const key = keyOf(pod, owner);
    const known = this.#shapes.get(key);
    if (known) return known;
    const controller = isOwner(pod.controller, owner) ? { owner: pod.controller.apiVersion } : pod.controller;
    const labels = Object.entries(pod.labels).map(([label, value]): [string, string | OwnerPart] => [label, partOf(value, owner)]);
    const facts: Shape['facts'] = {
      ...(pod.failureCount !== undefined && { failureCount: pod.failureCount }),
      ...(pod.ignoredFailureCount !== undefined && { ignoredFailureCount: pod.ignoredFailureCount }),
      tracked: pod.tracked,
      phase: pod.phase,
      ...(pod.deletionGraceSeconds !== undefined && { deletionGraceSeconds: pod.deletionGraceSeconds }),
      assigned: pod.assigned,
      ...(pod.ready !== undefined && { ready: pod.ready }),
      ...(pod.unreadable !== undefined && { unreadable: pod.unreadable }),
      conditions: pod.conditions,
      // A time of 1 in the place of any: which containers have one belongs to the shape.
      containers: pod.containers.map((container) => (container.finishedAt === undefined ? container : { ...container, finishedAt: 1 })),
    };
    if (key.length > LONGEST_KEY || textsOf([facts, labels, controller]).some((text) => text.length > LONGEST_TEXT)) return undefined;
    const id = this.#freeIds.pop() ?? this.#byId.length;
    const shape: Shape = { id, key, users: 0, facts, labels, controller, next: undefined, shared: undefined };
    this.#shapes.set(key, shape);
    this.#byId[id] = shape;
    return shape;
  }
}

const isOwner = (controller: PodFacts['controller'], owner: OwnerName): controller is NonNullable<PodFacts['controller']> =>
  controller !== undefined && controller.uid === owner.uid && controller.name === owner.name && controller.kind === owner.kind;

const partOf = (value: string, owner: OwnerName): string | OwnerPart => (value === owner.uid ? 0 : value === owner.name ? 1 : value);

function finishedAtOf({ containers }: PodFacts): readonly number[] {
  let finishedAt: number[] | undefined;
  for (const container of containers) if (container.finishedAt !== undefined) (finishedAt ??= []).push(container.finishedAt);
  return finishedAt ?? NONE;
}

/** Whether a shape in use is the one that the pod's key stands for. */
function fits(shape: Shape | undefined, pod: PodFacts, owner: OwnerName): shape is Shape {
  // One without users may have a successor of the same key by now.
  if (!shape || shape.users === 0) return false;
  const { facts, labels, controller } = shape;
  if (pod.phase !== facts.phase || pod.tracked !== facts.tracked || pod.assigned !== facts.assigned || pod.ready !== facts.ready)
    return false;
  if (pod.deletionGraceSeconds !== facts.deletionGraceSeconds || pod.unreadable !== facts.unreadable) return false;
  if (pod.failureCount !== facts.failureCount || pod.ignoredFailureCount !== facts.ignoredFailureCount) return false;
  if (!isOwner(pod.controller, owner) || !controller || !('owner' in controller) || controller.owner !== pod.controller.apiVersion)
    return false;
  let at = 0;
  for (const label in pod.labels) {
    const known = labels[at];
    if (known?.[0] !== label || known[1] !== partOf(pod.labels[label] ?? '', owner)) return false;
    at += 1;
  }
  if (at !== labels.length || pod.conditions.length !== facts.conditions.length || pod.containers.length !== facts.containers.length)
    return false;
  for (let which = 0; which < facts.conditions.length; which += 1) {
    const [condition, known] = [pod.conditions[which], facts.conditions[which]];
    if (condition?.type !== known?.type || condition?.status !== known?.status) return false;
  }
  for (let which = 0; which < facts.containers.length; which += 1) {
    const [container, known] = [pod.containers[which], facts.containers[which]];
    if (container?.name !== known?.name || container?.role !== known?.role || container?.restarts !== known?.restarts) return false;
    if (container?.exitCode !== known?.exitCode) return false;
    if ((container?.finishedAt === undefined) !== (known?.finishedAt === undefined)) return false;
  }
  return true;
}

/** All that belongs to the shape, one line a text: none of these texts can hold a line's end but the annotations, which are told as JSON. */
function keyOf(pod: PodFacts, owner: OwnerName): string {
  let key = `${pod.phase}\n${pod.tracked}\n${pod.assigned}\n${pod.ready}\n${pod.deletionGraceSeconds}`;
  if (pod.failureCount !== undefined || pod.ignoredFailureCount !== undefined)
    key += `\nf${JSON.stringify([pod.failureCount, pod.ignoredFailureCount])}`;
  if (pod.unreadable !== undefined) key += `\nu${JSON.stringify(pod.unreadable)}`;
  key += isOwner(pod.controller, owner) ? `\n${pod.controller.apiVersion}` : `\nc${JSON.stringify(pod.controller)}`;
  for (const label in pod.labels) {
    const part = partOf(pod.labels[label] ?? '', owner);
    key += `\nl${label}=${typeof part === 'string' ? part : `/${part}`}`;
  }
  for (const { type, status } of pod.conditions) key += `\nk${type}=${status}`;
  for (const { name, role, restarts, exitCode, finishedAt } of pod.containers)
    key += `\ns${name}/${role}/${restarts}/${exitCode}/${finishedAt === undefined}`;
  return key;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const isPlain = (index: string | undefined): index is string => index !== undefined && /^(0|[1-9]\d{0,8})$/.test(index);

function computedNameOf({ index, number }: Pick<PodFacts, 'index' | 'number'>, owner: OwnerName): string | undefined {
  if (number === undefined) return undefined;
  return childNameOf(owner, { index: isPlain(index) ? Number(index) : undefined, number });
}

/** The name alone of a pod given to `compact`. */
export function nameOf({ name, index, number }: Omit<Known, 'shape'>, owner: OwnerName): string {
  return name ?? childNameOf(owner, { index: typeof index === 'number' ? index : undefined, number: number ?? 0 });
}

/** The pod as it was given to `compact`; what many have in common is one object for all of them, to be read only. */
export function expand(pod: CompactPod, owner: OwnerName): PodFacts {
  const { shape, index, number, deletedAt, readySince, finishedAt, reasons } = pod;
  const { facts } = shape;
  const { labels, controller } = sharedOf(shape, owner);
  const expanded: PodFacts = {
    uid: pod.uid,
    name: nameOf(pod, owner),
    namespace: owner.namespace,
    resourceVersion: pod.version,
    labels,
    tracked: facts.tracked,
    phase: facts.phase,
    createdAt: pod.createdAt,
    assigned: facts.assigned,
    conditions: facts.conditions,
    containers: finishedAt.length === 0 ? facts.containers : containersOf(facts.containers, finishedAt),
  };
  if (controller) expanded.controller = controller;
  if (index !== undefined) expanded.index = String(index);
  if (facts.failureCount !== undefined) expanded.failureCount = facts.failureCount;
  if (facts.ignoredFailureCount !== undefined) expanded.ignoredFailureCount = facts.ignoredFailureCount;
  if (number !== undefined) expanded.number = number;
  if (deletedAt !== undefined) expanded.deletedAt = deletedAt;
  if (facts.deletionGraceSeconds !== undefined) expanded.deletionGraceSeconds = facts.deletionGraceSeconds;
  if (facts.ready !== undefined) expanded.ready = facts.ready;
  if (facts.unreadable !== undefined) expanded.unreadable = facts.unreadable;
  if (readySince !== undefined) expanded.readySince = readySince;
  if (reasons) expanded.reasons = reasons;
  return expanded;
}

function sharedOf(shape: Shape, owner: OwnerName): NonNullable<Shape['shared']> {
  if (shape.shared?.owner === owner) return shape.shared;
  const { controller } = shape;
  shape.shared = {
    owner,
    labels: Object.fromEntries(shape.labels.map(([label, value]) => [label, value === 0 ? owner.uid : value === 1 ? owner.name : value])),
    controller:
      controller && 'owner' in controller
        ? { apiVersion: controller.owner, kind: owner.kind, name: owner.name, uid: owner.uid }
        : controller,
  };
  return shape.shared;
}

function containersOf(containers: readonly ContainerFacts[], finishedAt: readonly number[]): ContainerFacts[] {
  let next = 0;
  return containers.map((container) =>
    container.finishedAt === undefined ? container : { ...container, finishedAt: finishedAt[next++] ?? 0 },
  );
}
