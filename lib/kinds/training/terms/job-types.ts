// The typed object of all training kinds. The names of the field with the replica specs are the frameworks'.
import type { WorkloadObject } from '../../../objects/kubernetes.ts';
import type { TypeOf } from '../../../objects/values/field-shapes.ts';
import type { ANY_OWN_FIELDS, CONDITION, ELASTIC_POLICY, REPLICA_SPEC, REPLICA_STATUS, RUN_POLICY, STATUS } from './job-fields.ts';

export type ReplicaSpec = TypeOf<typeof REPLICA_SPEC>;
export type ElasticPolicy = TypeOf<typeof ELASTIC_POLICY>;
export type RunPolicy = TypeOf<typeof RUN_POLICY>;

export interface TrainingSpec extends TypeOf<typeof ANY_OWN_FIELDS> {
  runPolicy?: RunPolicy;
  /** Among them the replica specs, by type. */
  [field: string]: unknown;
}

export type JobCondition = TypeOf<typeof CONDITION>;
export type ReplicaStatus = TypeOf<typeof REPLICA_STATUS>;
export type TrainingStatus = TypeOf<typeof STATUS>;

type Counting<Fields> = { [Name in keyof Fields]: Fields[Name] extends { is: 'int32' } ? Name : never }[keyof Fields];
/** The counts of a replica status. */
export type Counter = Counting<(typeof REPLICA_STATUS)['fields']>;

export interface TrainingJob extends WorkloadObject {
  spec: TrainingSpec;
  status?: TrainingStatus;
}
