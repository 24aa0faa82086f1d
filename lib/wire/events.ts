// The message between relay and ingest: versioned, columnar, compressed. Sizes are checked before anything is parsed.
import * as v from 'valibot';
import { object, textLike, type Fault } from '../objects/values/fact-checks.ts';
import { findFacts } from '../kinds/facts.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import { isResourceVersion } from '../objects/values/resource-version.ts';
import { KIND_NAME } from '../objects/workload.ts';
import { open, seal } from './packing/envelope.ts';
import { DigestedParts, packReported, ReportedChildren, ReportedChildrenReader } from './reported-children.ts';
import { isControllerName, MOST_CONTROLLERS } from './words/external-controllers.ts';
import { CHARACTERS_PER_VALUE, parseGuarded, VALUES_MAX, valuesIn, type ValueBudget } from './words/guarded-json.ts';
import { CLUSTER_NAME, MOST_WATCHES, OBJECT_NAME, UID } from './words/names.ts';
import { MessageTooLargeError, UndecodableMessageError } from './words/undecodable.ts';
import type { EventMessage, FullList, Heartbeat, OutgoingEvents, OwnerName, WorkloadReport } from './words/observations.ts';

/** Characters of a body at most. A queue takes 1 MiB. */
export const LONGEST_BODY = 1_048_576;
const LIMITS = { bytes: LONGEST_BODY, unpackedBytes: 16 * 1_048_576, headerBytes: 4 * 1_048_576 };
const MOST_REPORTS = 10_000;
const LONGEST_REASON = 300;
const MOST_NODES = 1_000;
/** Bytes packed beside header and columns. */
const LENGTHS_BYTES = 16;

const name = v.pipe(v.string(), v.regex(OBJECT_NAME, 'a name'));
const version = v.pipe(
  v.string(),
  v.check((digits: string) => isResourceVersion(digits), 'a resourceVersion'),
);
const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const id = v.pipe(v.string(), v.regex(UID, 'an id'));
const kind = v.pipe(v.string(), v.regex(KIND_NAME, 'the name of a kind'));
const Owner = v.strictObject({ kind, namespace: v.union([v.literal(''), name]), name, uid: id });

const KubernetesLike = v.custom<{ metadata: Record<string, unknown> }>(
  (value) =>
    typeof value === 'object' && value !== null && 'metadata' in value && typeof value.metadata === 'object' && value.metadata !== null,
  'an object of Kubernetes',
);

/** Facts are checked later, report by report, so that one bad report does not refuse the others. */
const Report = v.strictObject({
  owner: v.strictObject({ kind, namespace: v.string(), name: v.string(), uid: v.string() }),
  observed: v.optional(v.strictObject({ heardAt: version, deleted: v.boolean(), object: KubernetesLike })),
  ...ReportedChildren,
});

