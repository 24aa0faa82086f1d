// A pod's identity, which stays: its name, its owner, its place among its siblings. Rows of the table of pod facts (fact-table.ts).
import * as v from 'valibot';
import { controllerUidLabel, jobNameLabel, legacyControllerUidLabel, legacyJobNameLabel } from '../job-labels.ts';
import { flag, number, shared, type FactRows } from './fact-row.ts';
import * as values from './fact-values.ts';
import { bounded, controllerOf, numberText, plainNumberOf } from './fact-values.ts';

export interface IdentityFacts {
  uid: string;
  name: string;
  namespace: string;
  /** The object's own, not that of the list which held it. */
  resourceVersion: string;
  /** The owner reference with `controller: true`. */
  controller?: { apiVersion: string; kind: string; name: string; uid: string };
  /** All labels but the completion index where it repeats the annotation. */
  labels: Record<string, string>;
  /** Raw text of the completion index annotation; absent where it is longer than any that a controller writes. */
  index?: string;
  /** Raw text of the per-index failure annotations; the same. */
  failureCount?: string;
  ignoredFailureCount?: string;
  /** Why all but its metadata is unknown, as a sentence goes on after "cannot be read:". Absent where it could be read. */
  unreadable?: string;
  /** From `farloop.dev/number`: whole, 0 or more. Absent on pods that Farloop did not name. */
  number?: number;
  /** Whether the Job tracking finalizer is on it. */
  tracked: boolean;
}

/** Control and format characters, and line ends: names and uids have none. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const printFaultOf = (name: string, text: string): string | undefined =>
  UNPRINTABLE.test(text) ? `${name}: a text without control characters` : undefined;

/** Nine digits, as every index and number of a child. */
const NUMBER_MAX = 999_999_999;
/** Texts of an index are longer than nine digits where somebody wrote one; facts hold none beyond this. */
const LONGEST_INDEX = 100;

const { EACH, sum, text } = values;
const MOST_LABELS = 40;

const JOB_LABELS = [jobNameLabel, controllerUidLabel, legacyJobNameLabel, legacyControllerUidLabel];
const jobLabelsIn = (labels: IdentityFacts['labels']): IdentityFacts['labels'] =>
  Object.fromEntries(JOB_LABELS.flatMap((label) => (labels[label] === undefined ? [] : [[label, labels[label]]])));

const oddIndexOf = (index: string | undefined): string | undefined => (plainNumberOf(index) === undefined ? index : undefined);

