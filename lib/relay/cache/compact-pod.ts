// Pods in a few numbers each: what many have in common is held once. Which facts those are says the table of pod facts.
import { childNameOf } from '../../objects/child-names.ts';
import {
  BLANK_FACTS,
  DICTIONARY_FACTS,
  FLAG_FACTS,
  LISTED_FACTS,
  NUMBER_FACTS,
  SHARED_FACTS,
  type PodFacts,
} from '../../objects/pods/fact-table.ts';
import type { OwnerName } from '../../wire/words/observations.ts';

/** Everything but what differs from pod to pod. Labels that repeat the owner's uid or name say so instead. */
export interface Shape {
  /** Its own while it has users. */
  id: number;
  key: string;
  users: number;
  /** Blank where pods have a fact for themselves, or relative to their owner. */
  facts: PodFacts;
  labels: readonly (readonly [string, string | OwnerPart])[];
  /** `owner`: the apiVersion of a controller that is the owner itself. */
  controller: { owner: string } | PodFacts['controller'];
  /** The shape after a pod's next change: pods of a workload go the same way. */
  next: Shape | undefined;
  /** The latest result of `expand` for the pods of one owner. */
  shared: { owner: OwnerName; facts: PodFacts } | undefined;
}

/** Which part of the owner a label's value repeats. */
type OwnerPart = 0 | 1;

export interface CompactPod {
  uid: string;
  /** Undefined: what is computed from owner, index and number. */
  name: string | undefined;
  version: string;
  shape: Shape;
  /** By number fact of the table. */
  numbers: readonly (number | undefined)[];
  /** Of items that its shape lists, in their order. */
  times: readonly number[];
  /** By dictionary fact of the table. */
  values: readonly unknown[];
}

/** As much of a pod as was known before as helps to find its shape. */
type Known = Pick<CompactPod, 'shape' | 'name'> & PlaceInName;

/** The parts of a computed name, beside the owner. */
interface PlaceInName {
  /** Of an index that is a plain number. */
  index: number | undefined;
  number: number | undefined;
}

/** The longest text that a message may hold of one pod; no real pod has more. */
const LONGEST_TEXT = 1_000;
const LONGEST_KEY = 60_000;
const LONGEST_NAME = 253;

/** Facts that belong to a shape for every owner. */
const OWN_SHARED = SHARED_FACTS.filter(({ isOfOwner }) => !isOfOwner).map(({ shared }) => shared);
const FLAGS = FLAG_FACTS.map(({ flag }) => flag);
// In arrays of their own: the loops over them run for every event.
const FLAG_TESTS = FLAGS.map(({ isSet }) => isSet);
const COMPARISONS = OWN_SHARED.map(({ isAlike }) => isAlike);
const NUMBERS = NUMBER_FACTS.map(({ number }) => number);
const LISTED = LISTED_FACTS.map(({ listed }) => listed);
const DICTIONARIES = DICTIONARY_FACTS.map(({ dictionary }) => dictionary);
const NUMBER_VALUES = NUMBERS.map(({ valueOf }) => valueOf);
const NUMBER_GIVERS = NUMBERS.map(({ give }) => give);
const DICTIONARY_VALUES = DICTIONARIES.map(({ valueOf }) => valueOf);
const [INDEX, NUMBER] = (['index', 'number'] as const).map((fact) => NUMBER_FACTS.findIndex(({ name }) => name === fact)) as [
  number,
  number,
];
/** Of the pods that have none, which are nearly all. */
export const NO_VALUES: readonly unknown[] = [];
export const NO_NUMBERS: readonly (number | undefined)[] = NUMBERS.map(() => undefined);
const NEVER: readonly number[] = [];

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
    if (!shape || pod.name.length > LONGEST_NAME) return undefined;
    shape.users += 1;
    this.#last = shape;
    if (before && before.shape !== shape) before.shape.next = shape;
    // A copy has room for as many; an array that grows takes room for three times as many, for each event.
    const numbers = NO_NUMBERS.slice();
    for (let at = 0; at < NUMBERS.length; at += 1) numbers[at] = NUMBER_VALUES[at]?.(pod);
    // A pod's name never changes: it was compared with what is computed when it was observed first.
    const isKnown = before !== undefined && before.index === numbers[INDEX] && before.number === numbers[NUMBER];
    const isComputed = isKnown ? before.name === undefined : pod.name === computedNameOf(placeIn(numbers), owner);
    return {
      uid: pod.uid,
      name: isComputed ? undefined : pod.name,
      version: pod.resourceVersion,
      shape,
      numbers,
      times: timesOf(pod),
      values: valuesOf(pod),
    };
  }

  /** @param id of a shape in use. @throws Error no shape has this id: a mistake in the program */
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
    const facts = { ...BLANK_FACTS };
    for (const { encode, decode } of OWN_SHARED) decode(encode(pod), facts);
    for (const { isSet, set } of FLAGS) set(facts, isSet(pod));
    if (key.length > LONGEST_KEY || textsOf([facts, labels, controller]).some((text) => text.length > LONGEST_TEXT)) return undefined;
    const id = this.#freeIds.pop() ?? this.#byId.length;
    const shape: Shape = { id, key, users: 0, facts, labels, controller, next: undefined, shared: undefined };
    this.#shapes.set(key, shape);
    this.#byId[id] = shape;
    return shape;
  }
}

