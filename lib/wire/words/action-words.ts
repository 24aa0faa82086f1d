// Actions of people on a workload: as they ask the API for them, and as it asks the passes, which reach the cluster.
import * as v from 'valibot';

const REPLICAS_MAX = 100_000;

/** Told apart from all others by its asker: the same one twice is one action. */
export const ACTION_TOKEN = /^[\w.:-]{8,64}$/;

export const ActionToken = v.pipe(v.string(), v.regex(ACTION_TOKEN, '8 to 64 letters, digits, dashes, dots or colons'));

/** @param further entries that each of them has, too */
export const actionsWith = <Further extends v.ObjectEntries>(further: Further) =>
  v.variant('action', [
    v.strictObject({ action: v.literal('suspend'), ...further }),
    v.strictObject({ action: v.literal('resume'), ...further }),
    v.strictObject({ action: v.literal('delete'), ...further }),
    /** `failed`: only the indexes that did not succeed. */
    v.strictObject({ action: v.literal('retry'), indexes: v.exactOptional(v.picklist(['all', 'failed'])), ...further }),
    /** Of a virtual node. `undo`: it takes pods again. `force`: with pods that no controller would make anew. */
    v.strictObject({
      action: v.literal('drain'),
      undo: v.exactOptional(v.boolean()),
      force: v.exactOptional(v.boolean()),
      ...further,
    }),
    v.strictObject({
      action: v.literal('scale'),
      replicas: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(REPLICAS_MAX)),
      /** Of replicas, where a workload has several. */
      type: v.exactOptional(v.pipe(v.string(), v.regex(/^[A-Za-z]{1,32}$/, 'the name of a type of replicas'))),
      ...further,
    }),
  ]);

export const WantedAction = actionsWith({});
export type WantedAction = v.InferOutput<typeof WantedAction>;
export type ActionName = WantedAction['action'];

export const ACTION_NAMES = ['suspend', 'resume', 'delete', 'retry', 'scale', 'drain'] as const satisfies readonly ActionName[];

const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** In the place of an object of Kubernetes. */
export const ActionAnswer = v.object({
  metadata: v.object({}),
  action: v.picklist(ACTION_NAMES),
  uid: text,
  /** `planned`: a dry run. `unchanged`: it stood so already. */
  result: v.picklist(['planned', 'done', 'unchanged']),
  /** Sentences for people: the effect that it would have, or has had. */
  text: v.array(text),
  /** The words on a button for it. */
  button: text,
  /** Pods that end by it. */
  endingPods: v.exactOptional(count),
  /** So much goes that a person should type the workload's name first. */
  needsName: v.exactOptional(v.literal(true)),
  /** Name of the workload that a retry makes. */
  created: v.exactOptional(text),
  /** Who asked, and when, RFC 3339; of a dry run absent. */
  by: v.exactOptional(text),
  at: v.exactOptional(text),
});
export type ActionAnswer = v.InferOutput<typeof ActionAnswer>;

/** An event as it is shown: equal ones are one line. */
const FoldedEvent = v.object({
  type: text,
  reason: text,
  /** As in `Pod demo-0-x7k2p`. */
  object: v.object({ kind: text, name: text }),
  text,
  count,
  /** RFC 3339. */
  first: text,
  last: text,
  source: text,
});
export type FoldedEvent = v.InferOutput<typeof FoldedEvent>;

export const EventsAnswer = v.object({ metadata: v.object({}), events: v.array(FoldedEvent), leftOut: count });
export type EventsAnswer = v.InferOutput<typeof EventsAnswer>;

const Manifest = v.custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'an object');
export const ManifestAnswer = v.object({ metadata: v.object({}), manifest: Manifest, maskedValues: count });