/** In the order in which shapes and columns hold them. */
export const IDENTITY_FACTS: FactRows<IdentityFacts> = {
  uid: {
    blank: '',
    isIdentity: true,
    fields: { metadata: { uid: true } },
    read: ({ metadata }, facts) => void (facts.uid = metadata.uid ?? ''),
    faultOf: ({ uid }) => printFaultOf('uid', uid),
  },
  name: {
    blank: '',
    isIdentity: true,
    fields: { metadata: { name: true } },
    read: ({ metadata }, facts) => void (facts.name = metadata.name ?? ''),
    faultOf: ({ name }) => printFaultOf('name', name),
  },
  namespace: {
    blank: '',
    shared: shared({
      letter: 'n',
      schema: text,
      encode: ({ namespace }) => namespace,
      decode: (namespace, facts) => void (facts.namespace = namespace),
      isAlike: (a, b) => a.namespace === b.namespace,
    }),
    isOfOwner: true,
    fields: { metadata: { namespace: true } },
    read: ({ metadata }, facts) => void (facts.namespace = metadata.namespace ?? ''),
  },
  resourceVersion: {
    blank: '0',
    isIdentity: true,
    fields: { metadata: { resourceVersion: true } },
    read: ({ metadata }, facts) => void (facts.resourceVersion = metadata.resourceVersion ?? '0'),
  },
  controller: {
    shared: shared({
      letter: 'c',
      schema: v.optional(v.strictObject({ apiVersion: text, kind: text, name: text, uid: text })),
      encode: ({ controller }) => controller,
      decode: (controller, facts) => void (controller && (facts.controller = controller)),
      isAlike: ({ controller: a }, { controller: b }) =>
        a === b || (a?.uid === b?.uid && a?.name === b?.name && a?.kind === b?.kind && a?.apiVersion === b?.apiVersion),
    }),
    isOfOwner: true,
    fields: { metadata: { ownerReferences: { apiVersion: true, kind: true, name: true, uid: true, controller: true } } },
    read: ({ metadata }, facts) => {
      const controller = controllerOf(metadata.ownerReferences);
      if (!controller) return;
      const { apiVersion, kind, name, uid } = controller;
      facts.controller = { apiVersion: bounded(apiVersion), kind: bounded(kind), name: bounded(name), uid: bounded(uid) };
    },
  },
  labels: {
    blank: {},
    shared: shared({
      letter: 'l',
      schema: v.record(text, text),
      encode: ({ labels }) => labels,
      decode: (labels, facts) => void (facts.labels = labels),
      isAlike: (a, b) => values.areLabelsAlike(a.labels, b.labels),
    }),
    isOfOwner: true,
    fields: { metadata: { labels: true } },
    read: ({ metadata }, facts) =>
      void (facts.labels = values.labelsOf(metadata.labels, numberText(metadata.annotations?.[values.COMPLETION_INDEX]))),
    forget: (facts) => {
      if (values.hasMoreThan(facts.labels, MOST_LABELS)) facts.labels = jobLabelsIn(facts.labels);
    },
    bounds: {
      field: 'metadata.labels',
      isSmall: ({ labels }) => !values.hasMoreThan(labels, MOST_LABELS),
      sizeOf: ({ labels }) => sum(Object.entries(labels).map(([label, value]) => label.length + value.length + EACH)),
    },
  },
  index: {
    number: number({
      column: 'indexes',
      since: 'next',
      bit: 16,
      isCount: true,
      valueOf: ({ index }) => plainNumberOf(index),
      give: (facts, value) => void (facts.index = String(value)),
    }),
    /** Where it is no plain number. */
    shared: shared({
      letter: 'i',
      schema: v.optional(text),
      encode: ({ index }) => oddIndexOf(index),
      decode: (index, facts) => void (index !== undefined && (facts.index = index)),
      isAlike: (a, b) => a.index === b.index || oddIndexOf(a.index) === oddIndexOf(b.index),
    }),
    fields: { metadata: { annotations: { [values.COMPLETION_INDEX]: true } } },
    read: ({ metadata }, facts) => {
      const index = numberText(metadata.annotations?.[values.COMPLETION_INDEX]);
      if (index !== undefined) facts.index = index;
    },
    faultOf: ({ index }) => ((index?.length ?? 0) > LONGEST_INDEX ? 'index: at most nine digits' : undefined),
  },
  failureCount: {
    shared: shared({
      letter: 'f',
      schema: v.optional(text),
      encode: ({ failureCount }) => failureCount,
      decode: (count, facts) => void (count !== undefined && (facts.failureCount = count)),
      isAlike: (a, b) => a.failureCount === b.failureCount,
    }),
    fields: { metadata: { annotations: { [values.INDEX_FAILURE_COUNT]: true } } },
    read: ({ metadata }, facts) => {
      const count = numberText(metadata.annotations?.[values.INDEX_FAILURE_COUNT]);
      if (count !== undefined) facts.failureCount = count;
    },
  },
  ignoredFailureCount: {
    shared: shared({
      letter: 'g',
      schema: v.optional(text),
      encode: ({ ignoredFailureCount }) => ignoredFailureCount,
      decode: (count, facts) => void (count !== undefined && (facts.ignoredFailureCount = count)),
      isAlike: (a, b) => a.ignoredFailureCount === b.ignoredFailureCount,
    }),
    fields: { metadata: { annotations: { [values.INDEX_IGNORED_FAILURE_COUNT]: true } } },
    read: ({ metadata }, facts) => {
      const count = numberText(metadata.annotations?.[values.INDEX_IGNORED_FAILURE_COUNT]);
      if (count !== undefined) facts.ignoredFailureCount = count;
    },
  },
  unreadable: {
    /** A build that does not know of this sees a pod that has not started. */
    shared: shared({
      letter: 'x',
      schema: v.optional(text),
      encode: ({ unreadable }) => unreadable,
      decode: (why, facts) => void (why !== undefined && (facts.unreadable = why)),
      isAlike: (a, b) => a.unreadable === b.unreadable,
    }),
    fields: {},
    read: (pod, facts) => void (pod.unreadable !== undefined && (facts.unreadable = pod.unreadable)),
  },
  number: {
    number: number({
      column: 'numbers',
      since: 'before',
      bit: 32,
      isCount: true,
      valueOf: (facts) => facts.number,
      give: (facts, value) => void (facts.number = value),
    }),
    fields: { metadata: { annotations: { [values.CHILD_NUMBER]: true } } },
    read: ({ metadata }, facts) => {
      const written = metadata.annotations?.[values.CHILD_NUMBER];
      if (written === undefined) return;
      const plain = plainNumberOf(written);
      if (plain !== undefined) facts.number = plain;
      else if (/^\d{1,9}$/.test(written)) facts.number = Number(written);
    },
    faultOf: (facts) => ((facts.number ?? 0) > NUMBER_MAX ? 'number: at most nine digits' : undefined),
  },
  tracked: {
    blank: false,
    flag: flag({ bit: 1, isSet: ({ tracked }) => tracked, set: (facts, value) => void (facts.tracked = value) }),
    fields: { metadata: { finalizers: true } },
    read: ({ metadata }, facts) => void (facts.tracked = metadata.finalizers?.includes(values.TRACKING_FINALIZER) ?? false),
  },
};
