// Section 17 and worked cases 75 to 82: MPIJob.
import { describe, expect, test } from '@jest/globals';
import { nameKeyOf } from '../../../lib/kinds/rows/plan.ts';
import { mpi } from '../../../lib/kinds/training/frameworks/mpi.ts';
import { configMapPartOf, ROLE_BINDINGS, rolePartOf, ROLES } from '../../../lib/kinds/training/names/launcher-objects.ts';
import * as objects from '../../../lib/kinds/training/mpi/objects.ts';
import { launcherVariables } from '../../../lib/kinds/training/mpi/pods.ts';
import { termsOf } from '../../../lib/kinds/training/terms/terms.ts';
import type { ChildState } from '../../../lib/objects/child-state.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { CONFIG_MAPS, PODS, SERVICE_ACCOUNTS } from '../../../lib/objects/resources.ts';
import {
  aChild,
  aCondition,
  actionsOf,
  at,
  aTraining,
  countsIn,
  created,
  createdObject,
  deleted,
  NOW,
  planFor,
  podsOf,
  reasonsTold,
  states,
  told,
  type Situation,
} from './builders.ts';

const status = { conditions: [aCondition(mpi, 'Created')], startTime: at(-30) };
const launcherOf = (limits: Record<string, string>, more: object = {}) => ({
  replicas: 1,
  template: { spec: { ...more, containers: [{ name: 'foo', image: 'x', resources: { limits } }] } },
});
const job = (workers: number, more: Situation = {}): Situation => ({
  framework: mpi,
  replicas: { Launcher: 1, Worker: workers },
  status,
  ...more,
});
const times = (text: string, count: number): string => Array.from({ length: count }, () => text).join(' ');

/** What the pass before has made. */
function childrenOf(plan: ReturnType<typeof planFor>): Record<string, ChildState[]> {
  const partOf: Record<string, (object: KubernetesObject) => object> = {
    ConfigMap: (object) => configMapPartOf(object) as object,
    Role: (object) => rolePartOf(object) as object,
  };
  const keys: Record<string, string> = {
    ServiceAccount: 'serviceaccounts',
    ConfigMap: 'configmaps',
    Role: 'roles.rbac.authorization.k8s.io',
    RoleBinding: 'rolebindings.rbac.authorization.k8s.io',
  };
  return Object.fromEntries(
    actionsOf(plan, 'create')
      .filter(({ resource }) => keys[resource.kind] !== undefined)
      .map(({ resource, object }) => {
        const facts = (partOf[resource.kind]?.(object) ?? null) as ChildState['part']['facts'];
        return [
          keys[resource.kind] ?? '',
          [aChild(keys[resource.kind] ?? '', object.metadata.name ?? '', { part: { revision: 1, facts } })],
        ];
      }),
  );
}

