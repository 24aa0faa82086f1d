// The message between relay and ingest: versioned, columnar, compressed. Sizes are checked before anything is parsed.
import * as v from 'valibot';
import type { Job } from '../objects/kubernetes.ts';
import { isResourceVersion } from '../objects/resource-version.ts';
import { WORKLOAD_KINDS } from '../objects/workload.ts';
import { packPods } from './columns.ts';
import { open, seal } from './envelope.ts';
import { isControllerName, MOST_CONTROLLERS } from './external-controllers.ts';
import { CHARACTERS_PER_VALUE, parseGuarded, VALUES_MAX, valuesIn } from './guarded-json.ts';
import { CLUSTER_NAME, MOST_NAMESPACES, OBJECT_NAME, UID } from './names.ts';
import { MessageTooLargeError, UndecodableMessageError } from './undecodable.ts';
import type { EventMessage, Heartbeat, OutgoingEvents, OutgoingReport, PodEntry, PodObservation, WorkloadReport } from './observations.ts';
import { JobObject } from './view-item.ts';
import { unpackPods } from './unpack-pods.ts';

/** What a body may be long; a queue takes 1 MiB. */
export const LONGEST_BODY = 1_048_576;
const LIMITS = { bytes: LONGEST_BODY, unpackedBytes: 16 * 1_048_576, headerBytes: 4 * 1_048_576 };
const MOST_REPORTS = 10_000;
const LONGEST_REASON = 300;
/** What is packed beside header and columns. */
const LENGTHS_BYTES = 16;

const name = v.pipe(v.string(), v.regex(OBJECT_NAME, 'a name'));
const version = v.pipe(
  v.string(),
  v.check((digits: string) => isResourceVersion(digits), 'a resourceVersion'),
);
const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const id = v.pipe(v.string(), v.regex(UID, 'an id'));
const Owner = v.strictObject({ kind: v.picklist(WORKLOAD_KINDS), namespace: name, name, uid: id });

const Report = v.strictObject({
  owner: Owner,
  observed: v.optional(v.strictObject({ heardAt: version, deleted: v.boolean(), object: JobObject })),
  /** How many of the message's pods are this report's. */
  pods: wholeNumber,
  whole: v.optional(
    v.strictObject({ floor: version, slots: v.union([v.literal('all'), v.strictObject({ from: wholeNumber, to: wholeNumber })]) }),
  ),
});

const Heartbeat = v.strictObject({
  watches: v.pipe(
    v.array(v.strictObject({ resource: id, ageMs: wholeNumber, resourceVersion: version, refused: v.optional(v.literal(true)) })),
    v.maxLength(2 * MOST_NAMESPACES),
  ),
  clockOffsetMs: v.pipe(v.number(), v.safeInteger()),
  digests: v.pipe(
    v.array(v.unknown()),
    v.maxLength(MOST_REPORTS),
    v.array(v.strictObject({ owner: Owner, digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/, '16 hex digits')), heardAt: version })),
  ),
  fullList: v.optional(v.strictObject({ resourceVersion: version, startedAtMs: wholeNumber })),
  restored: v.optional(v.strictObject({ from: version, to: version })),
  apiServer: v.optional(
    v.strictObject({
      state: v.picklist(['silent', 'refused']),
      forMs: wholeNumber,
      reason: v.pipe(v.string(), v.maxLength(LONGEST_REASON), v.regex(/^\P{Cc}*$/u, 'a text without control characters')),
    }),
  ),
  externalJobs: v.optional(
    v.pipe(
      v.array(v.strictObject({ controllerName: v.pipe(v.string(), v.check(isControllerName, 'a manager of Jobs')), count: wholeNumber })),
      v.maxLength(MOST_CONTROLLERS),
    ),
  ),
});

const Header = v.strictObject({
  cluster: v.pipe(v.string(), v.regex(CLUSTER_NAME, 'a cluster name')),
  session: id,
  era: wholeNumber,
  kubeSystemUid: id,
  sequence: wholeNumber,
  sentAtMs: wholeNumber,
  reports: v.pipe(v.array(v.unknown()), v.maxLength(MOST_REPORTS), v.array(Report)),
  heartbeat: v.optional(Heartbeat),
});

