// What single kinds or settings do: limits, scaling, elastic jobs, success policies, templates, objects of others.
import { job, podNamed } from '../jobs.ts';
import {
  changed,
  comesTo,
  fails,
  goes,
  isEvicted,
  letGo,
  passes,
  removed,
  restarts,
  resumed,
  runs,
  succeeds,
  suspended,
  waits,
} from '../steps.ts';
import type { Story } from '../story.ts';

const MX = { jobMode: 'MXTrain' };
const PYTORCH = { Master: 1, Worker: 2 };
const all = ['master-0', 'worker-0', 'worker-1'];
const workers = (replicas: number): object => ({ spec: { pytorchReplicaSpecs: { Worker: { replicas } } } });
const elastic = {
  elasticPolicy: {
    minReplicas: 1,
    maxReplicas: 3,
    maxRestarts: 3,
    rdzvBackend: 'c10d',
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
  },
};
const labelsOf = (type: string, index: string): object => ({
  labels: {
    'training.kubeflow.org/operator-name': 'pytorchjob-controller',
    'training.kubeflow.org/job-name': 'j',
    'training.kubeflow.org/replica-type': type,
    'training.kubeflow.org/replica-index': index,
  },
});

const limits: Story[] = [
  {
    name: 'limit-restarts-in-place',
    job: job('PyTorchJob', PYTORCH, { runPolicy: { backoffLimit: 3 } }),
    steps: [runs(...all), restarts(2, 'worker-0'), restarts(1, 'worker-1')],
  },
  {
    name: 'limit-zero',
    job: job('PyTorchJob', PYTORCH, { runPolicy: { backoffLimit: 0 } }),
    steps: [runs(...all), restarts(1, 'worker-0')],
  },
  {
    name: 'limit-replaced-pods',
    job: job('PyTorchJob', { Master: 1, Worker: { replicas: 2, restartPolicy: 'ExitCode' } }, { runPolicy: { backoffLimit: 1 } }),
    steps: [runs(...all), fails(137, 'worker-0'), runs('worker-0'), fails(137, 'worker-0')],
  },
  {
    name: 'deadline',
    job: job('PyTorchJob', PYTORCH, { runPolicy: { activeDeadlineSeconds: 30 } }),
    // The operator looks at the deadline when something happens, and no sooner.
    steps: [runs(...all), passes(35), restarts(1, 'worker-0')],
  },
  {
    name: 'deadline-keeps-nothing',
    job: job('TFJob', { PS: 1, Worker: 1 }, { runPolicy: { activeDeadlineSeconds: 0, cleanPodPolicy: 'None' } }),
    steps: [comesTo('Failed')],
  },
  {
    name: 'ttl-pytorch',
    job: job('PyTorchJob', PYTORCH, { runPolicy: { ttlSecondsAfterFinished: 2 } }),
    steps: [runs(...all), succeeds('master-0'), goes],
  },
  {
    name: 'ttl-tensorflow',
    job: job('TFJob', { Worker: 1 }, { runPolicy: { ttlSecondsAfterFinished: 2 } }),
    steps: [runs('worker-0'), succeeds('worker-0'), goes],
  },
  {
    name: 'ttl-failed-mpi',
    job: job('MPIJob', { Launcher: 1, Worker: 1 }, { runPolicy: { ttlSecondsAfterFinished: 2 } }),
    steps: [runs('launcher', 'worker-0'), fails(1, 'launcher'), goes],
  },
  {
    name: 'suspended-with-ttl',
    job: job('PyTorchJob', PYTORCH, { runPolicy: { ttlSecondsAfterFinished: 2 } }),
    steps: [runs(...all), suspended, resumed],
  },
];

