// Facts of a pod that only some kinds read: a kind's row names them (`pods.asks`), and to all others they cost no byte. Rows of the table of
// pod facts (fact-table.ts), all optional.
import * as v from 'valibot';
import type { WantedFields } from '../field-mask.ts';
import type { Condition, ContainerStatus, Pod } from '../kubernetes.ts';
import { LONGEST_POD_REASON, plain, REASON_FIELDS, stable } from './pod-reasons.ts';
import { secondsOf } from '../values/unix-seconds.ts';
import { dictionary, shared, type FactRow, type FactRows } from './fact-row.ts';
import { plainNumberOf } from './fact-values.ts';

/** A container's state, in the cluster's words. */
export interface ContainerWords {
  container: string;
  state: 'waiting' | 'terminated';
  /** Empty: the cluster names none. */
  reason: string;
  message?: string;
}

/** A condition that is not met. */
export interface UnmetCondition {
  type: string;
  reason: string;
  message?: string;
}

export interface AskedFacts {
  /** The node it is bound to. */
  node?: string;
  /** `status.reason`, such as `Evicted`. */
  podReason?: string;
  /**
   * Containers that wait with a message, or ended otherwise than with exit code 0: the regular ones, or the init containers while the regular
   * ones have no status. `MOST_CONTAINERS` at most, in the pod's order.
   */
  containerWords?: readonly ContainerWords[];
  /** The condition with the latest transition, if it is not met and no container has a status yet. */
  unmetCondition?: UnmetCondition;
  /** From `farloop.dev/slot-failures`: failures of its slot that were handled before it was made. Whole, 0 or more. */
  slotFailures?: number;
  /** From `farloop.dev/job-failures`: failures of its whole workload that were handled before it was made. The same. */
  jobFailures?: number;
}

/** Annotations of a pod that is made after a failure: what was counted by then outlives the table (R1). */
export const SLOT_FAILURES = 'farloop.dev/slot-failures';
export const JOB_FAILURES = 'farloop.dev/job-failures';

const NAME_MAX = 253;
/** Nine digits. */
const COUNT_MAX = 999_999_999;
/** More of one pod are not kept. */
export const MOST_CONTAINERS = 5;
const LONGEST = { ...LONGEST_POD_REASON, message: 1_000 };

/** Readers take twice what is kept of a pod. */
const textOf = (most: number): v.GenericSchema<unknown, string> => v.pipe(v.string(), v.maxLength(most * 2));
const [REASON, MESSAGE, NAME] = [textOf(LONGEST.reason), textOf(LONGEST.message), textOf(LONGEST.container)];

/**
 * There are as many different messages as pods that failed, and a message or an item has little room. Beyond it, a pod keeps its reasons alone, and
 * then none.
 */
const ROOM = { bytesMax: 16_384, shortBytesMax: 4_096, keptMax: 5_000, shortKeptMax: 1_000 };

const STATE_FIELDS: WantedFields = {
  name: true,
  state: { waiting: REASON_FIELDS, terminated: { exitCode: true, ...REASON_FIELDS } },
};

/** A count that an annotation holds. Pods of one wave mostly have the same. */
const countFact = (name: 'slotFailures' | 'jobFailures', letter: string, annotation: string): FactRow<AskedFacts> => ({
  shared: shared({
    letter,
    schema: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(COUNT_MAX))),
    encode: (facts) => facts[name],
    decode: (count, facts) => void (count !== undefined && (facts[name] = count)),
    isAlike: (a, b) => a[name] === b[name],
  }),
  fields: { metadata: { annotations: { [annotation]: true } } },
  read: ({ metadata }, facts) => {
    const count = plainNumberOf(metadata.annotations?.[annotation]);
    if (count !== undefined) facts[name] = count;
  },
});