const Heartbeat = v.strictObject({
  watches: v.pipe(
    v.array(v.strictObject({ resource: id, ageMs: wholeNumber, resourceVersion: version, refused: v.optional(v.literal(true)) })),
    v.maxLength(MOST_WATCHES),
  ),
  clockOffsetMs: v.pipe(v.number(), v.safeInteger()),
  digests: v.pipe(
    v.array(v.unknown()),
    v.maxLength(MOST_REPORTS),
    v.array(
      v.strictObject({
        owner: Owner,
        digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/, '16 hex digits')),
        heardAt: version,
        ...DigestedParts,
      }),
    ),
  ),
  fullList: v.optional(v.strictObject({ resourceVersion: version, startedAtMs: wholeNumber, owners: v.optional(v.record(kind, version)) })),
  restored: v.optional(v.strictObject({ from: version, to: version })),
  apiServer: v.optional(
    v.strictObject({
      state: v.picklist(['silent', 'refused']),
      forMs: wholeNumber,
      reason: v.pipe(v.string(), v.maxLength(LONGEST_REASON), v.regex(/^\P{Cc}*$/u, 'a text without control characters')),
    }),
  ),
  nodeApi: v.optional(
    v.strictObject({
      address: v.pipe(v.string(), v.maxLength(45), v.ip('an IP address')),
      ports: v.pipe(
        v.record(name, v.pipe(wholeNumber, v.minValue(1), v.maxValue(65_535))),
        v.check((ports) => Object.keys(ports).length <= MOST_NODES, `at most ${MOST_NODES} nodes`),
      ),
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
  const { pods, children, fields } = packReported(message);
  const reports = message.reports.map(({ children: _packed, ...report }, at) => ({ ...report, ...fields[at] }));
  const header = JSON.stringify({ ...message, reports });
  const headerBytes = Buffer.byteLength(header);
  const unpackedBytes = headerBytes + pods.columns.length + (children?.columns.length ?? 0);
  if (headerBytes > LIMITS.headerBytes) throw new MessageTooLargeError(`${reports.length} reports with a header of ${headerBytes} bytes`);
  if (header.length > VALUES_MAX * CHARACTERS_PER_VALUE && valuesIn(header) > VALUES_MAX)
    throw new MessageTooLargeError(`${reports.length} reports of ${valuesIn(header)} values`);
  if (unpackedBytes > LIMITS.unpackedBytes - LENGTHS_BYTES || reports.length > MOST_REPORTS)
    throw new MessageTooLargeError(`${reports.length} reports of ${unpackedBytes} bytes`);
  const body = Buffer.from(seal({ header, pods, ...(children && { children }) })).toString('base64');
  if (body.length > LONGEST_BODY) throw new MessageTooLargeError(`a body of ${body.length} characters`);
  return body;
}

/** A value that cannot be a fact, and was left out of a message. */
export interface RefusedFact {
  owner: OwnerName;
  /** Of the report. */
  field: string;
  expected: string;
}

export interface ReadEvents extends EventMessage {
  /**
   * A kind that this build does not know, whose reports are none of the message's here: the message is left to functions that know it, once
   * the other reports are kept. Absent where all kinds are known.
   */
  unknownKind?: string;
  /** Absent where all was taken. */
  refused?: { count: number; first: RefusedFact[] };
}

/** At most so many refusals are named. */
const NAMED_REFUSALS = 5;

export interface DecodeOptions {
  /** Grows by what was read, also where that was refused. */
  weight?: Weight;
  /** For a caller that reads less than the limit. */
  unpackedBytes?: number;
  /** The kinds whose reports are read. */
  findKind?: (kind: string) => KindFacts | undefined;
}

/** Roughly the heap of what was read: strings, values, children. */
export interface Weight {
  bytes: number;
}
const [VALUE_BYTES, CHILD_BYTES] = [100, 500];

/**
 * A report whose facts cannot be is left out, or what of it can be is taken: without the children that cannot be, and then without the claim
 * that it names all of their resource (R19).
 * @throws UndecodableMessageError what is wrong with it; nothing of such a message is believed
 */
export function decodeEvents(
  body: string,
  { weight = { bytes: 0 }, unpackedBytes = LIMITS.unpackedBytes, findKind = findFacts }: DecodeOptions = {},
): ReadEvents {
  if (body.length > LONGEST_BODY)
    throw new UndecodableMessageError(`a body of ${body.length} characters; at most ${LONGEST_BODY} are read`);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(body)) throw new UndecodableMessageError('the body is no base64');
  const { header, ...packed } = open(Buffer.from(body, 'base64'), { ...LIMITS, unpackedBytes });
  const budget: ValueBudget = { left: VALUES_MAX };
  const { reports, heartbeat, ...rest } = parseGuarded(header, Header, 'event message', undefined, budget);
  const children = new ReportedChildrenReader(packed);
  weight.bytes += 2 * header.length + packed.pods.columns.length + VALUE_BYTES * (VALUES_MAX - budget.left);
  weight.bytes += CHILD_BYTES * children.count;
  const refused: Required<ReadEvents>['refused'] = { count: 0, first: [] };
  const refuse = (owner: OwnerName, { field, expected }: Fault): void => {
    refused.count += 1;
    if (refused.first.length < NAMED_REFUSALS) refused.first.push({ owner, field, expected });
  };
  let unknownKind: string | undefined;
  const decoded: WorkloadReport[] = [];
  for (const report of reports) {
    const before = refused.count;
    const facts = findKind(report.owner.kind);
    if (!facts) unknownKind ??= report.owner.kind;
    const believed = facts && believedOf(report, facts, refuse);
    if (!believed) {
      children.skip(report);
      continue;
    }
    const { owner } = report;
    const told = children.take(report, { facts, namespace: owner.namespace }, (fault) => refuse(owner, fault));
    if (refused.count === before || believed.observed || told.length > 0) decoded.push({ ...believed, children: told });
  }
  children.end();
  return {
    ...rest,
    reports: decoded,
    ...(heartbeat && { heartbeat: heartbeatOf(heartbeat) }),
    ...(unknownKind !== undefined && { unknownKind }),
    ...(refused.count > 0 && { refused }),
  };
}

/** A report without its children; undefined if its owner is unusable. @throws UndecodableMessageError it is about another object */
function believedOf(
  { owner, observed }: Pick<v.InferOutput<typeof Report>, 'owner' | 'observed'>,
  facts: KindFacts,
  refuse: (owner: OwnerName, fault: Fault) => void,
): Omit<WorkloadReport, 'children'> | undefined {
  const ownerFault = facts.resource.namespaced ? faultOfOwner(owner) : faultOfClusterScoped(owner);
  if (ownerFault) {
    refuse(owner, { ...ownerFault, field: `owner.${ownerFault.field}` });
    return undefined;
  }
  if (observed && (observed.object.metadata['uid'] !== owner.uid || (observed.object.metadata['namespace'] ?? '') !== owner.namespace))
    throw new UndecodableMessageError('a report is about another object than its owner');
  const fault = observed && facts.faultOf(observed.object);
  if (fault) refuse(owner, fault);
  return {
    owner,
    ...(observed && !fault && { observed: { ...observed, object: observed.object } }),
  };
}

const faultOfClusterScoped = object({
  namespace: textLike(/^$/, 'no namespace'),
  name: textLike(OBJECT_NAME, 'a name'),
  uid: textLike(UID, 'a uid'),
});

const faultOfOwner = object({
  namespace: textLike(OBJECT_NAME, 'a name'),
  name: textLike(OBJECT_NAME, 'a name'),
  uid: textLike(UID, 'a uid'),
});

const fullListOf = ({ owners, ...list }: NonNullable<v.InferOutput<typeof Heartbeat>['fullList']>): FullList => ({
  ...list,
  ...(owners && { owners }),
});

const heartbeatOf = ({
  watches,
  fullList,
  restored,
  externalJobs,
  apiServer,
  nodeApi,
  ...rest
}: v.InferOutput<typeof Heartbeat>): Heartbeat => ({
  ...rest,
  watches: watches.map(({ refused, ...watch }) => ({ ...watch, ...(refused && { refused }) })),
  ...(fullList && { fullList: fullListOf(fullList) }),
  ...(restored && { restored }),
  ...(externalJobs && { externalJobs }),
  ...(apiServer && { apiServer }),
  ...(nodeApi && { nodeApi }),
});