const scaling: Story[] = [
  {
    name: 'scaled-up',
    job: job('PyTorchJob', PYTORCH),
    steps: [runs(...all), changed('4 workers', workers(4)), runs('worker-2', 'worker-3'), succeeds('master-0')],
  },
  { name: 'scaled-down', job: job('PyTorchJob', PYTORCH), steps: [runs(...all), changed('1 worker', workers(1)), succeeds('master-0')] },
  {
    name: 'scaled-down-under-never',
    job: job('PyTorchJob', { Master: 1, Worker: { replicas: 2, restartPolicy: 'Never' } }),
    steps: [runs(...all), changed('1 worker', workers(1))],
  },
  {
    name: 'scaled-to-none',
    job: job('MXJob', { Scheduler: 1, Server: 1, Worker: 1 }, MX),
    steps: [runs('scheduler-0', 'server-0', 'worker-0'), changed('no worker', { spec: { mxReplicaSpecs: { Worker: { replicas: 0 } } } })],
  },
  { name: 'made-with-none', job: job('MXJob', { Scheduler: 1, Server: 1, Worker: 0 }, MX), steps: [runs('scheduler-0', 'server-0')] },
  {
    name: 'scaled-dynamic-workers',
    job: job('TFJob', { PS: 1, Worker: 2 }, { enableDynamicWorker: true }),
    steps: [
      runs('ps-0', 'worker-0', 'worker-1'),
      changed('3 workers', { spec: { tfReplicaSpecs: { Worker: { replicas: 3 } } } }),
      runs('worker-2'),
      fails(1, 'worker-2'),
      changed('2 workers', { spec: { tfReplicaSpecs: { Worker: { replicas: 2 } } } }),
    ],
  },
  {
    name: 'scaled-mpi',
    job: job('MPIJob', { Launcher: 1, Worker: 1 }),
    steps: [
      runs('worker-0', 'launcher'),
      changed('3 workers', { spec: { mpiReplicaSpecs: { Worker: { replicas: 3 } } } }),
      runs('worker-1', 'worker-2'),
      changed('2 workers', { spec: { mpiReplicaSpecs: { Worker: { replicas: 2 } } } }),
    ],
  },
  {
    name: 'scaled-jax',
    job: job('JAXJob', { Worker: 1 }),
    steps: [runs('worker-0'), changed('2 workers', { spec: { jaxReplicaSpecs: { Worker: { replicas: 2 } } } }), runs('worker-1')],
  },
];

const elasticJobs: Story[] = [
  { name: 'elastic', job: job('PyTorchJob', { Worker: 2 }, elastic), steps: [runs('worker-0', 'worker-1'), succeeds('worker-0')] },
  {
    name: 'elastic-suspended',
    job: job('PyTorchJob', { Worker: 1 }, elastic),
    steps: [runs('worker-0'), suspended, resumed],
  },
  {
    name: 'elastic-autoscaler-deleted',
    job: job('PyTorchJob', { Worker: 1 }, elastic),
    steps: [runs('worker-0'), removed('HorizontalPodAutoscaler', 'j')],
  },
  {
    name: 'elastic-changed',
    job: job('PyTorchJob', { Worker: 1 }, elastic),
    steps: [runs('worker-0'), changed('at most 5', { spec: { elasticPolicy: { maxReplicas: 5 } } })],
  },
  {
    name: 'elastic-rendezvous',
    job: job(
      'PyTorchJob',
      { Worker: 1 },
      {
        elasticPolicy: {
          minReplicas: 1,
          maxReplicas: 3,
          maxRestarts: 3,
          rdzvBackend: 'c10d',
          rdzvHost: 'localhost',
          rdzvPort: 1234,
          rdzvId: 'rdzv-id',
          rdzvConf: [
            { key: 'rdzv-conf-name', value: 'rdzv-conf-value' },
            { key: 'rdzv-conf-name-1', value: 'rdzv-conf-value-1' },
          ],
          standalone: true,
        },
      },
    ),
    steps: [],
  },
];

