// A pod's facts that neither a message nor a view item would hold. Such a pod exists and is known by its metadata; nothing is decided by
// the rest, which is left out.
import { BOUNDED_FACTS, POD_FACTS, type PodFacts } from './fact-table.ts';

/** Characters of what a pod shares with others like it; messages read some more. */
const LONGEST_FACTS = 48_000;

const FORGETS = POD_FACTS.flatMap(({ forget }) => forget ?? []);
// In arrays of their own: the loops over them run for every event of a relay.
const WITH_TEXTS = BOUNDED_FACTS.filter(({ textFaultOf }) => textFaultOf !== undefined);
const TEXT_FAULTS = WITH_TEXTS.map(({ textFaultOf }) => textFaultOf);
const SIZE_TESTS = BOUNDED_FACTS.map(({ isSmall }) => isSmall);

function areAllSmall(facts: PodFacts): boolean {
  for (let at = 0; at < SIZE_TESTS.length; at += 1) if (!SIZE_TESTS[at]?.(facts)) return false;
  return true;
}

/** @returns what there is too much of, and the limit; undefined where all of it can be kept */
export function excessOf(facts: PodFacts): string | undefined {
  for (let at = 0; at < TEXT_FAULTS.length; at += 1) {
    const fault = TEXT_FAULTS[at]?.(facts);
    if (fault !== undefined) return `its ${WITH_TEXTS[at]?.field} ${fault}`;
  }
  if (areAllSmall(facts)) return undefined;
  const sizes = BOUNDED_FACTS.map(({ field, sizeOf }): [string, number] => [field, sizeOf(facts)]);
  if (sizes.reduce((total, [, size]) => total + size, 0) <= LONGEST_FACTS) return undefined;
  const [[field, size] = ['', 0]] = sizes.toSorted(([, a], [, b]) => b - a);
  return `its ${field} take ${size} characters; ${LONGEST_FACTS} are kept of a pod`;
}

/** The facts of its metadata. To builds that do not know of unreadable pods it is one that has not started: there, and not over. */
export function unreadableFacts(facts: PodFacts, why: string): PodFacts {
  const known = { ...facts };
  for (const forget of FORGETS) forget(known);
  known.unreadable = why;
  return known;
}
