// Words that a shell may offer for an argument or option, where they are not all that can stand there.
import type { Argument, Option } from 'commander';

const words = new WeakMap<Argument | Option, readonly string[]>();

/** @returns the place itself, so that it can be built in one expression */
export function withWords<Place extends Argument | Option>(place: Place, offered: readonly string[]): Place {
  words.set(place, offered);
  return place;
}

/** Known words for that place; empty without any. */
export const wordsOf = (place: Argument | Option): readonly string[] => place.argChoices ?? words.get(place) ?? [];

const ofWorkloads = new WeakSet<Argument>();

/** A place for KIND/NAME of a workload that the running instance knows. */
export function withWorkloads(place: Argument): Argument {
  ofWorkloads.add(place);
  return place;
}

export const takesWorkload = (place: Argument): boolean => ofWorkloads.has(place);

const ofRuns = new WeakSet<Argument>();

/** A place for the id of a run whose record this machine keeps. */
export function withRuns(place: Argument): Argument {
  ofRuns.add(place);
  return place;
}

export const takesRun = (place: Argument): boolean => ofRuns.has(place);
