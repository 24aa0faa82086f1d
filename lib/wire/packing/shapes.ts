// A shape is what pods share. It is written once for all pods that have it. Its letters and bits are those of the table of pod facts.
import * as v from 'valibot';
import { childNameOf } from '../../objects/child-names.ts';
import {
  DICTIONARY_FACTS,
  FLAG_FACTS,
  NUMBER_FACTS,
  SHARED_BEFORE_BITS,
  SHARED_FACTS,
  type PodFacts,
} from '../../objects/pods/fact-table.ts';
import { plainNumberOf } from '../../objects/pods/fact-values.ts';
import type { PodEntry } from '../words/observations.ts';

/** Bits of an entry and its name. The others belong to rows of the table: facts that are true, and which columns a pod has. */
export const BITS = { deleted: 4, byPass: 8, computedName: 256 };

const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Single letters, since a small item holds one shape for few pods. Unknown letters are passed over. */
export const Shape = v.object({
  b: wholeNumber,
  ...Object.fromEntries(SHARED_FACTS.map(({ shared }) => [shared.letter, shared.schema])),
});
export type Shape = { b: number } & Record<string, unknown>;

// In arrays of their own: these loops run for every pod of every message, and taking rows apart costs more there than what their functions do.
const FLAG_BITS = FLAG_FACTS.map(({ flag }) => flag.bit);
const FLAG_TESTS = FLAG_FACTS.map(({ flag }) => flag.isSet);
const OPTIONAL_NUMBERS = NUMBER_FACTS.map(({ number }) => number).filter(({ bit }) => bit !== 0);
/** Facts that a pod may have for itself. */
const OWN_FACTS = [...OPTIONAL_NUMBERS, ...DICTIONARY_FACTS.map(({ dictionary }) => dictionary)];
const OWN_BITS = OWN_FACTS.map(({ bit }) => bit);
const OWN_VALUES = OWN_FACTS.map(({ valueOf }) => valueOf);
const COMPARISONS = SHARED_FACTS.map(({ shared }) => shared.isAlike);
const LETTERS = SHARED_FACTS.map(({ shared }) => shared.letter);
const ENCODERS = SHARED_FACTS.map(({ shared }) => shared.encode);
/** All letters in the order in which they are written: a shape that starts as a copy never changes its hidden class. */
const UNWRITTEN = JSON.parse(
  JSON.stringify(Object.fromEntries(LETTERS.toSpliced(SHARED_BEFORE_BITS, 0, 'b').map((letter) => [letter, null]))),
) as Shape;

/** The name that controller, index and number give; undefined for a pod without a controller or a number. */
export function computedNameOf({ controller, index, number }: PodFacts): string | undefined {
  if (!controller || number === undefined) return undefined;
  return childNameOf(controller, { index: plainNumberOf(index), number });
}

/** A pod has no label that takes it out of its watch: it is there, or it is deleted. */
export function bitsOf({ child: pod, presence, byPass }: PodEntry): number {
  let bits =
    (presence === 'there' ? 0 : BITS.deleted) | (byPass ? BITS.byPass : 0) | (computedNameOf(pod) === pod.name ? BITS.computedName : 0);
  for (let at = 0; at < FLAG_BITS.length; at += 1) if (FLAG_TESTS[at]?.(pod)) bits |= FLAG_BITS[at] ?? 0;
  for (let at = 0; at < OWN_BITS.length; at += 1) if (OWN_VALUES[at]?.(pod) !== undefined) bits |= OWN_BITS[at] ?? 0;
  return bits;
}

/** A pod's shape as messages and items write it. Keep the bits at their place: version 1 fixes it. */
export function writtenShapeOf(pod: PodFacts, bits: number): string {
  const shape: Shape = { ...UNWRITTEN };
  shape.b = bits;
  for (let at = 0; at < LETTERS.length; at += 1) shape[LETTERS[at] ?? ''] = ENCODERS[at]?.(pod);
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

/** Problems of a shape that the schema accepts. */
export function faultOfShape(shape: Shape): string | undefined {
  for (const { shared } of SHARED_FACTS) {
    const fault = shared.faultOf?.(shape[shared.letter]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
