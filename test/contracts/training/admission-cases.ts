// Training jobs that are admitted, and those that are refused, with the sentence of the refusal.
import type { ElasticPolicy, ReplicaSpec, TrainingJob } from '../../../lib/kinds/training/terms/job-types.ts';
import { elasticJob, frameworkOf, minimalJob } from '../../kinds/training/definition/minimal-jobs.ts';

export interface AdmissionCase {
  name: string;
  /** As it is created. */
  job: TrainingJob;
  /** As it is updated, where that is what is judged. */
  update?: TrainingJob;
  /** Absent: it is admitted. */
  refusal?: string;
  warning?: string;
}

const OWN = 'kubeflow.org/training-operator';
const KUEUE = 'kueue.x-k8s.io/multikueue';
const noLabel =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an " +
  "alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const tooLong = 'must be no more than 63 characters';
const unsupportedManager = (manager: string): string =>
  `spec.runPolicy.managedBy: Unsupported value: "${manager}": supported values: "${KUEUE}", "${OWN}"`;

type Specs = Record<string, ReplicaSpec>;

/** The least of the kind, changed. */
function changed(kind: string, change: (specs: Specs, job: TrainingJob) => void, job = minimalJob(kind)): TrainingJob {
  change(job.spec[frameworkOf(kind).replicasField] as Specs, job);
  return job;
}

const managed = (kind: string, managedBy?: string): TrainingJob =>
  changed(kind, (_, job) => {
    const { managedBy: __, ...others } = job.spec.runPolicy ?? {};
    job.spec.runPolicy = { ...others, ...(managedBy !== undefined && { managedBy }) };
  });

const template = (name: string, image?: string): ReplicaSpec => ({
  template: { spec: { containers: [{ name, ...(image !== undefined && { image }) }] } },
});

const withElastic = (elasticPolicy: ElasticPolicy, change: (specs: Specs, job: TrainingJob) => void = () => {}): TrainingJob =>
  changed('PyTorchJob', (specs, job) => {
    job.spec.elasticPolicy = elasticPolicy;
    change(specs, job);
  });

const webhookKinds = [
  { kind: 'TFJob', path: 'spec.tfReplicaSpecs', container: 'tensorflow' },
  { kind: 'PyTorchJob', path: 'spec.pytorchReplicaSpecs', container: 'pytorch', supported: '"Master", "Worker"' },
  { kind: 'XGBoostJob', path: 'spec.xgbReplicaSpecs', container: 'xgboost', supported: '"Master", "Worker"' },
  { kind: 'PaddleJob', path: 'spec.paddleReplicaSpecs', container: 'paddle', quoted: '"paddle"', supported: '"Master", "Worker"' },
  { kind: 'JAXJob', path: 'spec.jaxReplicaSpecs', container: 'jax', supported: '"Worker"' },
];