describe('the objects', () => {
  const plan = planFor(job(2, { spec: { slotsPerWorker: 2, mainContainer: 'foo' } }));

  test('17.1: in order, then the workers, and the launcher once they are there', () => {
    expect(actionsOf(plan, 'create').map(({ resource, object }) => `${resource.kind} ${object.metadata.name}`)).toEqual([
      'ServiceAccount j-launcher',
      'ConfigMap j-config',
      'Role j-launcher',
      'RoleBinding j-launcher',
      'Pod j-worker-0',
      'Pod j-worker-1',
    ]);
    expect(plan.continues).toBe(true);
    const next = planFor(job(2, { spec: { slotsPerWorker: 2, mainContainer: 'foo' }, pods: 'Worker: P P', children: childrenOf(plan) }));
    expect(actionsOf(next, 'create').map(({ object }) => object.metadata.name)).toEqual(['j-launcher']);
    expect(told(next)).toContain('Normal MPIJobRunning: launcher pod created success: j-launcher');
    expect([created(plan, 'Service'), reasonsTold(plan).filter((reason) => reason.includes('exist'))]).toEqual([[], []]);
  });

  test('17.3: the config map', () => {
    expect(createdObject(plan, 'j-config', 'ConfigMap').data).toEqual({
      hostfile: 'j-worker-0 slots=2\nj-worker-1 slots=2\n',
      'kubexec.sh': expect.stringContaining('/opt/kube/kubectl exec ${POD_NAME} --container foo -- /bin/sh -c "$*"'),
      'discover_hosts.sh': '#!/bin/sh',
    });
  });

  test('17.3: hosts are those that run, with a GPU launcher before them', () => {
    const terms = termsOf(mpi, aTraining({ framework: mpi, replicas: { Launcher: 1, Worker: 2 } }));
    const data = objects.configDataOf(terms, { isGpu: true, running: ['j-worker-1', 'j-worker-0'] });
    expect([data['hostfile'], data['discover_hosts.sh']]).toEqual([
      'j-launcher slots=1\nj-worker-0 slots=1\nj-worker-1 slots=1\n',
      '#!/bin/sh\necho j-launcher:1\n\necho j-worker-0:1\necho j-worker-1:1',
    ]);
  });

  test('17.3: it changes as workers start', () => {
    const first = planFor(job(2));
    const children = childrenOf(first);
    const next = planFor(job(2, { pods: 'Launcher: P; Worker: R P', children }));
    expect(actionsOf(next, 'patch').map(({ kind, patch }) => [kind, patch])).toEqual([
      ['ConfigMap', { data: expect.objectContaining({ 'discover_hosts.sh': '#!/bin/sh\necho j-worker-0:1' }) }],
    ]);
    expect(actionsOf(planFor(job(2, { pods: 'Launcher: P; Worker: P P', children })), 'patch')).toEqual([]);
  });

  test('17.2, B-34: the rules of the role', () => {
    const rulesFor = (workers: number) =>
      objects.roleRulesOf(termsOf(mpi, aTraining({ framework: mpi, replicas: { Launcher: 1, Worker: workers } })));
    const reading = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] };
    expect(rulesFor(0)).toEqual([reading]);
    expect(rulesFor(1)).toEqual([reading, { apiGroups: [''], resources: ['pods/exec'], resourceNames: ['j-worker-0'], verbs: ['create'] }]);
    const [patch] = actionsOf(planFor(job(3, { pods: 'Worker: P P P', children: childrenOf(planFor(job(2))) })), 'patch').filter(
      ({ kind }) => kind === 'Role',
    );
    expect(patch?.patch).toEqual({ rules: rulesFor(3) });
  });

  test('case 81: an account of the user’s', () => {
    const replicas = { Launcher: launcherOf({}, { serviceAccountName: 'launcher-sa' }), Worker: 1 };
    const held = new Map([[nameKeyOf(SERVICE_ACCOUNTS, 'launcher-sa'), { uid: 'other', isTerminating: false }]]);
    const own = planFor({ ...job(1), replicas, pods: 'Worker: P', held });
    expect(createdObject(own, 'j-launcher')).toMatchObject({ spec: { serviceAccountName: 'launcher-sa' } });
    expect(createdObject(own, 'j-launcher', 'RoleBinding')).toMatchObject({
      subjects: [{ kind: 'ServiceAccount', name: 'launcher-sa', namespace: 'default' }],
    });
    expect([own.outcome, created(own, 'ServiceAccount')]).toEqual(['acted', []]);
  });

  test('B-28: an account of its own is made again, one of the user’s is not', () => {
    const all = childrenOf(plan);
    const { serviceaccounts: _own, ...others } = all;
    const seen = planFor(job(2, { pods: 'Launcher: P; Worker: P P', children: all }));
    const again = { pods: 'Launcher: P; Worker: P P', children: others };
    expect(created(planFor(job(2, { ...again, kept: seen.head.kept as object })), 'ServiceAccount')).toEqual(['j-launcher']);
    expect(created(planFor(job(2, again)), 'ServiceAccount')).toEqual([]);
  });

  test.each([
    ['ConfigMap', CONFIG_MAPS, 'j-config'],
    ['Role', ROLES, 'j-launcher'],
    ['RoleBinding', ROLE_BINDINGS, 'j-launcher'],
    ['Pod', PODS, 'j-launcher'],
    ['Pod', PODS, 'j-worker-0'],
  ] as const)('case 79: a %s of somebody else', (kind, resource, name) => {
    const held = new Map([[nameKeyOf(resource, name), { uid: 'other', isTerminating: false }]]);
    const pods = name === 'j-launcher' ? 'Worker: P' : '';
    const refused = planFor(job(1, { held, pods }));
    const message = `Resource "${name}" of MPIJobKind "${kind}" already exists and is not managed by MPIJob`;
    expect([told(refused), refused.outcome, refused.requeueAfterSeconds]).toEqual([
      [`Warning ErrResourceExists: ${message}`],
      'parked',
      10,
    ]);
    expect(created(refused)).toEqual([]);
    expect(told(planFor(job(1, { held, pods, kept: refused.head.kept as object })))).toEqual([]);
  });

  test.each([
    ['ConfigMap', CONFIG_MAPS, 'j-config'],
    ['Pod', PODS, 'j-worker-0'],
  ] as const)('a job that was deleted and made anew waits for its %s of before to go, and is not parked', (_, resource, name) => {
    const held = new Map([[nameKeyOf(resource, name), { uid: 'of-before', isTerminating: true }]]);
    const waiting = planFor(job(1, { held }));
    expect([told(waiting), created(waiting), waiting.outcome === 'parked', waiting.requeueAfterSeconds]).toEqual([[], [], false, 5]);
  });
});

