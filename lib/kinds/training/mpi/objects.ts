// The objects that an MPIJob needs beside its pods: how the launcher finds its workers, and its right to run commands in them.
import { CONFIG_MAPS, SERVICE_ACCOUNTS } from '../../../objects/resources.ts';
import type { Terms } from '../terms/framework.ts';
import { containersIn } from '../terms/replica-specs.ts';
import type { Json, KubernetesObject } from '../../../objects/kubernetes.ts';
import type { Resource } from '../../../objects/resources.ts';
import { textOf } from '../../../objects/values/untyped-fields.ts';
import { configMapName, launcherName, ROLE_BINDINGS, ROLES } from '../names/launcher-objects.ts';
import { namesOf } from '../rendezvous/variables.ts';
import { TRAINING_JOB } from '../names/slots.ts';
import { ownerReferenceOf, replicasOf, wantedOf } from '../terms/terms.ts';

/** Whether a container of the launcher is limited to some number of GPUs. */
export const isGpuLauncher = (terms: Terms): boolean =>
  containersIn(replicasOf(terms, 'Launcher')?.template).some(({ resources }) =>
    Object.keys(resources?.limits ?? {}).some((name) => name.endsWith('.com/gpu') || name.includes('gpu')),
  );

/** The account that the launcher's template names. Empty: none. */
export const accountIn = (terms: Terms): string => textOf(replicasOf(terms, 'Launcher')?.template?.spec['serviceAccountName']);

const metadataOf = (terms: Terms, name: string): KubernetesObject['metadata'] => ({
  name,
  namespace: terms.namespace,
  labels: { app: terms.name, [TRAINING_JOB]: terms.name },
  ownerReferences: [ownerReferenceOf(terms)],
});

const objectOf = ({ apiVersion, kind }: Resource, metadata: KubernetesObject['metadata'], fields: object): KubernetesObject => ({
  apiVersion,
  kind,
  metadata,
  ...fields,
});

export const accountOf = (terms: Terms, name: string): KubernetesObject => objectOf(SERVICE_ACCOUNTS, metadataOf(terms, name), {});

/** Without workers there is no rule about commands: an empty list of names would mean all pods. */
export function roleRulesOf(terms: Terms): Json[] {
  const workers = namesOf(terms, 'Worker', wantedOf(terms, 'Worker'));
  const reading = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };
  return workers.length === 0
    ? [reading]
    : [reading, { apiGroups: [''], resources: ['pods/exec'], resourceNames: workers, verbs: ['create'] }];
}

export const roleOf = (terms: Terms): KubernetesObject =>
  objectOf(ROLES, metadataOf(terms, launcherName(terms)), { rules: roleRulesOf(terms) });

export const roleBindingOf = (terms: Terms, account: string): KubernetesObject =>
  objectOf(ROLE_BINDINGS, metadataOf(terms, launcherName(terms)), {
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: terms.namespace }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: launcherName(terms) },
  });

/** @param running names of the workers that run */
export function configDataOf(terms: Terms, { isGpu, running }: { isGpu: boolean; running: readonly string[] }): Record<string, string> {
  const { slotsPerWorker = 1, mainContainer = '' } = terms.job.spec;
  const launcher = launcherName(terms);
  const hosts = [...(isGpu ? [launcher] : []), ...namesOf(terms, 'Worker', wantedOf(terms, 'Worker'))];
  const container = mainContainer === '' ? '' : ` --container ${mainContainer}`;
  return {
    hostfile: hosts.map((host) => `${host} slots=${slotsPerWorker}\n`).join(''),
    'kubexec.sh': [
      '#!/bin/sh',
      'set -x',
      'POD_NAME=$1',
      'shift',
      `/opt/kube/kubectl exec \${POD_NAME}${container} -- /bin/sh -c "$*"`,
    ].join('\n'),
    'discover_hosts.sh': [
      '#!/bin/sh',
      ...(isGpu ? [`echo ${launcher}:${slotsPerWorker}\n`] : []),
      ...running.toSorted().map((name) => `echo ${name}:${slotsPerWorker}`),
    ].join('\n'),
  };
}

export const configMapOf = (terms: Terms, data: Record<string, string>): KubernetesObject =>
  objectOf(CONFIG_MAPS, metadataOf(terms, configMapName(terms)), { data });
