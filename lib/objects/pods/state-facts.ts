// A pod's state: where it runs, how far it is, why it does not run. Rows of the table of pod facts (fact-table.ts).
import * as v from 'valibot';
import { LARGEST_INT32, LEAST_INT32 } from '../values/integers.ts';
import {
  LONGEST_POD_REASON,
  podReasonsOf,
  CONTAINER_REASON_FIELDS,
  REASON_FIELDS,
  wordsOf,
  type PodReason,
  lastEndsOf,
  type LastEnd,
} from './pod-reasons.ts';
import { isDurationSeconds } from '../values/time.ts';
import { secondsOf } from '../values/unix-seconds.ts';
import { dictionary, flag, number, shared, type FactRows } from './fact-row.ts';
import * as values from './fact-values.ts';
import { bounded, type ContainerFacts } from './fact-values.ts';

export interface StateFacts {
  /** Bound to a node. */
  assigned: boolean;
  phase: string;
  createdAt: number;
  /** `deletionTimestamp`. */
  deletedAt?: number;
  /** 0 where there are more than a duration holds. */
  deletionGraceSeconds?: number;
  /** Status of the Ready condition, where the pod has one. */
  ready?: 'True' | 'False' | 'Unknown';
  /** Its last transition. */
  readySince?: number;
  /** Every condition's type and status, in the pod's order. */
  conditions: { type: string; status: string }[];
  /** Regular containers first, then init containers, each in the pod's order. */
  containers: ContainerFacts[];
  /** Why it does not run, or was ended, in the cluster's words. Absent where nothing is said. */
  reasons?: readonly PodReason[];
  /** How the run before of containers ended that run or wait again, the latest end first. Absent for a pod without such. */
  lastEnds?: readonly LastEnd[];
  /** When its node took it, `status.startTime`. */
  startedAt?: number;
}

const { EACH, sum, text } = values;
/** Years 0 to 9999, which is what the API's times reach. */
const [TIME_MIN, TIME_MAX] = [-62_167_219_200, 253_402_300_799];
const isTime = (seconds: number): boolean => seconds >= TIME_MIN && seconds <= TIME_MAX;
const timeFaultOf = (name: string, seconds: number | undefined): string | undefined =>
  seconds === undefined || isTime(seconds) ? undefined : `${name}: a date before the year 10000`;

const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Characters of each text that a pod may have; messages read some more. */
const LONGEST_TEXT = 1_000;
const [MOST_CONDITIONS, MOST_CONTAINERS] = [30, 60];
/** Readers take twice what is kept of a pod. */
const reasonText = (most: number): v.GenericSchema<unknown, string> => v.pipe(v.string(), v.maxLength(most * 2));
const [REASON, MESSAGE, CONTAINER] = [LONGEST_POD_REASON.reason, LONGEST_POD_REASON.message, LONGEST_POD_REASON.container].map(
  reasonText,
) as [ReturnType<typeof reasonText>, ReturnType<typeof reasonText>, ReturnType<typeof reasonText>];

