// Section 5 and worked cases 83 to 86: defaults and validation.
import { containersIn, replicaSpecsOf } from '../../../../lib/kinds/training/terms/replica-specs.ts';
import { describe, expect, test } from '@jest/globals';
import type { Framework } from '../../../../lib/kinds/training/terms/framework.ts';
import { FRAMEWORKS } from '../../../../lib/kinds/training/frameworks/all.ts';
import { jax } from '../../../../lib/kinds/training/frameworks/jax.ts';
import { mpi } from '../../../../lib/kinds/training/frameworks/mpi.ts';
import { mxnet } from '../../../../lib/kinds/training/frameworks/mxnet.ts';
import { paddle } from '../../../../lib/kinds/training/frameworks/paddle.ts';
import { pytorch } from '../../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../../lib/kinds/training/frameworks/tensorflow.ts';
import { xgboost } from '../../../../lib/kinds/training/frameworks/xgboost.ts';
import { withDefaults } from '../../../../lib/kinds/training/terms/defaults.ts';
import { problemOf } from '../../../../lib/kinds/training/terms/validation.ts';
import { aTraining, type JobParts } from '../builders.ts';

const MASTER = { Master: 1, Worker: 1 };
const named = (...names: (string | undefined)[]) => ({
  replicas: 1,
  template: { spec: { containers: names.map((name) => ({ name: name ?? '', image: 'example.com/train:1' })) } },
});
const imageless = (name: string) => ({ replicas: 1, template: { spec: { containers: [{ name }] } } });

