// The state that the passes of one workload keep in its head: intents, digests, the lowest free number, back-offs. An unreadable state
// counts as a missing head (R1).
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { LARGEST_INT32 } from '../../objects/values/integers.ts';
import { FELL, packedFalls, RAN, readFalls } from './remembered.ts';

const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** A child by the place and number that its name encodes (R5). */
const Child = v.object({ slot: wholeNumber, number: wholeNumber });
export type Child = v.InferOutput<typeof Child>;
/** Foreign children have no number, so they appear by uid. */
export type ChildOrUid = Child | string;

/** Loose: fields of a later build are carried along, because functions of two builds work side by side during a rollout. */
const PassState = v.looseObject({
  /** Era in which the children were listed live. Absent: they were not listed yet, so the workload is unknown (R1). */
  listedEra: v.optional(wholeNumber),
  /** Written before acting (R5). An entry is removed when its outcome is known (R4). */
  intents: v.object({
    /** When the youngest intent was written, Unix milliseconds. */
    atMs: wholeNumber,
    create: v.array(Child),
    delete: v.array(v.union([Child, v.string()])),
    strip: v.array(v.union([Child, v.string()])),
  }),
  /** Digest of the status that the API server answered to our last write (R18). */
  statusDigest: v.optional(v.string()),
  /** By the cluster's time, Unix milliseconds. */
  statusWrittenAtMs: v.optional(wholeNumber),
  /** Lowest number that no vanished child held (R5). */
  ordinal: wholeNumber,
  /** Failed pods since the last success. Upstream keeps this in memory. */
  backoff: v.objectWithRest(
    { failures: v.pipe(wholeNumber, v.maxValue(LARGEST_INT32)), lastFailureTime: v.optional(v.string()) },
    v.union([v.string(), wholeNumber, v.undefined()]),
  ),
  /**
   * The API server refused creates or deletes. They wait until this time, a new generation of the spec, or a decrease of the room taken.
   */
  hold: v.optional(
    v.object({
      failures: wholeNumber,
      untilMs: wholeNumber,
      generation: v.optional(wholeNumber),
      verb: v.optional(v.picklist(['create', 'delete'])),
      room: v.optional(wholeNumber),
    }),
  ),
  /** A person must act. The next look is at this time, or when the spec changes (R13). */
  park: v.optional(
    v.object({
      failures: wholeNumber,
      untilMs: wholeNumber,
      reason: v.string(),
      generation: wholeNumber,
      /** An object could not be read. Any change of the view may end that. */
      unreadable: v.optional(v.boolean()),
      /** No time ends it, only another spec. */
      untilChanged: v.optional(v.boolean()),
    }),
  ),
  /** Names of children that others have, as far as an Event reported them: a digest of each name and its holder, the latest last. */
  takenNames: v.optional(v.array(v.string())),
  /** Another controller writes the same status. */
  foreign: v.optional(v.object({ strikes: wholeNumber, seenAtMs: wholeNumber })),
  /** Its kind's part, by the kind's own schema. */
  kept: v.optional(v.record(v.string(), v.unknown())),
  /** Other workloads of the cluster that a pass had yet to wake. */
  tells: v.optional(
    v.array(
      v.object({ kind: v.string(), namespace: v.string(), name: v.string(), uid: v.string(), evenUnknown: v.optional(v.literal(true)) }),
    ),
  ),
  /** The last pass was cut short while it created pods. The next one does everything else before it goes on with them. */
  createsLast: v.optional(v.boolean()),
  /** The decision, for this generation of the spec, that the workload fails. The status does not contain it yet. */
  failure: v.optional(
    v.objectWithRest({ reason: v.string(), message: v.string(), generation: wholeNumber }, v.union([v.string(), wholeNumber])),
  ),
  /** The allowance of Event objects: 25 at once, one more every 5 minutes, as upstream limits them. */
  events: v.optional(v.object({ left: wholeNumber, atMs: wholeNumber })),
  /** The summary as it was written last, packed by summary/told.ts. */
  told: v.optional(v.string()),
  /** Events of the owner that could not be written yet, and when they happened. */
  untold: v.optional(
    v.array(v.object({ type: v.picklist(['Normal', 'Warning']), reason: v.string(), message: v.string(), atMs: wholeNumber })),
  ),
  /** Which pod fell first, for people. */
  fell: FELL,
  /** How long its parts ran that succeeded, for people. */
  ran: RAN,
});

