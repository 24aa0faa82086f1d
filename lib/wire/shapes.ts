// A shape is what pods share. It is written once for all pods that have it. Its letters and bits are those of the table of pod facts.
import * as v from 'valibot';
import { childNameOf } from '../objects/child-names.ts';
import { DICTIONARY_FACTS, FLAG_FACTS, NUMBER_FACTS, SHARED_BEFORE_BITS, SHARED_FACTS, type PodFacts } from '../objects/pods/fact-table.ts';
import { plainNumberOf } from '../objects/pods/fact-values.ts';
import type { PodEntry } from './observations.ts';

/** Bits of an entry and its name. The others belong to rows of the table: facts that are true, and which columns a pod has. */
export const BITS = { deleted: 4, byPass: 8, computedName: 256 };

const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Single letters, since a small item holds one shape for few pods. Unknown letters are passed over. */
export const Shape = v.object({
  b: wholeNumber,
  ...Object.fromEntries(SHARED_FACTS.map(({ shared }) => [shared.letter, shared.schema])),
});
export type Shape = { b: number } & Record<string, unknown>;

const FLAGS = FLAG_FACTS.map(({ flag }) => flag);
const OPTIONAL_NUMBERS = NUMBER_FACTS.map(({ number }) => number).filter(({ bit }) => bit !== 0);
/** Facts that a pod may have for itself. */
const OWN_FACTS = [...OPTIONAL_NUMBERS, ...DICTIONARY_FACTS.map(({ dictionary }) => dictionary)].map(({ bit, valueOf }) => ({
  bit,
  valueOf,
}));
const COMPARISONS = SHARED_FACTS.map(({ shared }) => shared.isAlike);

/** The name that controller, index and number give; undefined for a pod without a controller or a number. */
export function computedNameOf({ controller, index, number }: PodFacts): string | undefined {
  if (!controller || number === undefined) return undefined;
  return childNameOf(controller, { index: plainNumberOf(index), number });
}

export function bitsOf({ pod, deleted, byPass }: PodEntry): number {
  let bits = (deleted ? BITS.deleted : 0) | (byPass ? BITS.byPass : 0) | (computedNameOf(pod) === pod.name ? BITS.computedName : 0);
  for (let at = 0; at < FLAGS.length; at += 1) {
    const { bit, isSet } = FLAGS[at] as (typeof FLAGS)[number];
    if (isSet(pod)) bits |= bit;
  }
  for (let at = 0; at < OWN_FACTS.length; at += 1) {
    const { bit, valueOf } = OWN_FACTS[at] as (typeof OWN_FACTS)[number];
    if (valueOf(pod) !== undefined) bits |= bit;
  }
  return bits;
}

/** A pod's shape as messages and items write it. Keep the bits at their place: version 1 fixes it. */
export function writtenShapeOf(pod: PodFacts, bits: number): string {
  const shape: Record<string, unknown> = {};
  for (const [at, { shared }] of SHARED_FACTS.entries()) {
    if (at === SHARED_BEFORE_BITS) shape['b'] = bits;
    shape[shared.letter] = shared.encode(pod);
  }
  return JSON.stringify(shape);
}

/** Whether two pods with the same bits have one shape. Compares without writing the shape, because it runs for every pod. */
export function areAlike(a: PodFacts, b: PodFacts): boolean {
  for (let at = 0; at < COMPARISONS.length; at += 1) if (!COMPARISONS[at]?.(a, b)) return false;
  return true;
}

/** The facts that a shape gives to each of its pods. */
export function factsOfShape(shape: Shape, facts: PodFacts): void {
  for (const { shared } of SHARED_FACTS) shared.decode(shape[shared.letter], facts);
  for (const { flag } of FLAG_FACTS) flag.set(facts, (shape.b & flag.bit) !== 0);
  // Placeholders: each pod overwrites them with its own numbers.
  for (const { bit, give } of OPTIONAL_NUMBERS) if ((shape.b & bit) !== 0) give(facts, 0);
}

/** What is wrong with a shape that the schema accepts. */
export function faultOfShape(shape: Shape): string | undefined {
  for (const { shared } of SHARED_FACTS) {
    const fault = shared.faultOf?.(shape[shared.letter]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