describe('the pods', () => {
  test('17.4: a worker sleeps, and has the script', () => {
    expect(createdObject(planFor(job(1)), 'j-worker-0')).toMatchObject({
      metadata: { labels: { 'training.kubeflow.org/replica-type': 'worker', 'training.kubeflow.org/replica-index': '0' } },
      spec: {
        restartPolicy: 'Never',
        containers: [{ command: ['sleep'], args: ['365d'], volumeMounts: [{ name: 'mpi-job-config', mountPath: '/etc/mpi' }] }],
        volumes: [
          { name: 'mpi-job-config', configMap: { name: 'j-config', items: [{ key: 'kubexec.sh', path: 'kubexec.sh', mode: 0o555 }] } },
        ],
      },
    });
  });

  test('17.5: the launcher', () => {
    const launcher = createdObject(planFor(job(1, { pods: 'Worker: P' })), 'j-launcher');
    expect(launcher.metadata.labels).toEqual({
      'training.kubeflow.org/operator-name': 'mpijob-controller',
      'training.kubeflow.org/job-name': 'j',
      'training.kubeflow.org/replica-type': 'launcher',
      'training.kubeflow.org/job-role': 'master',
    });
    expect(launcher).toMatchObject({
      spec: {
        serviceAccountName: 'j-launcher',
        initContainers: [
          {
            name: 'kubectl-delivery',
            image: 'kubeflow/kubectl-delivery:latest',
            env: [
              { name: 'TARGET_DIR', value: '/opt/kube' },
              { name: 'NAMESPACE', value: 'default' },
            ],
          },
        ],
        volumes: [{ name: 'mpi-job-kubectl', emptyDir: {} }, { name: 'mpi-job-config' }],
      },
    });
  });

  test.each([
    ['nvidia.com/gpu', true],
    ['vendor-domain/gpu', true],
    ['vendor-domain/resourcetype', false],
  ])('case 75: a limit of %s makes a GPU launcher: %s', (name, isSo) => {
    const terms = termsOf(mpi, aTraining({ framework: mpi, replicas: { Launcher: launcherOf({ [name]: '1' }) } }));
    expect(objects.isGpuLauncher(terms)).toBe(isSo);
    expect(launcherVariables(terms, {}).some((variable) => variable.name === 'NVIDIA_VISIBLE_DEVICES')).toBe(!isSo);
  });

  test.each([
    [['X_MPI_HYDRA_BOOTSTRAP'], ['I_MPI_HYDRA_BOOTSTRAP=rsh', 'I_MPI_HYDRA_BOOTSTRAP_EXEC=/etc/mpi/kubexec.sh']],
    [['I_MPI_HYDRA_BOOTSTRAP'], ['I_MPI_HYDRA_BOOTSTRAP_EXEC=/etc/mpi/kubexec.sh']],
    [['I_MPI_HYDRA_BOOTSTRAP_EXEC'], ['I_MPI_HYDRA_BOOTSTRAP=rsh']],
    [['I_MPI_HYDRA_BOOTSTRAP', 'I_MPI_HYDRA_BOOTSTRAP_EXEC'], []],
  ])('case 80: with %j of the user’s', (own, added) => {
    const terms = termsOf(mpi, aTraining({ framework: mpi, replicas: { Launcher: 1 } }));
    const variables = launcherVariables(terms, { env: own.map((name) => ({ name, value: 'own' })) });
    expect(variables.filter(({ name }) => name.startsWith('I_MPI')).map(({ name, value }) => `${name}=${value}`)).toEqual(added);
  });
});