/** The body of one queue message; base64, since a queue takes text. @throws MessageTooLargeError beyond what `decodeEvents` reads */
export function encodeEvents(message: OutgoingEvents): string {
  const counts = message.reports.map(() => 0);
  const pods = packPods(entriesOf(message.reports, counts), { isForMessage: true });
  const reports = message.reports.map((report, at) => ({ ...report, pods: counts[at] }));
  const header = JSON.stringify({ ...message, reports });
  const headerBytes = Buffer.byteLength(header);
  const unpackedBytes = headerBytes + pods.columns.length;
  if (headerBytes > LIMITS.headerBytes) throw new MessageTooLargeError(`${reports.length} reports with a header of ${headerBytes} bytes`);
  if (header.length > VALUES_MAX * CHARACTERS_PER_VALUE && valuesIn(header) > VALUES_MAX)
    throw new MessageTooLargeError(`${reports.length} reports of ${valuesIn(header)} values`);
  if (unpackedBytes > LIMITS.unpackedBytes - LENGTHS_BYTES || reports.length > MOST_REPORTS)
    throw new MessageTooLargeError(`${reports.length} reports of ${unpackedBytes} bytes`);
  const body = Buffer.from(seal({ header, pods })).toString('base64');
  if (body.length > LONGEST_BODY) throw new MessageTooLargeError(`a body of ${body.length} characters`);
  return body;
}

/** @param counts at the same places, of what has been told */
function* entriesOf(reports: readonly OutgoingReport[], counts: number[]): Generator<PodEntry> {
  for (const [at, { pods }] of reports.entries()) {
    let count = 0;
    for (const { heardAt, deleted, pod } of pods) {
      count += 1;
      yield { heardAt, deleted, pod, byPass: false };
    }
    counts[at] = count;
  }
}

/** @throws UndecodableMessageError what is wrong with it; nothing of such a message is believed */
export function decodeEvents(body: string): EventMessage {
  if (body.length > LONGEST_BODY)
    throw new UndecodableMessageError(`a body of ${body.length} characters; at most ${LONGEST_BODY} are read`);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(body)) throw new UndecodableMessageError('the body is no base64');
  const { header, pods } = open(Buffer.from(body, 'base64'), LIMITS);
  const { reports, heartbeat, ...rest } = parseGuarded(header, Header, 'event message');
  const entries = unpackPods(pods);
  let next = 0;
  const decoded = reports.map(({ owner, observed, pods: count, whole }): WorkloadReport => {
    const own = entries.slice(next, next + count);
    next += count;
    if (own.length !== count) throw new UndecodableMessageError('a report names more pods than the message holds');
    if (observed && (observed.object.metadata.uid !== owner.uid || observed.object.metadata.namespace !== owner.namespace))
      throw new UndecodableMessageError('a report is about another object than its owner');
    if (own.some(({ pod }) => pod.namespace !== owner.namespace))
      throw new UndecodableMessageError("a pod of another namespace than its workload's");
    return {
      owner,
      ...(observed && { observed: { ...observed, object: jobOf(observed.object) } }),
      pods: own.map(({ heardAt, deleted, pod }): PodObservation => ({ heardAt, deleted, pod })),
      ...(whole && { whole }),
    };
  });
  if (next !== entries.length) throw new UndecodableMessageError('the message holds pods that no report names');
  return { ...rest, reports: decoded, ...(heartbeat && { heartbeat: heartbeatOf(heartbeat) }) };
}

const heartbeatOf = ({ watches, fullList, restored, externalJobs, apiServer, ...rest }: v.InferOutput<typeof Heartbeat>): Heartbeat => ({
  ...rest,
  watches: watches.map(({ refused, ...watch }) => ({ ...watch, ...(refused && { refused }) })),
  ...(fullList && { fullList }),
  ...(restored && { restored }),
  ...(externalJobs && { externalJobs }),
  ...(apiServer && { apiServer }),
});

/** Checked as far as its key goes; what else it holds is read with care by those who read it. */
const jobOf = (object: unknown): Job => object as Job;