/** A new one goes to the end: builds before pass over the columns behind those that they know. */
export const ASKED_FACTS: FactRows<AskedFacts> = {
  node: {
    dictionary: dictionary({
      bit: 1_024,
      schema: v.pipe(v.string(), v.maxLength(NAME_MAX)),
      valueOf: ({ node }) => node,
      give: (facts, node) => void (facts.node = node),
      encode: (node) => node,
      decode: (node) => node,
      bytesMax: 1_024,
    }),
    fields: { spec: { nodeName: true } },
    read: ({ spec }, facts) => {
      if (spec?.nodeName && spec.nodeName.length <= NAME_MAX) facts.node = spec.nodeName;
    },
  },
  podReason: {
    dictionary: dictionary({
      bit: 2_048,
      schema: REASON,
      valueOf: ({ podReason }) => podReason,
      give: (facts, reason) => void (facts.podReason = reason),
      encode: (reason) => reason,
      decode: (reason) => reason,
      bytesMax: 1_024,
    }),
    fields: { status: { reason: REASON_FIELDS.reason } },
    read: ({ status }, facts) => {
      const reason = plain(status?.reason ?? '', LONGEST.reason);
      if (reason !== '') facts.podReason = reason;
    },
    forget: (facts) => void delete facts.podReason,
  },
  containerWords: {
    dictionary: dictionary({
      bit: 4_096,
      schema: v.pipe(
        v.array(v.strictTuple([NAME, v.picklist(['waiting', 'terminated']), REASON, MESSAGE])),
        v.maxLength(MOST_CONTAINERS * 2),
      ),
      valueOf: ({ containerWords }) => containerWords,
      give: (facts, words) => void (facts.containerWords = words),
      encode: (words) =>
        words.map(({ container, state, reason, message = '' }): [string, ContainerWords['state'], string, string] => [
          container,
          state,
          reason,
          message,
        ]),
      decode: (tuples): readonly ContainerWords[] =>
        tuples.map(([container, state, reason, message]) => ({ container, state, reason, ...(message !== '' && { message }) })),
      bytesMax: 32_768,
      spare: { shorten: (words) => words.map(({ message: _message, ...rest }) => rest), ...ROOM },
    }),
    fields: { status: { containerStatuses: STATE_FIELDS, initContainerStatuses: STATE_FIELDS } },
    read: ({ status }, facts) => {
      const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
      const words = (containerStatuses.length > 0 ? containerStatuses : initContainerStatuses).flatMap(wordsOf);
      if (words.length > 0) facts.containerWords = words.slice(0, MOST_CONTAINERS);
    },
    forget: (facts) => void delete facts.containerWords,
  },
  unmetCondition: {
    dictionary: dictionary({
      bit: 8_192,
      schema: v.strictTuple([REASON, REASON, MESSAGE]),
      valueOf: ({ unmetCondition }) => unmetCondition,
      give: (facts, condition) => void (facts.unmetCondition = condition),
      encode: ({ type, reason, message = '' }): [string, string, string] => [type, reason, message],
      decode: ([type, reason, message]): UnmetCondition => ({ type, reason, ...(message !== '' && { message }) }),
      bytesMax: 8_192,
      spare: { shorten: ({ type, reason }) => ({ type, reason }), ...ROOM },
    }),
    fields: {
      status: {
        conditions: { type: true, status: true, lastTransitionTime: true, ...REASON_FIELDS },
        containerStatuses: { name: true },
        initContainerStatuses: { name: true },
      },
    },
    read: (pod, facts) => {
      const latest = latestConditionOf(pod);
      if (!latest || latest.status === 'True') return;
      const [type, reason] = [plain(latest.type, LONGEST.reason), plain(latest.reason ?? '', LONGEST.reason)];
      facts.unmetCondition = { type, reason, ...messageIn(latest.message) };
    },
    forget: (facts) => void delete facts.unmetCondition,
  },
  slotFailures: countFact('slotFailures', 'y', SLOT_FAILURES),
  jobFailures: countFact('jobFailures', 'z', JOB_FAILURES),
};

const messageIn = (text: string | undefined): { message?: string } => {
  const message = stable(plain(text ?? '', LONGEST.message));
  return message === '' ? {} : { message };
};

function wordsOf({ name, state }: ContainerStatus): ContainerWords[] {
  const container = plain(name, LONGEST.container);
  const { terminated, waiting } = state ?? {};
  if (terminated && terminated.exitCode !== 0)
    return [{ container, state: 'terminated', reason: plain(terminated.reason ?? '', LONGEST.reason), ...messageIn(terminated.message) }];
  const said = messageIn(waiting?.message);
  return said.message === undefined ? [] : [{ container, state: 'waiting', reason: plain(waiting?.reason ?? '', LONGEST.reason), ...said }];
}

/** Of conditions with the same time, the first. */
function latestConditionOf({ status }: Pod): Condition | undefined {
  const { containerStatuses = [], initContainerStatuses = [], conditions = [] } = status ?? {};
  if (containerStatuses.length + initContainerStatuses.length > 0) return undefined;
  const timeOf = ({ lastTransitionTime }: Condition): number => secondsOf(lastTransitionTime ?? undefined) ?? 0;
  let latest: Condition | undefined;
  for (const each of conditions) if (!latest || timeOf(each) > timeOf(latest)) latest = each;
  return latest;
}