test.each([
  ['', []],
  ['test-scheduler', []],
  ['other', ['SettedPodTemplateSchedulerName']],
])('B-32: a launcher whose template names the scheduler %j is warned of as %j', (schedulerName, warnings) => {
  const replicas = { Launcher: launcherOf({}, { schedulerName }), Worker: 1 };
  const plan = planFor(job(1, { replicas, pods: 'Worker: P', options: { 'gang-scheduler': 'test-scheduler' } }));
  expect(created(plan)).toEqual(['j-launcher']);
  expect(reasonsTold(plan).filter((reason) => reason.includes('Scheduler'))).toEqual(warnings);
});

describe('the counts', () => {
  test.each<[string, number, string, Record<string, string>]>([
    ['case 76: Succeeded', 64, `Launcher: S; Worker: ${times('R', 64)}`, { Launcher: '0/1/0', Worker: '0/0/0' }],
    ['case 76: Failed', 64, `Launcher: F(1); Worker: ${times('R', 64)}`, { Launcher: '0/0/1', Worker: '0/0/0' }],
    ['case 77: workers Pending', 8, `Launcher: R; Worker: ${times('P', 8)}`, { Launcher: '1/0/0', Worker: '0/0/0' }],
    ['case 77: workers Running', 8, `Launcher: R; Worker: ${times('R', 8)}`, { Launcher: '1/0/0', Worker: '8/0/0' }],
    ['case 77: the launcher does not run', 16, `Launcher: P; Worker: ${times('R', 16)}`, { Launcher: '0/0/0', Worker: '16/0/0' }],
  ])('%s', (_, workers, pods, counts) => {
    const plan = planFor(job(workers, { pods }));
    expect([countsIn(plan), created(plan)]).toEqual([counts, []]);
  });

  test('17.6: all run, told once', () => {
    const plan = planFor(job(1, { pods: 'Launcher: R; Worker: R' }));
    expect(told(plan)).toContain('Normal MPIJobRunning: MPIJob default/j is running');
    expect(reasonsTold(planFor(job(1, { pods: 'Launcher: R; Worker: R', status: plan.status, kept: plan.head.kept as object })))).toEqual(
      [],
    );
  });

  test('17.6: what is told of the launcher’s end', () => {
    expect(told(planFor(job(1, { pods: 'Launcher: S; Worker: R' })))).toEqual([
      'Normal mpijobsSucceeded: MPIJob default/j successfully completed.',
      'Normal MPIJobSucceeded: MPIJob j is successfully completed.',
    ]);
    const plan = planFor(job(1, { pods: 'Launcher: F; Worker: R' }));
    expect([told(plan), plan.status.conditions?.at(-1)?.reason]).toEqual([
      [
        'Warning MPIJobFailed: MPIJob default/j has failed',
        'Normal MPIJobFailed: MPIJob j is failed because 1 Launcher replica(s) failed.',
      ],
      'MPIJobFailed',
    ]);
  });
});

