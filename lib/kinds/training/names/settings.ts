// Settings of training jobs in a cluster's registration: the operator's own settings with its defaults.
import type { KindOptions } from '../../../objects/kind-options.ts';

/** The word of `--manage`. */
export const TRAINING_JOBS = 'training-jobs';

/** A manager that a job may name: such a job is left alone. */
export const MULTI_KUEUE = 'kueue.x-k8s.io/multikueue';

export interface TrainingSettings {
  /** Empty: off. `volcano` in any case: Volcano; any other name: the scheduler of that name, by scheduler-plugins. */
  gangScheduler: string;
  /** Ends the names of services in TF_CONFIG. Empty: none. */
  clusterDomain: string;
  pytorchInitImage: string;
  pytorchInitMaxTries: number;
  /** A YAML list of containers in JSON, with upstream's three placeholders. Empty: the default. */
  pytorchInitTemplate: string;
  mpiDeliveryImage: string;
}

export const GANG_SCHEDULER = 'gang-scheduler';
export const CLUSTER_DOMAIN = 'training-cluster-domain';
export const PYTORCH_INIT_IMAGE = 'pytorch-init-container-image';
export const PYTORCH_INIT_MAX_TRIES = 'pytorch-init-container-max-tries';
export const PYTORCH_INIT_TEMPLATE = 'pytorch-init-container-template';
export const MPI_DELIVERY_IMAGE = 'mpi-kubectl-delivery-image';

export function trainingSettingsOf(options: KindOptions = {}): TrainingSettings {
  const tries = options[PYTORCH_INIT_MAX_TRIES];
  return {
    gangScheduler: options[GANG_SCHEDULER] ?? '',
    clusterDomain: options[CLUSTER_DOMAIN] ?? '',
    pytorchInitImage: options[PYTORCH_INIT_IMAGE] ?? 'alpine:3.10',
    pytorchInitMaxTries: tries === undefined ? 100 : Number(tries),
    pytorchInitTemplate: options[PYTORCH_INIT_TEMPLATE] ?? '',
    mpiDeliveryImage: options[MPI_DELIVERY_IMAGE] ?? 'kubeflow/kubectl-delivery:latest',
  };
}