const successes: Story[] = [
  {
    name: 'all-workers',
    job: job('TFJob', { PS: 1, Worker: 2 }, { successPolicy: 'AllWorkers' }),
    steps: [runs('ps-0', 'worker-0', 'worker-1'), succeeds('worker-0'), succeeds('worker-1')],
  },
  {
    name: 'worker-0-first',
    job: job('TFJob', { Worker: 2 }),
    steps: [runs('worker-0', 'worker-1'), succeeds('worker-1'), succeeds('worker-0')],
  },
  {
    name: 'evaluator',
    job: job('TFJob', { Chief: 1, Evaluator: 1, PS: 1, Worker: 1 }),
    steps: [runs('chief-0', 'evaluator-0', 'ps-0', 'worker-0'), succeeds('worker-0'), succeeds('chief-0')],
  },
  { name: 'single-mx', job: job('MXJob', { Worker: 1 }, MX), steps: [runs('worker-0'), succeeds('worker-0')] },
  {
    name: 'tuner-mx',
    job: job('MXJob', { TunerTracker: 1, TunerServer: 1, Tuner: 1 }, { jobMode: 'MXTune' }),
    steps: [runs('tunertracker-0', 'tunerserver-0', 'tuner-0')],
  },
  {
    name: 'master-fails',
    job: job('PyTorchJob', { Master: { replicas: 1, restartPolicy: 'Never' }, Worker: 1 }),
    steps: [runs('master-0', 'worker-0'), fails(1, 'master-0')],
  },
  {
    name: 'xgboost-master-fails',
    job: job('XGBoostJob', { Master: 1, Worker: 1 }),
    steps: [runs('master-0', 'worker-0'), fails(1, 'master-0')],
  },
  {
    name: 'mpi-worker-fails',
    job: job('MPIJob', { Launcher: 1, Worker: 2 }),
    steps: [runs('launcher', 'worker-0', 'worker-1'), fails(1, 'worker-1')],
  },
  {
    name: 'mpi-worker-evicted',
    job: job('MPIJob', { Launcher: 1, Worker: 2 }),
    steps: [runs('launcher', 'worker-0', 'worker-1'), isEvicted('worker-1')],
  },
  {
    name: 'mpi-launcher-evicted',
    job: job('MPIJob', { Launcher: 1, Worker: 1 }),
    steps: [runs('launcher', 'worker-0'), isEvicted('launcher')],
  },
  { name: 'paddle-master', job: job('PaddleJob', { Master: 1, Worker: 1 }), steps: [runs('master-0', 'worker-0'), succeeds('master-0')] },
  {
    name: 'always',
    job: job('PyTorchJob', { Master: { replicas: 1, restartPolicy: 'Always' } }),
    steps: [runs('master-0'), isEvicted('master-0'), runs('master-0')],
  },
  {
    name: 'succeeded-pod-deleted',
    job: job('PyTorchJob', PYTORCH),
    steps: [runs(...all), succeeds('worker-1'), removed('Pod', 'j-worker-1'), succeeds('master-0')],
  },
  {
    name: 'waits-for-image',
    job: job('PyTorchJob', PYTORCH),
    steps: [waits('ImagePullBackOff', 'Back-off pulling image', 'worker-0'), runs(...all)],
  },
];

const templates: Story[] = [
  {
    name: 'template-restart-policy',
    job: job('PyTorchJob', { Master: { replicas: 1, pod: { restartPolicy: 'Always' }, restartPolicy: 'Never' } }),
    steps: [runs('master-0')],
  },
  {
    name: 'template-metadata',
    job: job('TFJob', {
      Worker: {
        replicas: 1,
        metadata: { labels: { mine: 'yes', 'training.kubeflow.org/replica-index': '7' }, annotations: { note: 'kept' } },
        container: { ports: [{ name: 'extra', containerPort: 8080 }], env: [{ name: 'MINE', value: '1' }] },
      },
    }),
    steps: [],
  },
  {
    name: 'template-ports',
    job: job(
      'PyTorchJob',
      { Master: { replicas: 1, container: { ports: [{ name: 'pytorchjob-port', containerPort: 8080 }] } }, Worker: 1 },
      { nprocPerNode: '4' },
    ),
    steps: [],
  },
  {
    name: 'template-mpi',
    job: job('MPIJob', {
      Launcher: { pod: { serviceAccountName: 'launcher-sa' }, container: { resources: { limits: { 'nvidia.com/gpu': '1' } } } },
      Worker: { replicas: 1, container: { env: [{ name: 'I_MPI_HYDRA_BOOTSTRAP', value: 'RSH' }] } },
    }),
    before: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'launcher-sa' } }],
    steps: [runs('worker-0', 'launcher')],
  },
  { name: 'lower-case-types', job: job('TFJob', { worker: 1, ps: 1 }), steps: [runs('worker-0', 'ps-0')] },
];