/** In the order in which shapes and columns hold them: a new one goes to the end. Bits 4, 8 and 256 are an entry's own (lib/wire/packing/shapes.ts). */
export const STATE_FACTS: FactRows<StateFacts> = {
  assigned: {
    blank: false,
    flag: flag({ bit: 2, isSet: ({ assigned }) => assigned, set: (facts, value) => void (facts.assigned = value) }),
    fields: { spec: { nodeName: true } },
    read: ({ spec }, facts) => void (facts.assigned = Boolean(spec?.nodeName)),
  },
  phase: {
    blank: '',
    shared: shared({
      letter: 'p',
      schema: text,
      encode: ({ phase }) => phase,
      decode: (phase, facts) => void (facts.phase = phase),
      isAlike: (a, b) => a.phase === b.phase,
    }),
    fields: { status: { phase: true } },
    read: ({ status }, facts) => void (facts.phase = bounded(status?.phase ?? '')),
    forget: (facts) => void (facts.phase = ''),
    bounds: {
      field: 'status.phase',
      isSmall: () => true,
      sizeOf: () => 0,
      textFaultOf: ({ phase }) => (phase.length > LONGEST_TEXT ? `is longer than ${LONGEST_TEXT} characters` : undefined),
    },
  },
  createdAt: {
    blank: 0,
    number: number({
      column: 'times',
      since: 'before',
      bit: 0,
      valueOf: ({ createdAt }) => createdAt,
      give: (facts, value) => void (facts.createdAt = value),
    }),
    fields: { metadata: { creationTimestamp: true } },
    read: ({ metadata }, facts) => void (facts.createdAt = secondsOf(metadata.creationTimestamp) ?? 0),
    faultOf: ({ createdAt }) => timeFaultOf('createdAt', createdAt),
  },
  deletedAt: {
    number: number({
      column: 'times',
      since: 'createdAt',
      bit: 64,
      valueOf: ({ deletedAt }) => deletedAt,
      give: (facts, value) => void (facts.deletedAt = value),
    }),
    fields: { metadata: { deletionTimestamp: true } },
    read: ({ metadata }, facts) => {
      const deletedAt = secondsOf(metadata.deletionTimestamp);
      if (deletedAt !== undefined) facts.deletedAt = deletedAt;
    },
    faultOf: ({ deletedAt }) => timeFaultOf('deletedAt', deletedAt),
  },
  deletionGraceSeconds: {
    shared: shared({
      letter: 'd',
      schema: v.optional(wholeNumber),
      encode: ({ deletionGraceSeconds }) => deletionGraceSeconds,
      decode: (seconds, facts) => void (seconds !== undefined && (facts.deletionGraceSeconds = seconds)),
      isAlike: (a, b) => a.deletionGraceSeconds === b.deletionGraceSeconds,
      faultOf: (seconds) => (seconds === undefined || isDurationSeconds(seconds) ? undefined : 'deletionGraceSeconds: a number of seconds'),
    }),
    fields: { metadata: { deletionTimestamp: true, deletionGracePeriodSeconds: true } },
    read: ({ metadata }, facts) => {
      const { deletionTimestamp, deletionGracePeriodSeconds: seconds } = metadata;
      // The API server reckons with a duration too: where that wraps around, the time of the deletion has wrapped with it.
      if (seconds !== undefined && secondsOf(deletionTimestamp) !== undefined)
        facts.deletionGraceSeconds = isDurationSeconds(seconds) ? seconds : 0;
    },
  },
  ready: {
    shared: shared({
      letter: 'r',
      schema: v.optional(v.picklist(['True', 'False', 'Unknown'])),
      encode: ({ ready }) => ready,
      decode: (ready, facts) => void (ready && (facts.ready = ready)),
      isAlike: (a, b) => a.ready === b.ready,
    }),
    fields: { status: { conditions: { type: true, status: true } } },
    read: (pod, facts) => {
      const ready = values.readyConditionOf(pod);
      if (ready) facts.ready = ready.status === 'True' || ready.status === 'False' ? ready.status : 'Unknown';
    },
    forget: (facts) => void delete facts.ready,
  },
  readySince: {
    number: number({
      column: 'times',
      since: 'createdAt',
      bit: 128,
      valueOf: ({ readySince }) => readySince,
      give: (facts, value) => void (facts.readySince = value),
    }),
    fields: { status: { conditions: { type: true, lastTransitionTime: true } } },
    read: (pod, facts) => {
      const since = secondsOf(values.readyConditionOf(pod)?.lastTransitionTime);
      if (since !== undefined) facts.readySince = since;
    },
    forget: (facts) => void delete facts.readySince,
    faultOf: ({ readySince }) => timeFaultOf('readySince', readySince),
  },
  conditions: {
    blank: [],
    shared: shared({
      letter: 'k',
      schema: v.array(v.tuple([text, text])),
      encode: ({ conditions }) => conditions.map(({ type, status }): [string, string] => [type, status]),
      decode: (pairs, facts) => void (facts.conditions = pairs.map(([type, status]) => ({ type, status }))),
      isAlike: (a, b) => values.areConditionsAlike(a.conditions, b.conditions),
    }),
    fields: { status: { conditions: { type: true, status: true } } },
    read: ({ status }, facts) =>
      void (facts.conditions = (status?.conditions ?? []).map(({ type, status: each }) => ({
        type: bounded(type),
        status: bounded(each),
      }))),
    forget: (facts) => void (facts.conditions = []),
    bounds: {
      field: 'status.conditions',
      isSmall: ({ conditions }) => conditions.length <= MOST_CONDITIONS,
      sizeOf: ({ conditions }) => sum(conditions.map(({ type, status }) => type.length + status.length + EACH)),
      textFaultOf: ({ conditions }) => {
        for (const { type, status } of conditions)
          if (type.length > LONGEST_TEXT || status.length > LONGEST_TEXT) return `hold a text longer than ${LONGEST_TEXT} characters`;
        return undefined;
      },
    },
  },
  containers: {
    blank: [],
    /** Name, role, restarts, exit code or null, whether a time follows for each pod. */
    shared: shared({
      letter: 's',
      schema: v.array(
        v.tuple([
          text,
          v.picklist(['container', 'sidecar', 'init']),
          wholeNumber,
          v.nullable(v.pipe(v.number(), v.safeInteger())),
          v.boolean(),
        ]),
      ),
      encode: ({ containers }) => containers.map(values.containerColumnsOf),
      decode: (columns, facts) => void (facts.containers = columns.map(values.containerInColumns)),
      isAlike: (a, b) => values.areContainersAlike(a.containers, b.containers),
      faultOf: (columns) => {
        for (const [, , restarts, exitCode] of columns)
          if (restarts > LARGEST_INT32 || (exitCode !== null && (exitCode > LARGEST_INT32 || exitCode < LEAST_INT32)))
            return 'containers: numbers of 32 bits';
        return undefined;
      },
    }),
    listed: {
      lengthOf: ({ containers }) => containers.length,
      timesOf: ({ containers }) => values.finishedAtOf(containers),
      give: (facts, next) =>
        void (facts.containers = facts.containers.map((each) => (each.finishedAt === undefined ? each : values.endedAt(each, next())))),
      faultOf: ({ containers }) => {
        for (const { finishedAt } of containers) if (timeFaultOf('', finishedAt)) return timeFaultOf('containers', finishedAt);
        return undefined;
      },
      skip: (json, facts) =>
        void (facts.containers = json.map((each) =>
          values.containerInColumns(['', 'container', 0, null, Array.isArray(each) && each[4] === true]),
        )),
    },
    fields: {
      spec: { initContainers: { name: true, restartPolicy: true } },
      status: { containerStatuses: values.CONTAINER_FIELDS, initContainerStatuses: values.CONTAINER_FIELDS },
    },
    read: (pod, facts) => void (facts.containers = values.containersOf(pod)),
    forget: (facts) => void (facts.containers = []),
    bounds: {
      field: 'status.containerStatuses',
      isSmall: ({ containers }) => containers.length <= MOST_CONTAINERS,
      sizeOf: ({ containers }) => sum(containers.map(({ name }) => name.length + EACH)),
    },
  },
  reasons: {
    isForPeople: true,
    dictionary: dictionary({
      bit: 512,
      schema: v.array(v.union([v.strictTuple([REASON, MESSAGE]), v.strictTuple([REASON, MESSAGE, CONTAINER])])),
      valueOf: ({ reasons }) => reasons,
      give: (facts, reasons) => void (facts.reasons = reasons),
      encode: (reasons) =>
        reasons.map(({ reason, message = '', container }): [string, string] | [string, string, string] =>
          container === undefined ? [reason, message] : [reason, message, container],
        ),
      decode: (tuples): readonly PodReason[] =>
        tuples.map(([reason, message, container]) => ({
          reason,
          ...(message !== '' && { message }),
          ...(container !== undefined && { container }),
        })),
      bytesMax: 8_192,
      spare: { shorten: wordsOf, bytesMax: 16_384, shortBytesMax: 4_096, keptMax: 5_000, shortKeptMax: 1_000 },
    }),
    fields: {
      status: {
        phase: true,
        ...REASON_FIELDS,
        conditions: { type: true, status: true, ...REASON_FIELDS },
        containerStatuses: CONTAINER_REASON_FIELDS,
        initContainerStatuses: CONTAINER_REASON_FIELDS,
      },
    },
    read: (pod, facts) => {
      const reasons = podReasonsOf(pod);
      if (reasons) facts.reasons = reasons;
    },
    forget: (facts) => void delete facts.reasons,
  },
  lastEnds: {
    isForPeople: true,
    /** Container, exit code, reason or an empty text. The time of the first one is each pod's own. */
    shared: shared({
      letter: 'e',
      schema: v.optional(v.array(v.tuple([CONTAINER, v.pipe(v.number(), v.safeInteger()), REASON]))),
      encode: ({ lastEnds }) =>
        lastEnds?.map(({ container, exitCode, reason = '' }): [string, number, string] => [container, exitCode, reason]),
      decode: (tuples, facts) =>
        void (
          tuples &&
          (facts.lastEnds = tuples.map(([container, exitCode, reason]) => ({ container, exitCode, ...(reason !== '' && { reason }) })))
        ),
      isAlike: (a, b) => values.areLastEndsAlike(a.lastEnds, b.lastEnds),
      faultOf: (tuples) =>
        tuples?.some(([, exitCode]) => exitCode > LARGEST_INT32 || exitCode < LEAST_INT32) ? 'lastEnds: numbers of 32 bits' : undefined,
    }),
    number: number({
      column: 'behind',
      since: 'createdAt',
      bit: 16_384,
      valueOf: ({ lastEnds }) => lastEnds?.[0]?.finishedAt,
      give: (facts, value) => void (facts.lastEnds &&= values.firstEndedAt(facts.lastEnds, isTime(value) ? value : undefined)),
    }),
    fields: { status: { containerStatuses: CONTAINER_REASON_FIELDS, initContainerStatuses: CONTAINER_REASON_FIELDS } },
    read: (pod, facts) => {
      const ends = lastEndsOf(pod);
      if (ends) facts.lastEnds = ends;
    },
    forget: (facts) => void delete facts.lastEnds,
  },
  startedAt: {
    isForPeople: true,
    number: number({
      column: 'behind',
      since: 'createdAt',
      bit: 32_768,
      valueOf: ({ startedAt }) => startedAt,
      give: (facts, value) => {
        if (isTime(value)) facts.startedAt = value;
        else delete facts.startedAt;
      },
    }),
    fields: { status: { startTime: true } },
    read: ({ status }, facts) => {
      const startedAt = secondsOf(status?.startTime);
      if (startedAt !== undefined) facts.startedAt = startedAt;
    },
    forget: (facts) => void delete facts.startedAt,
  },
};