const ofWebhookKinds = webhookKinds.flatMap(({ kind, path, container, quoted = container, supported }): AdmissionCase[] => {
  const containers = `${path}[Worker].template.spec.containers`;
  const noDefault = `${containers}: Required value: must have at least one container with name ${quoted}`;
  const wrong = changed(kind, (specs) => (specs['Wrong'] = template(container, 'a')));
  return [
    { name: `${kind} as it is`, job: minimalJob(kind) },
    {
      name: `${kind} whose name begins with a digit`,
      job: changed(kind, (__, job) => (job.metadata.name = '0job')),
      refusal: `metadata.name: Invalid value: "0job": should match: ${noLabel}`,
    },
    {
      name: `${kind} whose name is too long and has a dot`,
      job: changed(kind, (__, job) => (job.metadata.name = `a.${'b'.repeat(63)}`)),
      refusal: `metadata.name: Invalid value: "a.${'b'.repeat(63)}": should match: ${tooLong}, ${noLabel}`,
    },
    {
      name: `${kind} of no spec`,
      job: { ...minimalJob(kind), spec: undefined } as unknown as TrainingJob,
      refusal: `${path}: Required value: must be required`,
    },
    {
      name: `${kind} of a type that the kind does not have`,
      job: wrong,
      ...(supported !== undefined && { refusal: `${path}[Wrong]: Unsupported value: "Wrong": supported values: ${supported}` }),
    },
    {
      name: `${kind} without containers`,
      job: changed(kind, (specs) => (specs['Worker'] = { ...specs['Worker'], template: { spec: { containers: [] } } })),
      refusal: `[${containers}: Required value: must be specified, ${noDefault}]`,
    },
    {
      name: `${kind} without a template`,
      job: changed(kind, (specs) => (specs['Worker'] = { replicas: 1 })),
      refusal: `[${containers}: Required value: must be specified, ${noDefault}]`,
    },
    {
      name: `${kind} without an image`,
      job: changed(kind, (specs) => (specs['Worker'] = template(container))),
      refusal: `${containers}[0].image: Required value: must be required`,
    },
    {
      name: `${kind} with an empty image`,
      job: changed(kind, (specs) => (specs['Worker'] = template(container, ''))),
      refusal: `${containers}[0].image: Required value: must be required`,
    },
    {
      name: `${kind} without the framework's container`,
      job: changed(kind, (specs) => (specs['Worker'] = template('other', 'a'))),
      refusal: noDefault,
    },
    {
      name: `${kind} that loses its image`,
      job: minimalJob(kind),
      update: changed(kind, (specs) => (specs['Worker'] = template(container))),
      refusal: `${containers}[0].image: Required value: must be required`,
    },
    { name: `${kind} of the operator`, job: managed(kind, OWN) },
    { name: `${kind} of MultiKueue`, job: managed(kind, KUEUE) },
    { name: `${kind} of another manager`, job: managed(kind, 'other-job-controller'), refusal: unsupportedManager('other-job-controller') },
    { name: `${kind} of an empty manager`, job: managed(kind, ''), refusal: unsupportedManager('') },
    {
      name: `${kind} that changes its manager`,
      job: managed(kind, OWN),
      update: managed(kind, KUEUE),
      refusal: `spec.runPolicy.managedBy: Invalid value: "${KUEUE}": field is immutable`,
    },
    {
      name: `${kind} that gets a manager`,
      job: managed(kind),
      update: managed(kind, OWN),
      refusal: `spec.runPolicy.managedBy: Invalid value: "${OWN}": field is immutable`,
    },
    {
      name: `${kind} that loses its manager`,
      job: managed(kind, OWN),
      update: managed(kind),
      refusal: 'spec.runPolicy.managedBy: Invalid value: null: field is immutable',
    },
    {
      name: `${kind} that keeps its manager`,
      job: managed(kind, KUEUE),
      update: changed(kind, (_specs, job) => (job.metadata.labels = { a: 'b' }), managed(kind, KUEUE)),
    },
  ];
});

const elasticWithoutWorker = (kind: string): AdmissionCase => ({
  name: `${kind} with an elastic policy and no worker`,
  job: changed(kind, (specs, job) => {
    job.spec.elasticPolicy = { maxReplicas: 2 };
    if (specs['Worker']) specs['Master'] = { ...specs['Worker'], replicas: 1 };
    delete specs['Worker'];
  }),
  refusal: `spec.${frameworkOf(kind).replicasField}[Worker]: Required value: must be configured if elastic policy is used`,
});

const ofOneKind: AdmissionCase[] = [
  {
    name: 'TFJob with a chief and a master',
    job: changed('TFJob', (specs) => {
      specs['Chief'] = template('tensorflow', 'a');
      specs['Master'] = template('tensorflow', 'a');
    }),
    refusal: 'spec.tfReplicaSpecs: Forbidden: must not have more than 1 Chief or Master role',
  },
  { name: 'TFJob with a type in lower case', job: changed('TFJob', (specs) => (specs['evaluator'] = template('tensorflow', 'a'))) },
  ...['PyTorchJob', 'XGBoostJob'].flatMap((kind): AdmissionCase[] => {
    const refusal = `spec.${frameworkOf(kind).replicasField}[Master].replicas: Forbidden: must be 1`;
    return [
      { name: `${kind} of two masters`, job: changed(kind, (specs) => (specs['Master'] = { ...specs['Master'], replicas: 2 })), refusal },
      {
        name: `${kind} of a master without a count`,
        job: changed(kind, (specs) => delete specs['Master']?.replicas),
        refusal,
      },
    ];
  }),
  {
    name: 'PyTorchJob of no workers',
    job: changed('PyTorchJob', (specs) => (specs['Worker'] = { ...specs['Worker'], replicas: 0 })),
    refusal: 'spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: must be at least 1',
  },
  {
    name: 'PyTorchJob of workers without a count',
    job: changed('PyTorchJob', (specs) => delete specs['Worker']?.replicas),
  },
  { name: 'PyTorchJob that is elastic', job: elasticJob() },
  elasticWithoutWorker('PyTorchJob'),
  elasticWithoutWorker('PaddleJob'),
  {
    name: 'PyTorchJob with both counts of processes',
    job: withElastic({ nProcPerNode: 2 }),
    refusal: 'spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with spec.nprocPerNode',
    warning: 'spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead',
  },
  {
    name: 'PyTorchJob with the older count of processes',
    job: withElastic({ nProcPerNode: 2 }, (_, job) => delete job.spec.nprocPerNode),
    warning: 'spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead',
  },
  {
    name: 'XGBoostJob without a master',
    job: changed('XGBoostJob', (specs) => delete specs['Master']),
    refusal: 'spec.xgbReplicaSpecs[Master]: Required value: must be present',
  },
  {
    name: 'XGBoostJob of many faults',
    job: changed('XGBoostJob', (specs, job) => {
      job.metadata.name = '1';
      job.spec.runPolicy = { managedBy: 'me' };
      delete specs['Master'];
      specs['Worker'] = { template: { spec: { containers: [{ name: 'a' }, { name: 'b', image: 'c' }, { name: 'd' }] } } };
    }),
    refusal: `[${[
      `metadata.name: Invalid value: "1": should match: ${noLabel}`,
      'spec.xgbReplicaSpecs[Worker].template.spec.containers[0].image: Required value: must be required',
      'spec.xgbReplicaSpecs[Worker].template.spec.containers[2].image: Required value: must be required',
      'spec.xgbReplicaSpecs[Worker].template.spec.containers: Required value: must have at least one container with name xgboost',
      'spec.xgbReplicaSpecs[Master]: Required value: must be present',
      unsupportedManager('me'),
    ].join(', ')}]`,
  },
];