const invalid: [string, Framework, JobParts, string][] = [
  [
    'made-up types',
    tensorflow,
    { replicas: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`Type${at}`, 1])) },
    'spec.tfReplicaSpecs: Too many: 17: must have at most 16 items',
  ],
  [
    'more replicas than an environment can list',
    tensorflow,
    { replicas: { PS: 10, Worker: 7_000 } },
    'spec.tfReplicaSpecs: Invalid value: the variable TF_CONFIG of its replicas would have 230252 bytes, and no process starts with more than 131072: take fewer replicas',
  ],
  [
    'case 86: Chief and Master',
    tensorflow,
    { replicas: { Chief: 1, Master: 1 } },
    'TFJobSpec is not valid: more than 1 chief/master found',
  ],
  ['no containers', tensorflow, { replicas: { PS: named() } }, 'TFJobSpec is not valid: containers definition expected in PS'],
  [
    'no image',
    tensorflow,
    { replicas: { PS: imageless('tensorflow') } },
    'TFJobSpec is not valid: Image is undefined in the container of PS',
  ],
  [
    'no container',
    tensorflow,
    { replicas: { Worker: named('a') } },
    'TFJobSpec is not valid: There is no container named tensorflow in Worker',
  ],
  ['case 86: Master 2', pytorch, { replicas: { Master: 2 } }, 'PyTorchJobSpec is not valid: There must be only 1 master replica'],
  ['case 86: type', pytorch, { replicas: { Wrong: 1 } }, 'PyTorchReplicaType is Wrong but must be one of [Master Worker]'],
  ['lower case', pytorch, { replicas: { worker: 1 } }, 'PyTorchReplicaType is worker but must be one of [Master Worker]'],
  [
    'case 86: image',
    pytorch,
    { replicas: { Worker: imageless('pytorch') } },
    'PyTorchJobSpec is not valid: Image is undefined in the container of Worker',
  ],
  [
    'case 86: container',
    pytorch,
    { replicas: { Worker: named('other') } },
    'PyTorchJobSpec is not valid: There is no container named pytorch in Worker',
  ],
  [
    'case 86: both nproc fields',
    pytorch,
    { replicas: MASTER, spec: { nprocPerNode: '2', elasticPolicy: { nProcPerNode: 2 } } },
    '.spec.elasticPolicy.nProcPerNode is deprecated, use .spec.nprocPerNode instead',
  ],
  [
    '5.2: workers',
    pytorch,
    { replicas: { Master: 1, Worker: 0 } },
    'spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: must be at least 1',
  ],
  ['5.2: master of no number', pytorch, { replicas: { Master: {} } }, 'spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1'],
  [
    'B-13: elastic without workers',
    pytorch,
    { replicas: { Master: 1 }, spec: { elasticPolicy: {} } },
    'spec.pytorchReplicaSpecs[Worker]: Required value: must be configured if elastic policy is used',
  ],
  [
    'B-13: PaddleJob',
    paddle,
    { replicas: { Master: 1 }, spec: { elasticPolicy: {} } },
    'spec.paddleReplicaSpecs[Worker]: Required value: must be configured if elastic policy is used',
  ],
  [
    'B-13: no containers',
    paddle,
    { replicas: { Worker: named() } },
    'PaddleJobSpec is not valid: containers definition expected in Worker',
  ],
  [
    '5.1: PyTorchJob, containers',
    pytorch,
    { replicas: { Worker: named() } },
    'PyTorchJobSpec is not valid: containers definition expected in Worker',
  ],
  [
    '5.1: PaddleJob, image',
    paddle,
    { replicas: { Worker: imageless('paddle') } },
    'PaddleJobSpec is not valid: Image is undefined in the container of Worker',
  ],
  [
    '5.1: PaddleJob, container',
    paddle,
    { replicas: { Worker: named('other') } },
    'PaddleJobSpec is not valid: There is no container named paddle in Worker',
  ],
  [
    '5.1: XGBoostJob, containers',
    xgboost,
    { replicas: { Master: named() } },
    'XGBoostJobSpec is not valid: containers definition expected in Master',
  ],
  [
    '5.1: XGBoostJob, container',
    xgboost,
    { replicas: { Master: named('other') } },
    'XGBoostReplicaType is not valid: There is no container named xgboost in Master',
  ],
  [
    '5.2: JAXJob, container',
    jax,
    { replicas: { Worker: named('other') } },
    'spec.jaxReplicaSpecs[Worker].template.spec.containers: Required value: must have at least one container with name jax',
  ],
  [
    'case 88: an empty manager',
    jax,
    { runPolicy: { managedBy: '' } },
    'spec.runPolicy.managedBy: Unsupported value: "": supported values: "kueue.x-k8s.io/multikueue", "kubeflow.org/training-operator"',
  ],
  ['PaddleJob: type', paddle, { replicas: { PS: 1 } }, 'PaddleReplicaType is PS but must be one of [Master Worker]'],
  ['MXJob: container', mxnet, { replicas: { Worker: named('a') } }, 'MXJobSpec is not valid'],
  ['MXJob: type', mxnet, { replicas: { Wrong: 1 } }, 'MXJobSpec is not valid'],
  ['MXJob: schedulers', mxnet, { replicas: { Scheduler: 1, scheduler: 1 } }, 'more than 1 scheduler found'],
  ['case 86: XGBoostJob', xgboost, { replicas: { Worker: 1 } }, 'XGBoostReplicaType is not valid: Master ReplicaSpec must be present'],
  ['XGBoostJob: 2', xgboost, { replicas: { Master: 2 } }, 'XGBoostReplicaType is not valid: There must be only 1 master replica'],
  [
    'XGBoostJob: image',
    xgboost,
    { replicas: { Master: imageless('xgboost') } },
    'XGBoostReplicaType is not valid: Image is undefined in the container of Master',
  ],
  ['XGBoostJob: type', xgboost, { replicas: { Chief: 1 } }, 'XGBoostReplicaType is Chief but must be one of [Master Worker]'],
  ['case 86: no launcher', mpi, { replicas: { Worker: 1 } }, 'MPIReplicaSpec is not valid: Master ReplicaSpec must be present'],
  ['case 86: two launchers', mpi, { replicas: { Launcher: 2 } }, 'MPIReplicaSpec is not valid: There must be only 1 launcher replica'],
  ['MPIJob: type', mpi, { replicas: { Launcher: 1, Master: 1 } }, 'MPIReplicaType is Master but must be one of [Launcher Worker]'],
  [
    'MPIJob: container',
    mpi,
    { replicas: { Launcher: named('') } },
    'MPIReplicaSpec is not valid: ImageName is undefined in the container of Launcher',
  ],
  [
    'MPIJob: image',
    mpi,
    { replicas: { Launcher: imageless('x') } },
    'MPIReplicaSpec is not valid: Image is undefined in the container of Launcher',
  ],
  [
    'MPIJob: containers',
    mpi,
    { replicas: { Launcher: named() } },
    'MPIReplicaSpecs is not valid: containers definition expected in Launcher',
  ],
  [
    'case 87: JAXJob',
    jax,
    { replicas: { Worker: named() } },
    '[spec.jaxReplicaSpecs[Worker].template.spec.containers: Required value: must be specified, ' +
      'spec.jaxReplicaSpecs[Worker].template.spec.containers: Required value: must have at least one container with name jax]',
  ],
  [
    'JAXJob: type',
    jax,
    { replicas: { Worker: 1, Chief: 1 } },
    'spec.jaxReplicaSpecs[Chief]: Unsupported value: "Chief": supported values: "Worker"',
  ],
  [
    'JAXJob: image',
    jax,
    { replicas: { Worker: imageless('jax') } },
    'spec.jaxReplicaSpecs[Worker].template.spec.containers[0].image: Required value: must be required',
  ],
  [
    'a negative count',
    tensorflow,
    { replicas: { Worker: -1 } },
    'spec.tfReplicaSpecs[Worker].replicas: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'case 88: manager',
    tensorflow,
    { runPolicy: { managedBy: 'other-job-controller' } },
    'spec.runPolicy.managedBy: Unsupported value: "other-job-controller": supported values: "kueue.x-k8s.io/multikueue", "kubeflow.org/training-operator"',
  ],
  [
    'two types of one name',
    tensorflow,
    { replicas: { Worker: 1, worker: 2 } },
    'spec.tfReplicaSpecs[worker]: Invalid value: "worker": its replicas have the names of those of Worker',
  ],
  [
    'a type that no name can hold',
    tensorflow,
    { replicas: { Foo_Bar: 1 } },
    'spec.tfReplicaSpecs[Foo_Bar]: Invalid value: "Foo_Bar": names of replicas take letters, digits and \'-\' of it alone',
  ],
  [
    'too many replicas',
    jax,
    { replicas: { Worker: 2_147_483_647 } },
    'spec.jaxReplicaSpecs[Worker].replicas: Invalid value: 2147483647: a job has no more than 100000 replicas',
  ],
  [
    'too many replicas in all',
    tensorflow,
    { replicas: { PS: 50_000, Worker: 50_001 } },
    'spec.tfReplicaSpecs[Worker].replicas: Invalid value: 50001: a job has no more than 100000 replicas',
  ],
  [
    'B-40: a long name',
    tensorflow,
    { metadata: { name: 'a'.repeat(55) }, replicas: { Worker: 11 } },
    `metadata.name: Invalid value: "${'a'.repeat(55)}": the name of its replica ${'a'.repeat(55)}-worker-10 must be no more than 63 characters`,
  ],
];

