// A training job as the view keeps it: without its templates. What they hold is read live when the job's generation is new to its head.
import {
  int64,
  list,
  map,
  object,
  optional,
  text,
  textLike,
  texts,
  time,
  type Check,
  type Fault,
} from '../../objects/values/fact-checks.ts';
import { checkOf, checksOf } from '../../objects/values/field-shapes.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import { fieldsOf, isFields, type Fields } from '../../objects/values/untyped-fields.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import { ANY_OWN_FIELDS, REPLICA_SPEC, RUN_POLICY, STATUS } from './terms/job-fields.ts';
import type { ReplicaSpec, TrainingJob, TrainingSpec } from './terms/job-types.ts';
import { statusWritesIn } from './status/other-operator.ts';
import { COMPLETED_SLOTS } from './names/slots.ts';

/** The fields that `trainingFactsOf` reads. */
export const ownerFields = ({ replicasField }: Pick<FrameworkNames, 'replicasField'>): WantedFields => ({
  apiVersion: true,
  kind: true,
  metadata: { '*': true, managedFields: { manager: true, subresource: true, time: true } },
  spec: { '*': true, [replicasField]: { '*': { '*': true, template: false } } },
  status: true,
});

/** Marks the facts of a job that is too large. A person who writes it on a job has it read live, which is harmless. */
const READ_LIVE = 'farloop.dev/read-live';
/** Characters of JSON. */
const MOST_CHARACTERS = 65_536;

export const isReadLive = ({ metadata }: TrainingJob): boolean => metadata.annotations?.[READ_LIVE] === 'true';

/**
 * Without templates and annotations of others; of the managed fields, who else has written the status. One that is larger than 64 K characters
 * nevertheless is a mark.
 */
export function trainingFactsOf({ replicasField }: Pick<FrameworkNames, 'replicasField'>, job: TrainingJob): TrainingJob {
  const { metadata, spec, status, apiVersion, kind, unreadable } = job;
  const completed = metadata.annotations?.[COMPLETED_SLOTS];
  const isMarked = metadata.annotations?.[READ_LIVE] === 'true';
  const annotations = { ...(completed !== undefined && { [COMPLETED_SLOTS]: completed }), ...(isMarked && { [READ_LIVE]: 'true' }) };
  const statusWrites = statusWritesIn(metadata);
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, labels, finalizers, ownerReferences } =
    metadata;
  const identity = {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(generation !== undefined && { generation }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(statusWrites.length > 0 && { managedFields: statusWrites }),
    },
    ...(unreadable !== undefined && { unreadable }),
  };
  const facts: TrainingJob = {
    ...identity,
    metadata: {
      ...identity.metadata,
      ...(labels && { labels }),
      ...(finalizers && { finalizers }),
      ...(ownerReferences && { ownerReferences }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: withoutTemplates(fieldsOf(spec), replicasField),
    ...(status && { status }),
  };
  if (unreadable === undefined && JSON.stringify(facts).length <= MOST_CHARACTERS) return facts;
  const { runPolicy } = fieldsOf(spec);
  const managedBy = fieldsOf(runPolicy)['managedBy'];
  return {
    ...identity,
    metadata: { ...identity.metadata, annotations: { [READ_LIVE]: 'true' } },
    spec: { ...(typeof managedBy === 'string' && { runPolicy: { managedBy: managedBy.slice(0, LONGEST_MANAGER) } }) },
  };
}

const LONGEST_MANAGER = 63;

function withoutTemplates(spec: Fields, replicasField: string): TrainingSpec {
  const replicas = spec[replicasField];
  if (!isFields(replicas)) return spec;
  const specs = Object.entries(replicas).map(([type, own]): [string, unknown] => {
    if (!isFields(own)) return [type, own];
    const { template: _template, ...rest } = own as ReplicaSpec;
    return [type, rest];
  });
  return { ...spec, [replicasField]: Object.fromEntries(specs) };
}

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const metadata = object({
  name: textLike(NAME, 'a name'),
  namespace: textLike(NAME, 'a name'),
  uid: textLike(/^[\w.:-]{1,128}$/, 'a uid'),
  resourceVersion: textLike(/^(0|[1-9][0-9]{0,39})$/, 'a resourceVersion'),
  generation: optional(int64),
  creationTimestamp: optional(time),
  deletionTimestamp: optional(time),
  labels: optional(texts),
  annotations: optional(texts),
  finalizers: optional(list(text)),
  managedFields: optional(list(object({ manager: text, subresource: text, time }))),
});
const specFields = { runPolicy: optional(checkOf(RUN_POLICY)), ...checksOf(ANY_OWN_FIELDS) };
// The planner reports a replica spec that is null as invalid.
const replicas = optional(map(checkOf(REPLICA_SPEC)));
const status = optional(checkOf(STATUS));

const checks = new Map<string, Check>();

/** Checks the fields that each such job has. Planners read others of its spec as anybody's. */
export function trainingFaultOf({ replicasField }: Pick<FrameworkNames, 'replicasField'>, told: unknown): Fault | undefined {
  let check = checks.get(replicasField);
  if (!check) {
    check = object({ metadata, spec: object({ ...specFields, [replicasField]: replicas }), status });
    checks.set(replicasField, check);
  }
  return check(told);
}
