// Sets of fields in the form in which `managedFields` holds them, and what can be done with two of them.
import { isFields } from './api-object.ts';

/**
 * Paths as nested objects: `f:name`, `k:{"name":"x"}` and `v:"x"` lead on. A step with nothing below is a member itself; one with
 * something below is a member only if `.` is among it.
 */
export interface FieldSet {
  [step: string]: FieldSet;
}

/** The path of a step as messages show it: `.name`, `[name="x"]`, `["x"]`. */
export function textOfStep(step: string): string {
  const rest = step.slice(2);
  if (step.startsWith('f:')) return `.${rest}`;
  if (step.startsWith('k:')) {
    const keys: unknown = JSON.parse(rest);
    return `[${Object.entries(isFields(keys) ? keys : {})
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .join(',')}]`;
  }
  return step.startsWith('v:') ? `[=${rest}]` : `[${rest}]`;
}

/** Whether no path is in it; without a list of its steps. */
export const isNothing = (set: FieldSet): boolean => {
  for (const _ in set) return false;
  return true;
};

/** Whether a step's own path is in the set. @param below what is under the step, undefined where the step is not there */
export const isMember = (below: FieldSet | undefined): boolean => below !== undefined && ('.' in below || isNothing(below));

/** Puts a step into a set: with what is below it, and itself if asked. Nothing of either leaves the set as it is. */
export function insert(set: FieldSet, step: string, below: FieldSet, member: boolean): void {
  if (isNothing(below)) {
    if (member) set[step] = {};
  } else if (member) {
    below['.'] = {};
    set[step] = below;
  } else set[step] = below;
}

const NOTHING: FieldSet = Object.freeze({});

/** The fields below a step, without the mark of the step itself. */
function childrenOf(below: FieldSet | undefined): FieldSet {
  if (below === undefined) return NOTHING;
  if (!('.' in below)) return below;
  const { '.': _, ...children } = below;
  return children;
}

/** Combines two sets step by step. @param keeps whether a path stays, given whether it is in each */
function combined(a: FieldSet, b: FieldSet, keeps: (inA: boolean, inB: boolean) => boolean): FieldSet {
  const result: FieldSet = {};
  for (const step of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [inA, inB] = [a[step], b[step]];
    insert(result, step, combined(childrenOf(inA), childrenOf(inB), keeps), keeps(isMember(inA), isMember(inB)));
  }
  return result;
}

/** Paths that are in either; may be one of the two itself. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isNothing(a)) return b;
  if (isNothing(b)) return a;
  return combined(a, b, (inA, inB) => inA || inB);
}

/** Paths that are in both. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet =>
  isNothing(a) || isNothing(b) ? {} : combined(a, b, (inA, inB) => inA && inB);

/** Without exactly the paths of the other; what lies below one of them stays. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => (isNothing(a) || isNothing(b) ? a : remaining(a, b));

/** As `combined` would say it, but for the steps of the other alone, which leave nothing. */
function remaining(a: FieldSet, b: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const step of Object.keys(a)) {
    const [inA, inB] = [a[step], b[step]];
    insert(result, step, remaining(childrenOf(inA), childrenOf(inB)), isMember(inA) && !isMember(inB));
  }
  return result;
}

/** Without the paths of the other and all that lies below them. */
export function withoutBranches(set: FieldSet, cut: FieldSet): FieldSet {
  if (isNothing(cut)) return set;
  const result: FieldSet = {};
  for (const [step, below] of Object.entries(set)) {
    const of = cut[step];
    if (of === undefined) result[step] = below;
    else if (!isMember(of)) insert(result, step, withoutBranches(childrenOf(below), of), isMember(below));
  }
  return result;
}

/** Every path of a set as the text of messages, parents first. */
export function pathsOf(set: FieldSet, prefix = ''): string[] {
  const steps = Object.keys(set)
    .filter((step) => step !== '.')
    .toSorted();
  const own = steps.filter((step) => isMember(set[step])).map((step) => prefix + textOfStep(step));
  return [...own, ...steps.flatMap((step) => pathsOf(childrenOf(set[step]), prefix + textOfStep(step)))];
}

/** Sets as the server writes them. They stand in objects that are stored, and those are never changed: there is nothing to look at again. */
const written = new WeakSet<object>();

/** Whether it is such a set: what may be shared, and need not be copied. */
export const isWritten = (value: object): boolean => written.has(value);

/**
 * Sets written last, by their text, least recently first. The thousand pods of a workload have the same ones, which take more memory than
 * all the rest of such a pod.
 */
const shared = new Map<string, FieldSet>();
const MOST_SHARED = 500;
/** Characters of a set's text. A larger one is no pod's. */
const LONGEST_SHARED = 16_384;

/** The same set with its steps in order, as the server writes it. Objects share it. */
export function ordered(set: FieldSet): FieldSet {
  if (isWritten(set)) return set;
  const result = inOrder(set);
  const text = JSON.stringify(result);
  const known = shared.get(text) ?? result;
  written.add(known);
  if (text.length > LONGEST_SHARED) return known;
  shared.delete(text);
  shared.set(text, known);
  for (const oldest of shared.keys()) {
    if (shared.size <= MOST_SHARED) break;
    shared.delete(oldest);
  }
  return known;
}

/** Nobody can change it, for who did would change all objects that share it. */
function inOrder(set: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const step of Object.keys(set).toSorted()) result[step] = inOrder(set[step] ?? {});
  return Object.freeze(result);
}

/** A set of somebody's request, or one that is stored. @returns undefined for anything else */
export function readFieldSet(value: unknown): FieldSet | undefined {
  if (!isFields(value)) return undefined;
  if (isWritten(value)) return value as FieldSet;
  const result: FieldSet = {};
  for (const [step, below] of Object.entries(value)) {
    if (step !== '.' && !isStep(step)) return undefined;
    const read = readFieldSet(below);
    if (!read) return undefined;
    result[step] = read;
  }
  return result;
}

function isStep(step: string): boolean {
  if (step.startsWith('f:')) return true;
  if (!/^[kvi]:/.test(step)) return false;
  try {
    const value: unknown = JSON.parse(step.slice(2));
    return !step.startsWith('k:') || isFields(value);
  } catch {
    return false;
  }
}
