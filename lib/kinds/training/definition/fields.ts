// The fields of the training kinds' specs, besides the replica specs. What a pod template holds is not written here.
import type { JsonSchema } from '../../../objects/json-schema.ts';

type Fields = Readonly<Record<string, JsonSchema>>;

const text: JsonSchema = { type: 'string' };
const boolean: JsonSchema = { type: 'boolean' };
const int32: JsonSchema = { type: 'integer', format: 'int32' };
const int64: JsonSchema = { type: 'integer', format: 'int64' };
const time: JsonSchema = { type: 'string', format: 'date-time' };
const about = (schema: JsonSchema, description: string): JsonSchema => ({ description, ...schema });
const object = (properties: Fields, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  properties,
});
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const mapOf = (values: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: values });

/** Types of Kubernetes that a training job's fields have. */
export interface KubernetesSchemas {
  podTemplate: JsonSchema;
  /** Of autoscaling/v2. */
  metric: JsonSchema;
  labelSelector: JsonSchema;
  quantity: JsonSchema;
}

export const replicaSpecs = ({ podTemplate }: KubernetesSchemas): JsonSchema =>
  mapOf(
    object({
      replicas: about(int32, 'How many pods are wanted.'),
      restartPolicy: about(text, 'What follows a failed pod: Always, OnFailure, Never or ExitCode.'),
      template: podTemplate,
    }),
  );

export const runPolicy = ({ quantity }: KubernetesSchemas): JsonSchema =>
  object({
    activeDeadlineSeconds: about(int64, 'The job fails when it has been active for this long.'),
    backoffLimit: about(int32, 'How many restarts are tolerated before the job fails.'),
    cleanPodPolicy: about(text, 'Which pods are deleted when the job is finished: Running, All or None.'),
    managedBy: about(text, 'Who reconciles the job: kubeflow.org/training-operator or kueue.x-k8s.io/multikueue.'),
    schedulingPolicy: object({
      minAvailable: about(int32, 'How many pods are placed together.'),
      minResources: mapOf(quantity),
      priorityClass: text,
      queue: {
        ...about(text, 'It may not change once it is set.'),
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'spec.runPolicy.schedulingPolicy.queue is immutable' }],
      },
      scheduleTimeoutSeconds: int32,
    }),
    suspend: { ...about(boolean, 'No pods while it is true.'), default: false },
    ttlSecondsAfterFinished: about(int32, 'The job is deleted this long after it finished; never if it is not set.'),
  });

export const status = ({ labelSelector }: KubernetesSchemas): JsonSchema =>
  object({
    completionTime: time,
    conditions: listOf(
      object({ lastTransitionTime: time, lastUpdateTime: time, message: text, reason: text, status: text, type: text }, ['status', 'type']),
    ),
    lastReconcileTime: time,
    replicaStatuses: mapOf(object({ active: int32, failed: int32, labelSelector, selector: text, succeeded: int32 })),
    startTime: time,
  });

const elastic = { maxReplicas: int32, maxRestarts: int32, minReplicas: int32 };

/** By kind; a kind that is not named has no fields of its own. */
export const ownFields: Readonly<Record<string, (of: KubernetesSchemas) => Fields>> = {
  TFJob: () => ({
    enableDynamicWorker: boolean,
    successPolicy: about(text, 'AllWorkers, or empty: the chief, else worker 0, decides.'),
  }),
  PyTorchJob: ({ metric }) => ({
    elasticPolicy: object({
      ...elastic,
      metrics: listOf(metric),
      nProcPerNode: about(int32, 'Deprecated: use spec.nprocPerNode.'),
      rdzvBackend: text,
      rdzvConf: listOf(object({ key: text, value: text })),
      rdzvHost: text,
      rdzvId: text,
      rdzvPort: int32,
      standalone: boolean,
    }),
    nprocPerNode: about(text, 'auto, cpu, gpu or a number.'),
  }),
  MPIJob: () => ({
    cleanPodPolicy: about(text, 'From before there was the one of runPolicy, which goes before it.'),
    mainContainer: text,
    slotsPerWorker: int32,
  }),
  PaddleJob: ({ metric }) => ({ elasticPolicy: object({ ...elastic, metrics: listOf(metric) }) }),
  MXJob: () => ({ jobMode: about(text, 'MXTrain or MXTune.') }),
};

/** By kind: those of its own fields that must be there. */
export const neededFields: Readonly<Record<string, readonly string[]>> = { MXJob: ['jobMode'] };
