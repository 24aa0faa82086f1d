// The least that a job of each training kind says.
import { FRAMEWORKS } from '../../../../lib/kinds/training/frameworks/all.ts';
import type { Framework } from '../../../../lib/kinds/training/terms/framework.ts';
import type { TrainingJob } from '../../../../lib/kinds/training/terms/job-types.ts';

export const frameworkOf = (kind: string): Framework => {
  const found = FRAMEWORKS.find((framework) => framework.kind === kind);
  if (!found) throw new Error(`there is no training kind ${kind}`);
  return found;
};

export const pathOf = ({ plural }: Framework): string => `/apis/kubeflow.org/v1/namespaces/default/${plural}`;

const replicas = (container: string, more: object = {}, containerMore: object = {}): object => ({
  replicas: 1,
  template: { spec: { containers: [{ name: container, image: 'registry.example/train:1', ...containerMore }] } },
  ...more,
});

const minimal: Readonly<Record<string, { name: string; spec: TrainingJob['spec'] }>> = {
  TFJob: {
    name: 'mnist-tf',
    spec: {
      runPolicy: { cleanPodPolicy: 'Running' },
      tfReplicaSpecs: { PS: replicas('tensorflow'), Worker: replicas('tensorflow', { replicas: 2, restartPolicy: 'ExitCode' }) },
    },
  },
  PyTorchJob: {
    name: 'resnet',
    spec: {
      nprocPerNode: '2',
      runPolicy: { backoffLimit: 3, activeDeadlineSeconds: 86_400, ttlSecondsAfterFinished: 3600 },
      pytorchReplicaSpecs: { Master: replicas('pytorch'), Worker: replicas('pytorch', { replicas: 3, restartPolicy: 'OnFailure' }) },
    },
  },
  MXJob: {
    name: 'mx-train',
    spec: {
      jobMode: 'MXTrain',
      mxReplicaSpecs: { Scheduler: replicas('mxnet'), Server: replicas('mxnet'), Worker: replicas('mxnet', { replicas: 2 }) },
    },
  },
  XGBoostJob: {
    name: 'iris',
    spec: { xgbReplicaSpecs: { Master: replicas('xgboost'), Worker: replicas('xgboost', { replicas: 2, restartPolicy: 'ExitCode' }) } },
  },
  MPIJob: {
    name: 'pi',
    spec: {
      slotsPerWorker: 2,
      runPolicy: { cleanPodPolicy: 'Running' },
      mpiReplicaSpecs: {
        Launcher: replicas('mpi', {}, { command: ['mpirun', '-np', '4', '/opt/pi'] }),
        Worker: replicas('mpi', { replicas: 2 }),
      },
    },
  },
  PaddleJob: { name: 'paddle-cpu', spec: { paddleReplicaSpecs: { Worker: replicas('paddle', { replicas: 2 }) } } },
  JAXJob: { name: 'jax-spmd', spec: { jaxReplicaSpecs: { Worker: replicas('jax', { replicas: 2, restartPolicy: 'OnFailure' }) } } },
};

/** A new copy at every call. */
export function minimalJob(kind: string): TrainingJob {
  const given = minimal[kind];
  if (!given) throw new Error(`there is no minimal job of the kind ${kind}`);
  return { apiVersion: 'kubeflow.org/v1', kind, metadata: { name: given.name }, spec: structuredClone(given.spec) };
}

export const elasticJob = (): TrainingJob => {
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
  return {
    apiVersion: 'kubeflow.org/v1',
    kind: 'PyTorchJob',
    metadata: { name: 'elastic-resnet' },
    spec: {
      elasticPolicy: { minReplicas: 1, maxReplicas: 4, maxRestarts: 10, rdzvBackend: 'c10d', metrics },
      pytorchReplicaSpecs: { Worker: replicas('pytorch', { replicas: 2 }) },
    },
  };
};
