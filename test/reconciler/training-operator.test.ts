// A training operator beside Farloop, and jobs that are handed over while they run, through relay and loop.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Framework } from '../../lib/kinds/training/terms/framework.ts';
import { FRAMEWORKS } from '../../lib/kinds/training/frameworks/all.ts';
import { mpi } from '../../lib/kinds/training/frameworks/mpi.ts';
import { pytorch } from '../../lib/kinds/training/frameworks/pytorch.ts';
import type { TrainingJob } from '../../lib/kinds/training/terms/job-types.ts';
import { ROLE_BINDINGS, ROLES } from '../../lib/kinds/training/names/launcher-objects.ts';
import { SILENCE_SECONDS } from '../../lib/kinds/training/status/other-operator.ts';
import type { KubernetesObject, Pod } from '../../lib/objects/kubernetes.ts';
import { CONFIG_MAPS, EVENTS, PODS, SERVICES, SERVICE_ACCOUNTS, type Resource } from '../../lib/objects/resources.ts';
import { Operator } from '../world/kinds/training/operator.ts';
import { aJobOf, aTrainingWorld, jobNamed } from '../world/kinds/training/world.ts';
import type { World } from '../world/world.ts';

const NAME = 'trained';
let world: World;
let operator: Operator;
afterEach(() => world.close());

/** @returns the job, which no pass has seen yet */
async function open(
  framework: Framework,
  options: { replicas: Record<string, number>; backoffLimit?: number; restartPolicy?: string },
): Promise<TrainingJob> {
  const { replicas, backoffLimit, restartPolicy } = options;
  world = aTrainingWorld(framework);
  operator = new Operator(world, framework);
  return await world.apply(
    aJobOf(framework, NAME, {
      replicas,
      ...(restartPolicy !== undefined && { restartPolicy }),
      runPolicy: backoffLimit === undefined ? {} : { backoffLimit },
      spec: framework.kind === 'MXJob' ? { jobMode: 'MXTrain' } : {},
    }),
  );
}

const eventsOf = async (reason: string): Promise<string[]> =>
  (await world.all<KubernetesObject & { reason?: string; message?: string }>(EVENTS))
    .filter((event) => event.reason === reason)
    .map(({ message = '' }) => message);
const identities = async (resource: Resource): Promise<string[]> =>
  (await world.all(resource)).map(({ metadata: { name, uid } }) => `${name} ${uid}`).toSorted();