describe('failures', () => {
  const evicted = (text: string, name: string) =>
    podsOf(aTraining(job(2)), mpi, text).map((pod) => (pod.name === name ? { ...pod, podReason: 'Evicted' } : pod));

  test.each([
    ['j-worker-0', 'Launcher: R; Worker: F R', '1/2 workers are evicted'],
    ['j-launcher', 'Launcher: F; Worker: R R', 'MPIJob default/j has failed'],
  ])('B-27: %s is evicted', (name, pods, message) => {
    const plan = planFor(job(2, { pods: evicted(pods, name) }));
    expect(plan.status.conditions?.at(-1)).toMatchObject({ type: 'Failed', reason: 'MPIJobEvicted', message });
    expect([plan.status.completionTime, told(plan)]).toEqual([at(0), [`Warning MPIJobEvicted: ${message}`]]);
  });

  test.each([
    ['Launcher: F(137); Worker: R R', 'j-launcher'],
    ['Launcher: R; Worker: F(137) R', 'j-worker-0'],
  ])('B-37: ExitCode and a retryable code: %s', (pods, name) => {
    const plan = planFor(job(2, { policy: 'ExitCode', pods }));
    expect([deleted(plan), plan.status.conditions?.some(({ type }) => type === 'Failed')]).toEqual([[name], false]);
    expect(states(plan)).toContain('Restarting=True');
  });

  test('B-37: ExitCode and another code', () => {
    const plan = planFor(job(2, { policy: 'ExitCode', pods: 'Launcher: R; Worker: F(1) R' }));
    expect([deleted(plan), plan.status.conditions?.at(-1)?.type]).toEqual([[], 'Failed']);
  });

  test('17.4: workers beyond those wanted go', () => {
    const plan = planFor(job(1, { pods: 'Launcher: R; Worker: R R R' }));
    expect([deleted(plan), reasonsTold(plan)]).toEqual([['j-worker-1', 'j-worker-2'], ['MPIJobRunning']]);
  });
});

describe('17: workers that go while the launcher runs', () => {
  const running = podsOf(aTraining({ framework: mpi, replicas: { Launcher: 1, Worker: 2 } }), mpi, 'Launcher: R; Worker: R R');
  const others = childrenOf(planFor(job(2)));
  const [launcher, first, second] = running;
  if (!launcher || !first || !second) throw new Error('three pods are expected');

  test('a running worker that is deleted fails nothing; once it is gone it is made anew', () => {
    const going = planFor(job(2, { pods: [launcher, { ...first, deletedAt: NOW }, second], children: others }));
    expect([states(going), countsIn(going), created(going)]).toEqual([
      'Created=True Running=True',
      { Launcher: '1/0/0', Worker: '2/0/0' },
      [],
    ]);
    const gone = planFor(job(2, { pods: [launcher, second], children: others }));
    expect([states(gone), countsIn(gone), created(gone)]).toEqual([
      'Created=True Running=True',
      { Launcher: '1/0/0', Worker: '1/0/0' },
      ['j-worker-0'],
    ]);
  });

  test('a job that fails with a worker takes that worker out of the list of hosts in the same pass', () => {
    const plan = planFor(job(2, { pods: [launcher, { ...first, phase: 'Failed' }, second], children: others }));
    expect(states(plan)).toContain('Failed=True');
    const patches = actionsOf(plan, 'patch').map(({ patch }) => JSON.stringify(patch));
    expect(patches.filter((patch) => patch.includes('echo j-worker-1:1'))).toHaveLength(1);
    expect(patches.filter((patch) => patch.includes('echo j-worker-0:1'))).toEqual([]);
  });
});
