// The colours of states: as in the console, and only beside the word.
import type { State } from '../../kinds/rows/state.ts';
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import type { Colour } from './output.ts';

/** A state without a colour here does not compile. */
const OF_WORKLOADS: Readonly<Record<State, Colour>> = {
  Pending: 'dim',
  Running: 'cyan',
  BackingOff: 'yellow',
  Waiting: 'yellow',
  Suspended: 'dim',
  Succeeded: 'green',
  Failed: 'red',
  Parked: 'magenta',
  Unreadable: 'magenta',
  Terminating: 'dim',
  Unknown: 'dim',
  Orphan: 'dim',
};

const OF_CLUSTERS: Readonly<Record<string, Colour>> = {
  Watching: 'green',
  Draining: 'dim',
  Leaving: 'dim',
  Waiting: 'dim',
  Throttled: 'dim',
};

/** Of passes: how they ended. */
const OF_OUTCOMES: Readonly<Record<string, Colour>> = {
  acted: 'green',
  converged: 'green',
  parked: 'red',
  failed: 'red',
  unreachable: 'red',
};

/** @param shown the word, and what stands behind it in a bracket; a word of a later version has no colour */
export function colourOfState(shown: string): Colour | undefined {
  const [word = '', ...bracket] = shown.split(' ');
  const colour = ownEntry<Colour>(OF_WORKLOADS, word);
  // Some of its pods cannot run. Lagging ones can.
  return word === 'Running' && bracket.length > 0 && !shown.endsWith(' lag)') ? 'yellow' : colour;
}

export const colourOfCluster = (shown: string): Colour => ownEntry(OF_CLUSTERS, /^\w*/.exec(shown)?.[0] ?? '') ?? 'red';

export const colourOfOutcome = (outcome: string): Colour | undefined => ownEntry(OF_OUTCOMES, outcome);
