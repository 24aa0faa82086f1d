// Upstream's operator as a cluster shows it: pods, services, objects and statuses as its release 1.9 makes them, written out. Its requests are
// signed as those of its image are.
import type { Framework } from '../../../../lib/kinds/training/terms/framework.ts';
import { resourceOf } from '../../../../lib/kinds/training/facts.ts';
import type { ReplicaSpec, TrainingJob } from '../../../../lib/kinds/training/terms/job-types.ts';
import type { KubernetesObject, ObjectMeta, Pod } from '../../../../lib/objects/kubernetes.ts';
import { PODS, type Resource } from '../../../../lib/objects/resources.ts';
import type { World } from '../../world.ts';

const SIGNED = { fieldManager: 'manager' };
const MERGE = 'application/merge-patch+json';
const CORE = (kind: string, plural: string): Resource => ({ apiVersion: 'v1', kind, plural, namespaced: true });
const RBAC = (kind: string, plural: string): Resource => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  plural,
  namespaced: true,
});

export class Operator {
  readonly #world: World;
  readonly #framework: Framework;

  constructor(world: World, framework: Framework) {
    this.#world = world;
    this.#framework = framework;
  }

  /** What it makes for a new job: all pods run. @returns the names of its pods */
  async start(job: TrainingJob): Promise<string[]> {
    const { kind, controller, replicasField } = this.#framework;
    const { name = '', uid = '' } = job.metadata;
    const isMpi = kind === 'MPIJob';
    const names: string[] = [];
    if (isMpi) await this.#besides(job);
    const specs = Object.entries(job.spec[replicasField] as Record<string, ReplicaSpec>);
    for (const [type, { replicas = 1, template, restartPolicy }] of specs)
      for (let index = 0; index < replicas; index += 1) {
        const isLauncher = type === 'Launcher';
        const lower = type.toLowerCase();
        const labels = {
          'training.kubeflow.org/job-name': name,
          'training.kubeflow.org/operator-name': controller,
          'training.kubeflow.org/replica-type': lower,
          ...(!isLauncher && { 'training.kubeflow.org/replica-index': String(index) }),
          ...((isLauncher || type === 'Master') && { 'training.kubeflow.org/job-role': 'master' }),
        };
        const own = isLauncher ? `${name}-launcher` : `${name}-${lower}-${index}`;
        const metadata = { name: own, labels, ownerReferences: [referenceTo(kind, { name, uid })] };
        const pod = await this.#make<Pod>(PODS, metadata, {
          spec: { ...template?.spec, restartPolicy: restartPolicy === 'ExitCode' ? 'Never' : restartPolicy },
        });
        if (!isMpi)
          await this.#make(CORE('Service', 'services'), metadata, {
            spec: { clusterIP: 'None', selector: labels, ports: [{ name: `${lower}-port`, port: 2222 }] },
          });
        await this.#world.startPod(pod);
        names.push(own);
      }
    return names.toSorted();
  }

  /** Writes the status: conditions that are true, in their order, and how many replicas of each type are active. */
  async report(job: TrainingJob, conditions: readonly string[], active: Readonly<Record<string, number>>): Promise<void> {
    const { kind, controller } = this.#framework;
    const { name = '' } = job.metadata;
    const time = new Date(Math.floor(this.#world.clusterNowMs() / 1000) * 1000).toISOString().replace('.000Z', 'Z');
    const words = (type: string): string => (type === 'Created' ? `${kind} ${name} is created.` : `${kind} ${name} is running.`);
    const status = {
      conditions: conditions.map((type) => ({
        type,
        status: 'True',
        reason: `${kind}${type}`,
        message: words(type),
        lastUpdateTime: time,
        lastTransitionTime: time,
      })),
      replicaStatuses: Object.fromEntries(
        Object.entries(active).map(([type, count]) => [
          type,
          {
            active: count,
            selector: `training.kubeflow.org/job-name=${name},training.kubeflow.org/operator-name=${controller},training.kubeflow.org/replica-type=${type.toLowerCase()}`,
          },
        ]),
      ),
      startTime: time,
    };
    const at = { namespace: 'default', name, subresource: 'status', type: MERGE, query: SIGNED };
    await this.#world.as('PATCH', resourceOf(this.#framework), { ...at, body: { status } });
  }

  /** Of an MPIJob: without any label that Farloop would find them by. */
  async #besides(job: TrainingJob): Promise<void> {
    const { kind } = this.#framework;
    const { name = '', uid = '' } = job.metadata;
    const launcher = `${name}-launcher`;
    const of = (own: string): ObjectMeta => ({ name: own, labels: { app: name }, ownerReferences: [referenceTo(kind, { name, uid })] });
    const data = { hostfile: `${name}-worker-0 slots=1\n`, 'kubexec.sh': '#!/bin/sh\n', 'discover_hosts.sh': '#!/bin/sh\n' };
    await this.#make(CORE('ConfigMap', 'configmaps'), of(`${name}-config`), { data });
    await this.#make(CORE('ServiceAccount', 'serviceaccounts'), of(launcher), {});
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }];
    await this.#make(RBAC('Role', 'roles'), of(launcher), { rules });
    await this.#make(RBAC('RoleBinding', 'rolebindings'), of(launcher), {
      subjects: [{ kind: 'ServiceAccount', name: launcher, namespace: 'default' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: launcher },
    });
  }

  async #make<Made extends KubernetesObject>(resource: Resource, metadata: ObjectMeta, fields: object): Promise<Made> {
    const { apiVersion, kind } = resource;
    const body = { apiVersion, kind, metadata, ...fields };
    return await this.#world.as<Made>('POST', resource, { namespace: 'default', body, query: SIGNED });
  }
}

const referenceTo = (kind: string, { name, uid }: { name: string; uid: string }) => ({
  apiVersion: 'kubeflow.org/v1',
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});