describe('validation', () => {
  test.each(invalid)('%s', (_, framework, parts, problem) => {
    expect(problemOf(framework, aTraining({ framework, ...parts }))).toBe(problem);
  });

  test.each([
    ['Tfjob', tensorflow, /^TFJob name is invalid: \[a DNS-1035 label must/],
    ['1job', tensorflow, /^TFJob name is invalid: \[/],
    ['1job', jax, /^metadata\.name: Invalid value: "1job": should match: a DNS-1035 label/],
  ] as const)('case 85: the name %s', (name, framework, problem) => {
    expect(problemOf(framework, aTraining({ framework, metadata: { name } }))).toMatch(problem);
  });

  test.each([
    [tensorflow, { replicas: { Unknown: 1, worker: 1 } }],
    [tensorflow, { runPolicy: { managedBy: 'kubeflow.org/training-operator' } }],
    [pytorch, { replicas: MASTER }],
    [pytorch, { replicas: { Worker: {} } }],
    [mxnet, { replicas: { scheduler: 1, TunerTracker: 1 } }],
    [xgboost, { replicas: MASTER }],
    [mpi, { replicas: { Launcher: named('foo') }, metadata: { name: '1/J' } }],
    [paddle, { replicas: MASTER }],
    [jax, {}],
  ] as [Framework, JobParts][])('valid: $kind %j (case 82 for MPIJob)', (framework, parts) => {
    expect(problemOf(framework, aTraining({ framework, ...parts }))).toBeUndefined();
  });

  const missing: Record<string, string> = {
    TFJob: 'TFJobSpec is not valid',
    PyTorchJob: 'PyTorchJobSpec is not valid',
    MPIJob: 'MPIReplicaSpecs is not valid',
    XGBoostJob: 'XGBoostJobSpec is not valid',
    PaddleJob: 'PaddleJobSpec is not valid',
    MXJob: 'MXJobSpec is not valid',
    JAXJob: 'spec.jaxReplicaSpecs: Required value: must be required',
  };

  test.each(FRAMEWORKS.map((framework) => [framework.kind, framework] as const))('%s without replica specs', (kind, framework) => {
    const job = aTraining({ framework });
    const { [framework.replicasField]: _specs, ...spec } = job.spec;
    expect(problemOf(framework, { ...job, spec })).toBe(missing[kind]);
    expect(
      problemOf(framework, { ...job, spec: { ...spec, [framework.replicasField]: { [framework.types[0] ?? '']: null } } }),
    ).toBeDefined();
  });
});

const specsOf = (framework: Framework, parts: JobParts) =>
  replicaSpecsOf(framework, withDefaults(framework, aTraining({ framework, ...parts })));

describe('defaults', () => {
  test('case 83: a key in lower case, one replica, the port behind the user’s own', () => {
    const template = { spec: { containers: [{ name: 'tensorflow', image: 'x', ports: [{ name: 'own', containerPort: 1 }] }] } };
    const { Worker } = specsOf(tensorflow, { replicas: { worker: { template } } }) ?? {};
    expect(Worker).toMatchObject({ replicas: 1, restartPolicy: 'Never' });
    expect(containersIn(Worker?.template)[0]?.['ports']).toEqual([
      { name: 'own', containerPort: 1 },
      { name: 'tfjob-port', containerPort: 2222 },
    ]);
  });

  test('case 83: a port of the name stays alone', () => {
    const { Worker } = specsOf(tensorflow, { port: 9999 }) ?? {};
    expect(containersIn(Worker?.template)[0]?.['ports']).toEqual([{ name: 'tfjob-port', containerPort: 9999 }]);
  });

  test.each([
    [undefined, 'None'],
    ['All', 'All'],
  ])('case 83: clean policy %s', (cleanPodPolicy, policy) => {
    const job = aTraining({ runPolicy: cleanPodPolicy === undefined ? {} : { cleanPodPolicy } });
    expect(withDefaults(tensorflow, job).spec.runPolicy?.cleanPodPolicy).toBe(policy);
  });

  test('case 84: MPIJob', () => {
    const replicas = { Launcher: {}, Worker: {} };
    const open = withDefaults(mpi, aTraining({ framework: mpi, replicas }));
    expect([open.spec.cleanPodPolicy, open.spec.runPolicy?.cleanPodPolicy]).toEqual(['None', 'None']);
    const all = withDefaults(mpi, aTraining({ framework: mpi, replicas, runPolicy: { cleanPodPolicy: 'All' } }));
    expect([all.spec.cleanPodPolicy, all.spec.runPolicy?.cleanPodPolicy]).toEqual([undefined, 'All']);
    expect(specsOf(mpi, { replicas })).toMatchObject({
      Launcher: { replicas: 1, restartPolicy: 'Never' },
      Worker: { replicas: 0, restartPolicy: 'Never' },
    });
  });

  test.each([
    [{ maxReplicas: 2 }, [2, 2]],
    [{ minReplicas: 1 }, [1, 1]],
    [{}, [3, 3]],
    [{ minReplicas: 1, maxReplicas: 4 }, [1, 4]],
  ])('case 70: bounds of %j', (elasticPolicy, bounds) => {
    for (const framework of [pytorch, paddle]) {
      const { spec } = withDefaults(framework, aTraining({ framework, replicas: { Worker: 3 }, spec: { elasticPolicy } }));
      expect([spec.elasticPolicy?.minReplicas, spec.elasticPolicy?.maxReplicas]).toEqual(bounds);
    }
  });

  test('case 70: processes per node', () => {
    const of = (spec: JobParts['spec'] = {}) => withDefaults(pytorch, aTraining({ framework: pytorch, spec })).spec.nprocPerNode;
    expect([of(), of({ elasticPolicy: { nProcPerNode: 2 } }), of({ nprocPerNode: '3' })]).toEqual(['auto', undefined, '3']);
  });

  test('4: the first container takes the port where none has the name', () => {
    const { Worker } = specsOf(pytorch, { replicas: { Worker: named('other', 'third') } }) ?? {};
    expect(containersIn(Worker?.template).map(({ ports }) => ports)).toEqual([
      [{ name: 'pytorchjob-port', containerPort: 23456 }],
      undefined,
    ]);
  });
});