const placeIn = (numbers: readonly (number | undefined)[]): PlaceInName => ({ index: numbers[INDEX], number: numbers[NUMBER] });

const isOwner = (controller: PodFacts['controller'], owner: OwnerName): controller is NonNullable<PodFacts['controller']> =>
  controller !== undefined && controller.uid === owner.uid && controller.name === owner.name && controller.kind === owner.kind;

const partOf = (value: string, owner: OwnerName): string | OwnerPart => (value === owner.uid ? 0 : value === owner.name ? 1 : value);

function timesOf(pod: PodFacts): readonly number[] {
  let all = NEVER;
  for (let at = 0; at < LISTED.length; at += 1) {
    const times = LISTED[at]?.timesOf(pod) ?? NEVER;
    if (times.length > 0) all = all.length === 0 ? times : [...all, ...times];
  }
  return all;
}

function valuesOf(pod: PodFacts): readonly unknown[] {
  for (let at = 0; at < DICTIONARY_VALUES.length; at += 1)
    if (DICTIONARY_VALUES[at]?.(pod) !== undefined) return DICTIONARY_VALUES.map((valueOf) => valueOf(pod));
  return NO_VALUES;
}

/** Whether a shape in use is the one that the pod's key stands for. */
function fits(shape: Shape | undefined, pod: PodFacts, owner: OwnerName): shape is Shape {
  // One without users may have a successor of the same key by now.
  if (!shape || shape.users === 0) return false;
  const { facts, labels, controller } = shape;
  for (let at = 0; at < FLAG_TESTS.length; at += 1) if (FLAG_TESTS[at]?.(pod) !== FLAG_TESTS[at]?.(facts)) return false;
  for (let at = 0; at < COMPARISONS.length; at += 1) if (!COMPARISONS[at]?.(pod, facts)) return false;
  if (!isOwner(pod.controller, owner) || !controller || !('owner' in controller) || controller.owner !== pod.controller.apiVersion)
    return false;
  let at = 0;
  for (const label in pod.labels) {
    const known = labels[at];
    if (known?.[0] !== label || known[1] !== partOf(pod.labels[label] ?? '', owner)) return false;
    at += 1;
  }
  return at === labels.length;
}

/** All that belongs to the shape. */
function keyOf(pod: PodFacts, owner: OwnerName): string {
  return JSON.stringify([
    FLAGS.map(({ isSet }) => isSet(pod)),
    OWN_SHARED.map(({ encode }) => encode(pod)),
    isOwner(pod.controller, owner) ? pod.controller.apiVersion : [pod.controller],
    Object.entries(pod.labels).flatMap(([label, value]) => [label, partOf(value, owner)]),
  ]);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const computedNameOf = ({ index, number }: PlaceInName, owner: OwnerName): string | undefined =>
  number === undefined ? undefined : childNameOf(owner, { index, number });

/** The name alone of a pod given to `compact`. */
export const nameOf = ({ name, index, number }: Omit<Known, 'shape'>, owner: OwnerName): string =>
  name ?? childNameOf(owner, { index, number: number ?? 0 });

/** The pod as it was given to `compact`; what many have in common is one object for all of them, to be read only. */
export function expand({ uid, name, version, shape, numbers, times, values }: CompactPod, owner: OwnerName): PodFacts {
  const facts: PodFacts = { ...sharedOf(shape, owner) };
  facts.uid = uid;
  facts.name = name ?? childNameOf(owner, { index: numbers[INDEX], number: numbers[NUMBER] ?? 0 });
  facts.resourceVersion = version;
  for (let at = 0; at < NUMBERS.length; at += 1) {
    const value = numbers[at];
    if (value !== undefined) NUMBER_GIVERS[at]?.(facts, value);
  }
  if (times.length > 0) {
    let next = 0;
    for (const { give } of LISTED) give(facts, () => times[next++] ?? 0);
  }
  for (let at = 0; at < values.length; at += 1) if (values[at] !== undefined) DICTIONARIES[at]?.give(facts, values[at]);
  return facts;
}

function sharedOf(shape: Shape, owner: OwnerName): PodFacts {
  if (shape.shared?.owner === owner) return shape.shared.facts;
  const { controller, labels } = shape;
  const facts: PodFacts = {
    ...shape.facts,
    namespace: owner.namespace,
    labels: Object.fromEntries(labels.map(([label, value]) => [label, value === 0 ? owner.uid : value === 1 ? owner.name : value])),
  };
  if (controller)
    facts.controller =
      'owner' in controller ? { apiVersion: controller.owner, kind: owner.kind, name: owner.name, uid: owner.uid } : controller;
  shape.shared = { owner, facts };
  return facts;
}