const foreign: Story[] = [
  {
    name: 'pod-name-taken',
    before: [podNamed('j-worker-0')],
    job: job('PyTorchJob', PYTORCH),
    steps: [removed('Pod', 'j-worker-0'), runs(...all)],
  },
  {
    name: 'service-name-taken',
    before: [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'j-worker-0' },
        spec: { clusterIP: 'None', selector: { other: 'yes' } },
      } as object as Story['job'],
    ],
    job: job('PyTorchJob', PYTORCH),
    steps: [removed('Service', 'j-worker-0')],
  },
  {
    name: 'orphan-adopted',
    before: [podNamed('j-worker-1', labelsOf('worker', '1'))],
    job: job('PyTorchJob', PYTORCH),
    steps: [runs(...all), succeeds('master-0')],
  },
  {
    name: 'relabelled-pod',
    job: job('PyTorchJob', PYTORCH),
    steps: [
      runs(...all),
      changed('another job', { metadata: { labels: { 'training.kubeflow.org/job-name': 'other' } } }, { kind: 'Pod', name: 'j-worker-1' }),
    ],
  },
  {
    name: 'slow-pod-of-a-namesake',
    held: ['worker-0'],
    job: job('PyTorchJob', { Master: 1, Worker: { replicas: 1, restartPolicy: 'ExitCode' } }),
    steps: [runs('master-0', 'worker-0'), fails(137, 'worker-0'), letGo('worker-0'), runs('worker-0')],
  },
  {
    name: 'mpi-config-taken',
    before: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'j-config' } }],
    job: job('MPIJob', { Launcher: 1, Worker: 1 }),
    steps: [removed('ConfigMap', 'j-config')],
  },
  {
    name: 'mpi-account-taken',
    before: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'j-launcher' } }],
    job: job('MPIJob', { Launcher: 1, Worker: 1 }),
    steps: [],
  },
  ...['ConfigMap j-config', 'ServiceAccount j-launcher', 'Role j-launcher', 'RoleBinding j-launcher'].map((child): Story => {
    const [kind = '', name = ''] = child.split(' ');
    return {
      name: `mpi-${kind.toLowerCase()}-deleted`,
      job: job('MPIJob', { Launcher: 1, Worker: 1 }),
      // A pod that changes wakes the operator, which takes no notice of the deletion.
      steps: [runs('worker-0'), removed(kind, name), runs('launcher')],
    };
  }),
  {
    name: 'mpi-alone',
    job: job('MPIJob', { Launcher: 1 }),
    steps: [runs('launcher'), succeeds('launcher')],
  },
];

const invalid: Story[] = [
  { name: 'mpi-two-launchers', job: job('MPIJob', { Launcher: 2, Worker: 1 }), steps: [] },
  { name: 'mpi-no-launcher', job: job('MPIJob', { Worker: 1 }), steps: [] },
  {
    name: 'mx-wrong-container',
    job: job('MXJob', { Scheduler: 1, Worker: { container: { name: 'other' } } }, MX),
    steps: [],
  },
  { name: 'mx-no-image', job: job('MXJob', { Worker: { container: { image: '' } } }, MX), steps: [] },
  {
    name: 'mpi-mended',
    job: job('MPIJob', { Launcher: 2, Worker: 1 }),
    steps: [changed('1 launcher', { spec: { mpiReplicaSpecs: { Launcher: { replicas: 1 } } } }), runs('launcher')],
  },
  { name: 'managed-by-kueue', job: job('PyTorchJob', PYTORCH, { runPolicy: { managedBy: 'kueue.x-k8s.io/multikueue' } }), steps: [] },
];

export const more: readonly Story[] = [...limits, ...scaling, ...elasticJobs, ...successes, ...templates, ...foreign, ...invalid];
