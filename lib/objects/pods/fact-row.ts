// A row of the table of pod facts: how a fact is read from a pod, compared, written and bounded.
import type * as v from 'valibot';
import type { WantedFields } from '../field-mask.ts';
import type { Pod } from '../kubernetes.ts';

/** A fact that many pods share. A message writes it once for all of them, in the dictionary of shapes. */
export interface SharedFact<Facts, Json = unknown> {
  /** Its key within a shape. Never give a key that was in use another meaning: builds before read it. */
  letter: string;
  /** The JSON that a reader accepts. Optional where `encode` may leave the letter out. */
  schema: v.GenericSchema<unknown, Json>;
  /** Undefined: the letter is left out. */
  encode(this: void, facts: Facts): Json | undefined;
  decode(this: void, json: Json, facts: Facts): void;
  /** Whether `encode` gives both pods the same. It runs for every pod of every message, so it must not write. */
  isAlike(this: void, a: Facts, b: Facts): boolean;
  /** Problems of a value that the schema accepts: then its pods are refused, and the message is not. */
  faultOf?(this: void, json: Json): string | undefined;
}

/** A fact that is true or false, shared as one bit of a shape. */
export interface FlagFact<Facts> {
  bit: number;
  isSet(this: void, facts: Facts): boolean;
  set(this: void, facts: Facts, value: boolean): void;
}

/** A whole number that each pod has for itself. */
export interface NumberFact<Facts> {
  /** The column that holds it. `behind`: a column of its own behind those of version 1, which builds before pass over. */
  column: 'indexes' | 'numbers' | 'times' | 'behind';
  /** The base of the differences that the column holds: the pod before, one more than the pod before, or this pod's creation. */
  since: 'before' | 'next' | 'createdAt';
  /** Of a shape whose pods have one; 0: every pod has one. */
  bit: number;
  /** Whether a number below 0 breaks the message. */
  isCount?: true;
  valueOf(this: void, facts: Facts): number | undefined;
  give(this: void, facts: Facts, value: number): void;
}

/** Times that a pod has for itself within a shared list: which items have one belongs to the shape. */
export interface ListedTimes<Facts> {
  lengthOf(this: void, facts: Facts): number;
  /** In the order of the list. */
  timesOf(this: void, facts: Facts): readonly number[];
  /** In the place of those that the shape gave. */
  give(this: void, facts: Facts, next: () => number): void;
  /** The first fault of the facts of a pod from outside. */
  faultOf(this: void, facts: Facts): string | undefined;
  /** As much of a shape that cannot be used as is needed to read past its pods. @param json its letter's items */
  skip(this: void, json: readonly unknown[], facts: Facts): void;
}

/** A value that some pods have: a message writes each different one once, and for each such pod which. */
export interface DictionaryFact<Facts, Value = unknown, Json = unknown> {
  /** Of a shape whose pods have one. */
  bit: number;
  schema: v.GenericSchema<unknown, Json>;
  valueOf(this: void, facts: Facts): Value | undefined;
  give(this: void, facts: Facts, value: Value): void;
  encode(this: void, value: Value): Json;
  decode(this: void, json: Json): Value;
  /** Of one value as JSON. */
  bytesMax: number;
  /** A text for people: it is shortened, and then left out, where there is too much. Absent: nothing is ever left out. */
  spare?: {
    shorten(this: void, value: Value): Value;
    /** Of one message or item: whole values, then short ones beside them. */
    bytesMax: number;
    shortBytesMax: number;
    /** Different ones that a relay keeps. */
    keptMax: number;
    shortKeptMax: number;
  };
}

/** How much of a fact is kept of one pod. */
export interface FactBounds<Facts> {
  /** Of the pod, for people. */
  field: string;
  /** True where its size need not be known: with this little no pod is near the bound. */
  isSmall(this: void, facts: Facts): boolean;
  /** Characters. */
  sizeOf(this: void, facts: Facts): number;
  /** How a sentence goes on after "its FIELD"; undefined where each text is short enough. */
  textFaultOf?(this: void, facts: Facts): string | undefined;
}

/** The carrier of a fact. Several parts share one fact: an index is a number, or else a shared text. */
type Carried<Facts> =
  /** Every message and table has a place of its own for it. */
  | { isIdentity: true }
  | { shared: SharedFact<Facts> }
  | { flag: FlagFact<Facts> }
  | { number: NumberFact<Facts> }
  | { dictionary: DictionaryFact<Facts> };

export type FactRow<Facts> = Carried<Facts> & {
  isIdentity?: true;
  shared?: SharedFact<Facts>;
  flag?: FlagFact<Facts>;
  number?: NumberFact<Facts>;
  listed?: ListedTimes<Facts>;
  dictionary?: DictionaryFact<Facts>;
  /** Fields of a pod that `read` looks at. */
  fields: WantedFields;
  /** Sets the fact, bounded, where the pod has it. It runs for every event of a relay. */
  read(this: void, pod: Pod, facts: Facts): void;
  /** Takes away what is not known of a pod that cannot be read; absent: it is part of the metadata, and stays. */
  forget?(this: void, facts: Facts): void;
  bounds?: FactBounds<Facts>;
  /** The fault of the fact of a pod from outside. Not asked of a pod without the fact. */
  faultOf?(this: void, facts: Facts): string | undefined;
  /** It repeats the owner's name: a relay keeps it relative to the owner. */
  isOfOwner?: true;
  /** For people alone: no plan depends on it, so a snapshot of a plan goes without. */
  isForPeople?: true;
};

/** A row for each fact; a fact that every pod has says what stands there before it is read. */
export type FactRows<Facts> = {
  readonly [Name in keyof Facts]-?: FactRow<Facts> & (Facts extends Record<Name, Facts[Name]> ? { blank: Facts[Name] } : { blank?: never });
};

// Parts of a row, with the types of their values inferred.
export const shared = <Facts, Json>(part: SharedFact<Facts, Json>): SharedFact<Facts> => part;
export const flag = <Facts>(part: FlagFact<Facts>): FlagFact<Facts> => part;
export const number = <Facts>(part: NumberFact<Facts>): NumberFact<Facts> => part;
export const dictionary = <Facts, Value, Json>(part: DictionaryFact<Facts, Value, Json>): DictionaryFact<Facts> => part;
