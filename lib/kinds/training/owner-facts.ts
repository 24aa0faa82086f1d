// A training job as the view keeps it: without its templates. What they hold is read live when the job's generation is new to its head.
import { flag, int32, int64, list, object, optional, text, time, type Fault } from '../../objects/values/fact-checks.ts';
import type { WantedFields } from '../../objects/field-mask.ts';
import { fieldsOf, isFields } from '../../objects/values/untyped-fields.ts';
import type { FrameworkNames } from './framework-names.ts';
import { keptOwner, ownerCheck, ownerFieldsWithout, specWithout } from '../rows/owner-facts.ts';
import type { TrainingJob, TrainingSpec } from './job-types.ts';
import { statusWritesIn } from './other-operator.ts';
import { COMPLETED_SLOTS } from './slots.ts';

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

const anything = (): undefined => undefined;
const counts = object({ active: optional(int32), succeeded: optional(int32), failed: optional(int32), selector: optional(text) });
const condition = object({ type: text, status: text, reason: optional(text), message: optional(text) });

/** The fields that each such job has. Those of its spec are anybody's: planners read them as such. */
const shape = ownerCheck({
  metadata: { managedFields: optional(list(object({ manager: text, subresource: text, time }))) },
  spec: object({
    runPolicy: optional(
      object({
        cleanPodPolicy: optional(text),
        ttlSecondsAfterFinished: optional(int32),
        activeDeadlineSeconds: optional(int64),
        backoffLimit: optional(int32),
        suspend: optional(flag),
        managedBy: optional(text),
      }),
    ),
    successPolicy: optional(text),
    enableDynamicWorker: optional(flag),
    nprocPerNode: optional(text),
    slotsPerWorker: optional(int32),
    cleanPodPolicy: optional(text),
    mainContainer: optional(text),
  }),
  status: object({
    conditions: optional(list(condition)),
    startTime: optional(time),
    completionTime: optional(time),
    lastReconcileTime: optional(time),
  }),
});
const replicas = object({ replicas: optional(int32), restartPolicy: optional(text), template: anything });

export function trainingFaultOf({ replicasField }: Pick<FrameworkNames, 'replicasField'>, told: unknown): Fault | undefined {
  const fault = shape(told);
  if (fault) return fault;
  const { spec, status } = fieldsOf(told);
  return (
    faultIn(fieldsOf(spec)[replicasField], `spec.${replicasField}`, replicas) ??
    faultIn(fieldsOf(status)['replicaStatuses'], 'status.replicaStatuses', counts)
  );
}

function faultIn(map: unknown, field: string, check: (value: unknown) => Fault | undefined): Fault | undefined {
  if (map === undefined || map === null) return undefined;
  if (!isFields(map)) return { field, expected: 'a map' };
  for (const [key, value] of Object.entries(map)) {
    // The planner reports a replica spec that is null as invalid.
    const fault = value === null ? undefined : check(value);
    if (fault) return { field: `${field}.${key}${fault.field === '' ? '' : `.${fault.field}`}`, expected: fault.expected };
  }
  return undefined;
}