const conditionsOf = async (framework: Framework): Promise<string> =>
  ((await jobNamed(world, framework, NAME)).status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`).join(' ');
/** Of pods, children and owners; without events. */
const writes = (): number => world.cluster.writes.filter((write) => !JSON.stringify(write).includes('events')).length;

describe('an operator at work on the same job', () => {
  test('is told of once and not fought, and its job is taken over when it has been silent', async () => {
    const job = await open(pytorch, { replicas: { Master: 1, Worker: 1 } });
    const names = await operator.start(job);
    await operator.report(job, ['Created'], { Master: 0, Worker: 0 });
    await world.startRelay();
    for (const active of [0, 1, 1, 0, 1]) {
      await operator.report(job, ['Created', 'Running'], { Master: 1, Worker: active });
      await world.elapse(20, { play: false });
    }
    expect(writes()).toBe(0);
    const told = await eventsOf('OtherOperatorAtWork');
    expect(told).toEqual([expect.stringContaining('another operator, whose writes are signed "manager", works on this PyTorchJob')]);
    expect(world.passes.filter(({ outcome }) => outcome === 'parked')).toEqual([]);

    // Its pod fails meanwhile, and nobody makes it anew.
    const [worker] = (await world.all<Pod>(PODS)).filter(({ metadata }) => metadata.name === names[1]);
    if (!worker) throw new Error('no worker');
    await world.end(worker, 137);
    await world.elapse(30, { play: false });
    expect(writes()).toBe(0);
    const isMadeAnew = async (): Promise<boolean> =>
      (await world.pods()).some(({ metadata: { name, uid } }) => name === names[1] && uid !== worker.metadata.uid);
    await world.until(isMadeAnew, { seconds: SILENCE_SECONDS + 30, play: false });
    expect(await isMadeAnew()).toBe(true);
    await world.elapse(5, { play: false });
    expect(await eventsOf('PyTorchJobRestarting')).toHaveLength(1);

    // It comes back: Farloop is silent again, and has told of it before.
    await operator.report(job, ['Created', 'Running'], { Master: 1, Worker: 1 });
    const before = writes();
    await world.elapse(SILENCE_SECONDS - 10, { play: false });
    expect(writes()).toBe(before);
    expect(await eventsOf('OtherOperatorAtWork')).toEqual(told);
  });
});

const TYPES: Readonly<Record<string, readonly string[]>> = {
  TFJob: ['PS', 'Worker', 'Chief', 'Evaluator'],
  PyTorchJob: ['Master', 'Worker'],
  MPIJob: ['Launcher', 'Worker'],
  XGBoostJob: ['Master', 'Worker'],
  PaddleJob: ['Master', 'Worker'],
  MXJob: ['Scheduler', 'Server', 'Worker'],
  JAXJob: ['Worker'],
};

describe('handed over by an operator that has stopped', () => {
  test.each(FRAMEWORKS)('a running $kind goes on: nothing is made anew, and its status stays', async (framework) => {
    const replicas = Object.fromEntries((TYPES[framework.kind] ?? []).map((type) => [type, 1]));
    const job = await open(framework, { replicas });
    const names = await operator.start(job);
    await operator.report(job, ['Created', 'Running'], replicas);
    const before = {
      status: (await jobNamed(world, framework, NAME)).status,
      pods: await identities(PODS),
      services: await identities(SERVICES),
    };
    await world.elapse(SILENCE_SECONDS + 1, { play: false });
    await world.startRelay();
    await world.elapse(90, { play: false });
    expect(names).toHaveLength(Object.keys(replicas).length);
    expect({
      status: (await jobNamed(world, framework, NAME)).status,
      pods: await identities(PODS),
      services: await identities(SERVICES),
    }).toEqual(before);
    expect(world.passes.at(-1)).toMatchObject({ outcome: expect.stringMatching(/^(converged|waiting|acted)$/) });
    expect(world.passes.filter(({ outcome }) => outcome === 'parked' || outcome === 'failed')).toEqual([]);
  });

  test('the objects of an MPIJob are the same ones, and are labelled, so that the deletion of one is mended', async () => {
    const objects = [CONFIG_MAPS, SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS];
    const job = await open(mpi, { replicas: { Launcher: 1, Worker: 1 } });
    await operator.start(job);
    await operator.report(job, ['Created', 'Running'], { Launcher: 1, Worker: 1 });
    const ours = async (): Promise<string[][]> =>
      await Promise.all(objects.map(async (each) => (await identities(each)).filter((text) => text.startsWith(NAME))));
    const before = await ours();
    await world.elapse(SILENCE_SECONDS + 1, { play: false });
    await world.startRelay();
    const areLabelled = async (): Promise<boolean> => {
      const all = await Promise.all(objects.map(async (each) => await world.all(each)));
      const own = all.flat().filter(({ metadata }) => metadata.name?.startsWith(NAME) === true);
      return own.length === 4 && own.every(({ metadata }) => metadata.labels?.['farloop.dev/training-job'] === NAME);
    };
    await world.until(areLabelled, { seconds: 120, play: false });
    expect(await areLabelled()).toBe(true);
    expect(await ours()).toEqual(before);

    await world.as('DELETE', ROLES, { namespace: 'default', name: `${NAME}-launcher` });
    const isMended = async (): Promise<boolean> => (await world.all(ROLES)).some(({ metadata }) => metadata.name === `${NAME}-launcher`);
    await world.until(isMended, { seconds: 30, play: false });
    expect(await isMended()).toBe(true);
  });

  test('restarts in place, made under the operator, count on', async () => {
    const job = await open(pytorch, { replicas: { Master: 1 }, backoffLimit: 3, restartPolicy: 'OnFailure' });
    await operator.start(job);
    const restarted = async (restartCount: number): Promise<void> => {
      const [pod] = await world.pods();
      const containerStatuses = [{ name: 'pytorch', image: 'none', imageID: '', ready: true, restartCount, state: { running: {} } }];
      await world.as('PATCH', PODS, {
        namespace: 'default',
        name: pod?.metadata.name ?? '',
        subresource: 'status',
        body: { status: { containerStatuses } },
        type: 'application/strategic-merge-patch+json',
      });
    };
    await restarted(2);
    await operator.report(job, ['Created', 'Running'], { Master: 1 });
    await world.elapse(SILENCE_SECONDS + 1, { play: false });
    await world.startRelay();
    await world.elapse(60, { play: false });
    expect(await conditionsOf(pytorch)).toBe('Created=True Running=True');
    await restarted(3);
    await world.elapse(30, { play: false });
    expect(await conditionsOf(pytorch)).toContain('Failed=True');
  });

  test('a failure afterwards is a restart, counted against backoffLimit, and the job ends as it should', async () => {
    const job = await open(pytorch, { replicas: { Master: 1, Worker: 1 }, backoffLimit: 1 });
    await operator.start(job);
    await operator.report(job, ['Created', 'Running'], { Master: 1, Worker: 1 });
    await world.elapse(SILENCE_SECONDS + 1, { play: false });
    await world.startRelay();
    await world.elapse(60, { play: false });
    const master = async (): Promise<Pod> => {
      const found = (await world.pods()).find(({ metadata }) => metadata.name === `${NAME}-master-0`);
      if (!found) throw new Error('no master');
      return found;
    };
    const first = await master();
    await world.end(first, 137);
    const isAnew = async (): Promise<boolean> =>
      (await world.pods()).some(({ metadata: { name, uid } }) => name === first.metadata.name && uid !== first.metadata.uid);
    await world.until(isAnew, { seconds: 30, play: false });
    await world.startPod(await master());
    await world.elapse(5, { play: false });
    await world.end(await master(), 137);
    const hasFailed = async (): Promise<boolean> => (await conditionsOf(pytorch)).includes('Failed=True');
    await world.until(hasFailed, { seconds: 60, play: false });
    expect(await conditionsOf(pytorch)).toContain('Failed=True');
  });
});

describe('handed back to an operator', () => {
  const REFERENCE = { apiVersion: 'kubeflow.org/v1', name: NAME, controller: true, blockOwnerDeletion: true };
  const STATUS = ['conditions', 'replicaStatuses', 'startTime'];

  test.each(FRAMEWORKS)('what Farloop leaves of a running $kind is what an operator counts as its own', async (framework) => {
    const { kind, controller } = framework;
    const replicas = Object.fromEntries((TYPES[kind] ?? []).map((type) => [type, 1]));
    const job = await open(framework, { replicas });
    await world.startRelay();
    const isRunning = async (): Promise<boolean> => (await conditionsOf(framework)).includes('Running=True');
    for (let turn = 0; turn < 10 && !(await isRunning()); turn += 1) {
      for (const pod of await world.pods()) if (!pod.spec.nodeName) await world.startPod(pod);
      await world.elapse(6, { play: false });
    }
    const left = await jobNamed(world, framework, NAME);
    expect(await conditionsOf(framework)).toBe('Created=True Running=True');
    expect(Object.keys(left.status ?? {}).toSorted()).toEqual(STATUS);
    expect(left.metadata).not.toHaveProperty('finalizers');
    const active = Object.entries(left.status?.replicaStatuses ?? {}).map(([type, counts]) => [type, counts.active]);
    expect(Object.fromEntries(active)).toEqual(replicas);

    // Both lists are made by these labels, then held against the controller's uid; a slot is told by type and index.
    const selection = { labelSelector: `training.kubeflow.org/job-name=${NAME},training.kubeflow.org/operator-name=${controller}` };
    const placeOf = ({ metadata: { labels = {}, ownerReferences } }: KubernetesObject): string => {
      expect(ownerReferences).toEqual([{ ...REFERENCE, kind, uid: job.metadata.uid }]);
      return `${labels['training.kubeflow.org/replica-type']} ${labels['training.kubeflow.org/replica-index'] ?? '-'}`;
    };
    const places = Object.keys(replicas).map((type) => `${type.toLowerCase()} ${type === 'Launcher' ? '-' : '0'}`);
    for (const resource of kind === 'MPIJob' ? [PODS] : [PODS, SERVICES]) {
      const { items } = await world.as<{ items: KubernetesObject[] }>('GET', resource, { namespace: 'default', query: selection });
      expect(items.map(placeOf).toSorted()).toEqual(places.toSorted());
    }
  });
});
