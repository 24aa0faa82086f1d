// Workers and launcher of an MPIJob.
import type { Terms } from '../terms/framework.ts';
import type { Container, EnvVar, Pod } from '../../../objects/kubernetes.ts';
import { madePod, withVariables, type PodMaking, type PodOrder } from '../objects/pods.ts';
import { configMapName, launcherName } from '../names/launcher-objects.ts';
import { variable } from '../rendezvous/variables.ts';
import { baseLabels, JOB_ROLE, nameOfSlot, REPLICA_TYPE, slotLabels } from '../names/slots.ts';
import { isGpuLauncher } from './objects.ts';

const CONFIG_VOLUME = 'mpi-job-config';
const CONFIG_PATH = '/etc/mpi';
const KUBECTL_VOLUME = 'mpi-job-kubectl';
const KUBECTL_PATH = '/opt/kube';
const SCRIPT = { key: 'kubexec.sh', path: 'kubexec.sh', mode: 0o555 };
const HOSTFILE = { key: 'hostfile', path: 'hostfile', mode: 0o444 };
const DISCOVERY = { key: 'discover_hosts.sh', path: 'discover_hosts.sh', mode: 0o555 };

const mount = (name: string, mountPath: string): object => ({ name, mountPath });
const configVolume = (terms: Terms, items: readonly object[]): object => ({
  name: CONFIG_VOLUME,
  configMap: { name: configMapName(terms), items },
});

const listIn = (fields: Record<string, unknown>, name: string): unknown[] => {
  const list = fields[name];
  return Array.isArray(list) ? list : [];
};

const withMounts = (container: Container, mounts: readonly object[]): Container => ({
  ...container,
  volumeMounts: [...listIn(container, 'volumeMounts'), ...mounts],
});

/** It sleeps until the launcher runs commands in it, unless the template says otherwise. */
export function workerPodOf(terms: Terms, order: PodOrder, { gang }: Pick<PodMaking, 'gang'>): Pod {
  const slot = { type: 'Worker', index: order.index };
  const spec = order.replicas.template?.spec ?? { containers: [] };
  const [first, ...others] = spec.containers;
  const command = first?.command?.length ? {} : { command: ['sleep'], args: ['365d'] };
  return madePod(terms, order, {
    name: nameOfSlot(terms.name, slot),
    labels: slotLabels(terms.framework, terms.name, slot),
    spec: {
      ...spec,
      containers: first ? [withMounts({ ...first, ...command }, [mount(CONFIG_VOLUME, CONFIG_PATH)]), ...others] : [],
      volumes: [...listIn(spec, 'volumes'), configVolume(terms, [SCRIPT])],
    },
    gang,
  });
}

/** @param account that it runs as */
export function launcherPodOf(terms: Terms, order: PodOrder, { settings, gang, account }: PodMaking & { account: string }): Pod {
  const spec = order.replicas.template?.spec ?? { containers: [] };
  const [first, ...others] = spec.containers;
  const mounts = [mount(KUBECTL_VOLUME, KUBECTL_PATH), mount(CONFIG_VOLUME, CONFIG_PATH)];
  return madePod(terms, order, {
    name: launcherName(terms),
    labels: { ...baseLabels(terms.framework, terms.name), [REPLICA_TYPE]: 'launcher', [JOB_ROLE]: 'master' },
    spec: {
      ...spec,
      serviceAccountName: account,
      initContainers: [...(spec.initContainers ?? []), deliveryContainer(terms, settings.mpiDeliveryImage, mounts)],
      containers: first ? [withMounts(withVariables(first, launcherVariables(terms, first)), mounts), ...others] : [],
      volumes: [...listIn(spec, 'volumes'), { name: KUBECTL_VOLUME, emptyDir: {} }, configVolume(terms, [SCRIPT, HOSTFILE, DISCOVERY])],
    },
    gang,
  });
}

function deliveryContainer({ namespace }: Terms, image: string, volumeMounts: readonly object[]): Container {
  const amounts = { cpu: '100m', memory: '512Mi', 'ephemeral-storage': '5Gi' };
  return {
    name: 'kubectl-delivery',
    image,
    imagePullPolicy: 'IfNotPresent',
    env: [variable('TARGET_DIR', KUBECTL_PATH), variable('NAMESPACE', namespace)],
    volumeMounts,
    resources: { limits: amounts, requests: { ...amounts } },
  };
}

/** Those of Intel MPI only where the user has none of that name. */
export function launcherVariables(terms: Terms, { env = [] }: Pick<Container, 'env'>): EnvVar[] {
  const script = `${CONFIG_PATH}/${SCRIPT.path}`;
  const intel = [variable('I_MPI_HYDRA_BOOTSTRAP', 'rsh'), variable('I_MPI_HYDRA_BOOTSTRAP_EXEC', script)];
  return [
    variable('OMPI_MCA_plm_rsh_agent', script),
    variable('OMPI_MCA_orte_default_hostfile', `${CONFIG_PATH}/${HOSTFILE.path}`),
    ...(isGpuLauncher(terms) ? [] : [variable('NVIDIA_VISIBLE_DEVICES', ''), variable('NVIDIA_DRIVER_CAPABILITIES', '')]),
    ...intel.filter(({ name }) => !env.some((own) => own.name === name)),
  ];
}
