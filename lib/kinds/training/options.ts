// The options of training jobs, as flags: the operator's own settings.
import type { KindOption } from '../rows/kind.ts';
import { PLUGIN_GROUPS, VOLCANO_GROUPS } from './objects/gang.ts';
import {
  CLUSTER_DOMAIN,
  GANG_SCHEDULER,
  MPI_DELIVERY_IMAGE,
  PYTORCH_INIT_IMAGE,
  PYTORCH_INIT_MAX_TRIES,
  PYTORCH_INIT_TEMPLATE,
} from './names/settings.ts';

const nameProblem = (text: string): string | undefined =>
  /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/i.test(text) ? undefined : `${JSON.stringify(text)} is no name: letters, digits, "-" and "."`;

export const TRAINING_OPTIONS: readonly KindOption[] = [
  {
    name: GANG_SCHEDULER,
    describes: 'training jobs: schedule the pods of a job together, by volcano or by the scheduler of that name (scheduler-plugins)',
    value: { placeholder: 'name', problemOf: nameProblem },
    needs: (name) => [name.toLowerCase() === 'volcano' ? VOLCANO_GROUPS : PLUGIN_GROUPS],
    isForRelay: true,
  },
  {
    name: CLUSTER_DOMAIN,
    describes: 'training jobs: the domain that ends the names of services in TF_CONFIG (default: none)',
    value: { placeholder: 'domain', problemOf: nameProblem },
  },
  {
    name: PYTORCH_INIT_IMAGE,
    describes: 'training jobs: the image of the init container that waits for the master (default: alpine:3.10)',
    value: { placeholder: 'image' },
  },
  {
    name: PYTORCH_INIT_MAX_TRIES,
    describes: 'training jobs: how often that container looks for the master (default: 100)',
    value: {
      placeholder: 'number',
      problemOf: (text) => (/^[1-9]\d{0,5}$/.test(text) ? undefined : 'Expected a whole number from 1 to 999999.'),
    },
  },
  {
    name: PYTORCH_INIT_TEMPLATE,
    describes:
      'training jobs: the init containers themselves, as a YAML or JSON list with {{.MasterAddr}}, {{.InitContainerImage}} and {{.MaxTries}}',
    value: { placeholder: 'list' },
  },
  {
    name: MPI_DELIVERY_IMAGE,
    describes: 'training jobs: the image that gives kubectl to a launcher (default: kubeflow/kubectl-delivery:latest)',
    value: { placeholder: 'image' },
  },
];