/** Kinds that had no webhook: in the words of their controller. */
const ofControllerKinds: AdmissionCase[] = [
  { name: 'MPIJob as it is', job: minimalJob('MPIJob') },
  { name: 'MPIJob of any name', job: changed('MPIJob', (_, job) => (job.metadata.name = '0.job')) },
  { name: 'MPIJob of any container', job: changed('MPIJob', (specs) => (specs['Worker'] = template('other', 'a'))) },
  {
    name: 'MPIJob of no spec',
    job: { ...minimalJob('MPIJob'), spec: undefined } as unknown as TrainingJob,
    refusal: 'MPIReplicaSpecs is not valid',
  },
  {
    name: 'MPIJob without containers',
    job: changed('MPIJob', (specs) => (specs['Worker'] = {})),
    refusal: 'MPIReplicaSpecs is not valid: containers definition expected in Worker',
  },
  {
    name: 'MPIJob of a type that the kind does not have',
    job: changed('MPIJob', (specs) => (specs['Wrong'] = template('mpi', 'a'))),
    refusal: 'MPIReplicaType is Wrong but must be one of [Launcher Worker]',
  },
  {
    name: 'MPIJob without an image',
    job: changed('MPIJob', (specs) => (specs['Worker'] = template('mpi'))),
    refusal: 'MPIReplicaSpec is not valid: Image is undefined in the container of Worker',
  },
  {
    name: 'MPIJob with an empty name of a container',
    job: changed('MPIJob', (specs) => (specs['Launcher'] = template('', 'a'))),
    refusal: 'MPIReplicaSpec is not valid: ImageName is undefined in the container of Launcher',
  },
  {
    name: 'MPIJob of two launchers',
    job: changed('MPIJob', (specs) => (specs['Launcher'] = { ...specs['Launcher'], replicas: 2 })),
    refusal: 'MPIReplicaSpec is not valid: There must be only 1 launcher replica',
  },
  {
    name: 'MPIJob without a launcher',
    job: changed('MPIJob', (specs) => delete specs['Launcher']),
    refusal: 'MPIReplicaSpec is not valid: Master ReplicaSpec must be present',
  },
  { name: 'MPIJob of another manager', job: managed('MPIJob', 'me'), refusal: unsupportedManager('me') },
  { name: 'MXJob as it is', job: minimalJob('MXJob') },
  { name: 'MXJob of any manager', job: managed('MXJob', 'me') },
  {
    name: 'MXJob whose name begins with a digit',
    job: changed('MXJob', (_, job) => (job.metadata.name = '0job')),
    refusal: `MXJob name is invalid: [${noLabel}]`,
  },
  {
    name: 'MXJob without an image',
    job: changed('MXJob', (specs) => (specs['Worker'] = template('mxnet'))),
    refusal: 'MXJobSpec is not valid',
  },
  {
    name: "MXJob without the framework's container",
    job: changed('MXJob', (specs) => (specs['Server'] = template('other', 'a'))),
    refusal: 'MXJobSpec is not valid',
  },
  {
    name: 'MXJob of a type that the kind does not have',
    job: changed('MXJob', (specs) => (specs['Wrong'] = template('mxnet', 'a'))),
    refusal: 'MXJobSpec is not valid',
  },
  {
    name: 'MXJob of two schedulers',
    job: changed('MXJob', (specs) => (specs['scheduler'] = template('mxnet', 'a'))),
    refusal: 'more than 1 scheduler found',
  },
];

export const admissionCases: readonly AdmissionCase[] = [...ofWebhookKinds, ...ofOneKind, ...ofControllerKinds];
