// A training job as the view keeps it: without its templates. What they hold is read live when the job's generation is new to its head.
import { list, map, object, optional, text, time, type Check, type Fault } from '../../objects/values/fact-checks.ts';
import { checkOf, checksOf } from '../../objects/values/field-shapes.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import { fieldsOf } from '../../objects/values/untyped-fields.ts';
import type { FrameworkNames } from './names/framework-names.ts';
import { ANY_OWN_FIELDS, REPLICA_SPEC, RUN_POLICY, STATUS } from './terms/job-fields.ts';
import type { TrainingJob, TrainingSpec } from './terms/job-types.ts';
import { statusWritesIn } from './status/other-operator.ts';
import { COMPLETED_SLOTS } from './names/slots.ts';
import { keptOwner, ownerCheck, ownerFieldsWithout, specWithout } from '../rows/owner-facts.ts';

/** They hold what a pass reads live when the job's generation is new to its head. */
const templatesIn = ({ replicasField }: Pick<FrameworkNames, 'replicasField'>): string[] => [`${replicasField}.*.template`];

/** The fields that `trainingFactsOf` reads. */
export const ownerFields = (names: Pick<FrameworkNames, 'replicasField'>): WantedFields => ({
  ...ownerFieldsWithout(templatesIn(names)),
  metadata: { '*': true, managedFields: { manager: true, subresource: true, time: true } },
});

/** Without templates and annotations of others; of the managed fields, who else has written the status. */
export function trainingFactsOf(names: Pick<FrameworkNames, 'replicasField'>, job: TrainingJob): TrainingJob {
  const statusWrites = statusWritesIn(job.metadata);
  return keptOwner(job, {
    keepsAnnotation: (key) => key === COMPLETED_SLOTS,
    ...(statusWrites.length > 0 && { metadata: { managedFields: statusWrites } }),
    spec: specWithout(fieldsOf(job.spec), templatesIn(names)) as TrainingSpec,
    markOf: ({ spec }) => {
      const { managedBy } = fieldsOf(spec.runPolicy);
      return { spec: typeof managedBy === 'string' ? { runPolicy: { managedBy: managedBy.slice(0, LONGEST_MANAGER) } } : {} };
    },
  });
}

const LONGEST_MANAGER = 63;

const metadata = { managedFields: optional(list(object({ manager: text, subresource: text, time }))) };
const specFields = { runPolicy: optional(checkOf(RUN_POLICY)), ...checksOf(ANY_OWN_FIELDS) };
// The planner reports a replica spec that is null as invalid.
const replicas = optional(map(checkOf(REPLICA_SPEC)));
const status = checkOf(STATUS);

const checks = new Map<string, Check>();

/** Checks the fields that each such job has. Planners read others of its spec as anybody's. */
export function trainingFaultOf({ replicasField }: Pick<FrameworkNames, 'replicasField'>, told: unknown): Fault | undefined {
  let check = checks.get(replicasField);
  if (!check) {
    check = ownerCheck({ metadata, spec: object({ ...specFields, [replicasField]: replicas }), status });
    checks.set(replicasField, check);
  }
  return check(told);
}
