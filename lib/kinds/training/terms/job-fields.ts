// The fields of a training job's spec and status. The types of planners, the checks of facts from outside and the definitions follow from them.
import type { Json, PodTemplate } from '../../../objects/kubernetes.ts';
import {
  about,
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  objectOf,
  text,
  time,
  unchecked,
  upstream,
} from '../../../objects/values/field-shapes.ts';

export const CONDITION = objectOf(
  {
    lastTransitionTime: unchecked(time),
    lastUpdateTime: unchecked(time),
    message: text,
    reason: text,
    status: text,
    type: text,
  },
  ['status', 'type'],
);

/** Counters that are 0 are absent where the API server stores them. */
export const REPLICA_STATUS = objectOf({
  active: int32,
  failed: int32,
  labelSelector: upstream<unknown, 'labelSelector'>('labelSelector'),
  selector: text,
  succeeded: int32,
});

export const STATUS = objectOf({
  completionTime: time,
  conditions: listOf(CONDITION),
  lastReconcileTime: time,
  replicaStatuses: mapOf(REPLICA_STATUS),
  startTime: time,
});

export const REPLICA_SPEC = objectOf({
  replicas: about(int32, 'How many pods are wanted.'),
  restartPolicy: about(text, 'What follows a failed pod: Always, OnFailure, Never or ExitCode.'),
  // Absent in a view: templates are only read live.
  template: upstream<PodTemplate, 'podTemplate'>('podTemplate'),
});

export const GROUP_POLICY = objectOf({
  minAvailable: about(int32, 'How many pods are placed together.'),
  minResources: mapOf(upstream<string | number, 'quantity'>('quantity')),
  priorityClass: text,
  queue: about(text, 'It may not change once it is set.', {
    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'spec.runPolicy.schedulingPolicy.queue is immutable' }],
  }),
  scheduleTimeoutSeconds: int32,
});

export const RUN_POLICY = objectOf({
  activeDeadlineSeconds: about(int64, 'The job fails when it has been active for this long.'),
  backoffLimit: about(int32, 'How many restarts are tolerated before the job fails.'),
  cleanPodPolicy: about(text, 'Which pods are deleted when the job is finished: Running, All or None.'),
  managedBy: about(text, 'Who reconciles the job: kubeflow.org/training-operator or kueue.x-k8s.io/multikueue.'),
  schedulingPolicy: unchecked(GROUP_POLICY),
  suspend: about(flag, 'No pods while it is true.', { default: false }),
  ttlSecondsAfterFinished: about(int32, 'The job is deleted this long after it finished; never if it is not set.'),
});

const bounds = { maxReplicas: int32, maxRestarts: int32, minReplicas: int32 } as const;
const metrics = listOf(upstream<Json, 'metric'>('metric'));

export const ELASTIC_POLICY = objectOf({
  ...bounds,
  metrics,
  nProcPerNode: about(int32, 'Deprecated: use spec.nprocPerNode.'),
  rdzvBackend: text,
  rdzvConf: listOf(objectOf({ key: text, value: text })),
  rdzvHost: text,
  rdzvId: text,
  rdzvPort: int32,
  standalone: flag,
});

/** Fields of a spec beside its run policy and its replica specs, by kind; a kind that is not named has no further ones. */
export const OWN_FIELDS = {
  TFJob: {
    enableDynamicWorker: flag,
    successPolicy: about(text, 'AllWorkers, or empty: the chief, else worker 0, decides.'),
  },
  PyTorchJob: {
    elasticPolicy: unchecked(ELASTIC_POLICY),
    nprocPerNode: about(text, 'auto, cpu, gpu or a number.'),
  },
  MPIJob: {
    cleanPodPolicy: about(text, 'From before there was the one of runPolicy, which goes before it.'),
    mainContainer: text,
    slotsPerWorker: int32,
  },
  PaddleJob: { elasticPolicy: unchecked(objectOf({ ...bounds, metrics })) },
  MXJob: { jobMode: unchecked(about(text, 'MXTrain or MXTune.')) },
} as const;

/** The own fields of all kinds: a planner's types and checks do not tell the kinds apart. */
export const ANY_OWN_FIELDS = objectOf({
  ...OWN_FIELDS.TFJob,
  ...OWN_FIELDS.PaddleJob,
  ...OWN_FIELDS.PyTorchJob,
  ...OWN_FIELDS.MPIJob,
  ...OWN_FIELDS.MXJob,
});