export type PassState = v.InferOutput<typeof PassState>;
export type Intents = PassState['intents'];

export const NO_INTENTS: Intents = { atMs: 0, create: [], delete: [], strip: [] };

export const initialState = (): PassState => ({ intents: NO_INTENTS, ordinal: 0, backoff: { failures: 0 } });

export const hasIntents = ({ create, delete: deletes, strip }: Intents): boolean => create.length + deletes.length + strip.length > 0;

/** Packs children as runs of neighbours: the head must stay under 1 KB, and every write is billed by its size. */
export function encodeState(state: PassState): string {
  const { intents, fell, ...others } = state;
  const rest = { ...others, ...(fell && { f: packedFalls(fell) }) };
  if (!hasIntents(intents)) return JSON.stringify(rest);
  const packed = { a: intents.atMs, c: packChildren(intents.create), d: packChildren(intents.delete), s: packChildren(intents.strip) };
  return JSON.stringify({ ...rest, i: packed });
}

/** [first slot, how many, first number, 1 if the numbers count up with the slots else 0], or a uid. */
const Run = v.tuple([wholeNumber, v.pipe(wholeNumber, v.maxValue(100_000)), wholeNumber, v.picklist([0, 1])]);
type Run = v.InferOutput<typeof Run>;
const PackedChildren = v.array(v.union([Run, v.string()]));
const PackedIntents = v.object({ a: wholeNumber, c: PackedChildren, d: PackedChildren, s: PackedChildren });

function packChildren(children: readonly ChildOrUid[]): (Run | string)[] {
  const packed: (Run | string)[] = [];
  for (const child of children) {
    const last = packed.at(-1);
    if (typeof child === 'string') packed.push(child);
    else if (last === undefined || typeof last === 'string' || !extend(last, child)) packed.push([child.slot, 1, child.number, 0]);
  }
  return packed;
}

function extend(run: Run, { slot, number }: Child): boolean {
  const [first, count, firstNumber] = run;
  if (slot !== first + count) return false;
  const step = number - firstNumber;
  if (count === 1 && step === 1) run[3] = 1;
  if (step !== run[3] * count) {
    if (count === 1) run[3] = 0;
    return false;
  }
  run[1] += 1;
  return true;
}

const unpackChildren = (packed: v.InferOutput<typeof PackedChildren>): ChildOrUid[] =>
  packed.flatMap((run): ChildOrUid[] =>
    typeof run === 'string' ? [run] : Array.from({ length: run[1] }, (_, at) => ({ slot: run[0] + at, number: run[2] + run[3] * at })),
  );

/** @returns undefined if the text is not a state of ours */
export function decodeState(text: string): PassState | undefined {
  try {
    const { i, f, ...others } = JSON.parse(text) as { i?: unknown; f?: unknown };
    const fell = readFalls(f);
    const rest = { ...others, ...(fell && { fell }) };
    if (i === undefined) return v.parse(PassState, { ...rest, intents: NO_INTENTS });
    const packed = v.parse(PackedIntents, i);
    const create = unpackChildren(packed.c).filter((child) => typeof child !== 'string');
    const intents = { atMs: packed.a, create, delete: unpackChildren(packed.d), strip: unpackChildren(packed.s) };
    return v.parse(PassState, { ...rest, intents });
  } catch {
    return undefined;
  }
}

/** Digest of a status, independent of the order of its keys; 16 hex digits. An empty field equals an absent one. */
export function statusDigestOf(status: object | undefined): string {
  return createHash('sha256')
    .update(canonical(status ?? {}))
    .digest('hex')
    .slice(0, 16);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined && field !== null && !(typeof field === 'object' && Object.keys(field).length === 0))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`;
}
