// Worked cases and corrections that are about several passes, seen at the API server.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { resourceOf } from '../../../lib/kinds/training/facts.ts';
import { mpi } from '../../../lib/kinds/training/frameworks/mpi.ts';
import { pytorch } from '../../../lib/kinds/training/frameworks/pytorch.ts';
import { tensorflow } from '../../../lib/kinds/training/frameworks/tensorflow.ts';
import { ROLE_BINDINGS, ROLES } from '../../../lib/kinds/training/names/launcher-objects.ts';
import { baseLabels, slotLabels } from '../../../lib/kinds/training/names/slots.ts';
import type { TrainingJob } from '../../../lib/kinds/training/terms/job-types.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { CONFIG_MAPS, PODS, SERVICES, SERVICE_ACCOUNTS, type Resource } from '../../../lib/objects/resources.ts';
import { ConflictError, TerminalError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { relist } from '../../world/reporter.ts';
import { expectQuiet } from '../../world/right.ts';
import type { Call } from '../../world/in-process-cluster.ts';
import type { World } from '../../world/world.ts';
import * as training from './world.ts';

let world: World;
beforeEach(async () => {
  world = await training.openTrainingWorld();
});
afterEach(() => world.close());

const createsOf = (plural: string): string[] =>
  world.cluster.writes.filter((call) => call.verb === 'create' && call.plural === plural).map(({ name }) => name);
const inDefault = (name: string) => ({ namespace: 'default', name });
const ownedBy = ({ kind, metadata: { name = '', uid = '' } }: TrainingJob) => [
  { apiVersion: 'kubeflow.org/v1', kind: kind ?? '', name, uid, controller: true },
];
const makePod = async (name: string, metadata: KubernetesObject['metadata']): Promise<unknown> =>
  await world.as('POST', PODS, {
    namespace: 'default',
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, ...metadata },
      spec: { containers: [{ name: 'other', image: 'example.com/other' }] },
    },
  });

describe('what is under way', () => {
  test('case 13: creates are known by their answers, so that no news of the pods makes a further one', async () => {
    world.keepBack('Pod');
    await training.submitted(world, { replicas: { Worker: 11 } });
    await world.elapse(3, { play: false });
    for (const cleanPodPolicy of ['All', 'Running']) {
      await training.change(world, tensorflow, { runPolicy: { cleanPodPolicy } });
      await world.elapse(3, { play: false });
    }
    expect(world.passes.length).toBeGreaterThanOrEqual(3);
    expect(createsOf('pods').toSorted()).toEqual(await training.namesOf(world));
    expect(await training.namesOf(world)).toHaveLength(11);
  });

  test('case 14: a create that was lost is made again, though nothing is ever heard of it', async () => {
    let isLost = false;
    world.cluster.interference.before = ({ verb, name }) => {
      if (verb !== 'create' || name !== 'j-worker-1' || isLost) return;
      isLost = true;
      throw new UnknownOutcomeError('no answer');
    };
    await training.submitted(world, { replicas: { Worker: 2 } });
    await world.elapse(60, { play: false });
    expect([isLost, await training.namesOf(world)]).toEqual([true, ['j-worker-0', 'j-worker-1']]);
  });

  test('case 96: a create without an answer whose pod appears later makes no second pod', async () => {
    let late: unknown;
    let tries = 0;
    world.cluster.interference.before = async ({ verb, plural, body }) => {
      if (verb !== 'create' || plural !== 'pods') return;
      tries += 1;
      if (tries === 2) await world.as('POST', PODS, { namespace: 'default', body: late });
      late = body;
      if (tries === 1) throw new UnknownOutcomeError('Timeout: request did not complete within requested timeout');
    };
    await training.submitted(world, { replicas: { Worker: 1 } });
    await world.elapse(60, { play: false });
    expect(tries).toBe(2);
    // Told once, of the first try. The second one, which meets the pod, makes none and tells nothing.
    const refusals = (await training.eventsOf(world)).filter(({ reason }) => reason === 'FailedCreatePod');
    expect(refusals.map(({ message }) => message)).toEqual(['Error creating: the API server gave no answer that tells what came of it']);
    expect([world.podsEver.size, await training.namesOf(world)]).toEqual([1, ['j-worker-0']]);
    await training.running(world);
    expect(training.statesOf(await training.statusOf(world, tensorflow))).toBe('Created=True Running=True');
  });

  test('B-45: pods are made in waves of 1, 2, 4, each at once, in the order of their slots; deletes read no pod', async () => {
    let underWay = 0;
    const waves: number[] = [];
    const isCreate = ({ verb, plural }: Call): boolean => verb === 'create' && plural === 'pods';
    world.cluster.interference = {
      before: async (call) => {
        if (!isCreate(call)) return;
        underWay += 1;
        await Promise.resolve();
        waves.push(underWay);
      },
      after: (call) => {
        if (isCreate(call)) underWay -= 1;
      },
    };
    await training.submitted(world, { replicas: { Worker: 7 } });
    await world.elapse(3, { play: false });
    expect(Math.max(...waves)).toBe(4);
    expect(createsOf('pods')).toEqual(Array.from({ length: 7 }, (_, index) => `j-worker-${index}`));
    const before = world.cluster.calls.length;
    await training.change(world, tensorflow, { runPolicy: { suspend: true } });
    await world.elapse(3, { play: false });
    const since = world.cluster.calls.slice(before).filter(({ plural }) => plural === 'pods');
    expect(since.map(({ verb }) => verb)).toEqual(Array.from({ length: 7 }, () => 'delete'));
    expect(since.every(({ body }) => (body as { preconditions?: { uid?: string } }).preconditions?.uid !== undefined)).toBe(true);
  });
});

describe('news of pods', () => {
  test('case 16: a pod of the job counts by its type; one without a type is passed over', async () => {
    const job = await training.submitted(world, { replicas: { Worker: 1 }, runPolicy: { suspend: true } });
    await world.elapse(3, { play: false });
    await makePod('typeless', { labels: baseLabels(tensorflow, 'j'), ownerReferences: ownedBy(job) });
    await makePod('j-worker-0', { labels: slotLabels(tensorflow, 'j', { type: 'Worker', index: 0 }), ownerReferences: ownedBy(job) });
    await training.change(world, tensorflow, { runPolicy: { suspend: false } });
    await training.running(world);
    expect(createsOf('pods')).toEqual([]);
    expect((await training.statusOf(world, tensorflow)).replicaStatuses).toEqual({ Worker: { active: 1 } });
  });

  test('B-04: a pod that is first seen as it goes wakes its job, and is made anew once it is gone', async () => {
    world.keepBack('Pod');
    await training.submitted(world, { policy: 'OnFailure' });
    await training.running(world);
    await world.as('DELETE', PODS, inDefault('j-worker-0'));
    world.tellAgain('Pod');
    const { metadata } = await training.podNamed(world, 'j-worker-0');
    expect(metadata.deletionTimestamp).toBeDefined();
    await world.endDeleted(await training.podNamed(world, 'j-worker-0'));
    await world.elapse(3, { play: false });
    expect(createsOf('pods')).toEqual(['j-worker-0', 'j-worker-0']);
  });

  test('B-05: a deletion that nobody was told of is found by a look at the cluster', async () => {
    await training.submitted(world, { policy: 'OnFailure' });
    await training.running(world);
    await world.endDeleted(await training.podNamed(world, 'j-worker-0'));
    world.loseHeard();
    await relist(world);
    await world.elapse(3, { play: false });
    expect(createsOf('pods')).toEqual(['j-worker-0', 'j-worker-0']);
  });
});

describe('events about pods where nothing else is to be done', () => {
  test('B-42: a pod that does not go is told of five minutes after its grace period', async () => {
    await training.submitted(world, { policy: 'OnFailure' });
    await training.running(world);
    await world.as('DELETE', PODS, inDefault('j-worker-0'));
    await world.elapse(400, { play: false });
    expect(await training.timesTold(world, 'PodStuckTerminating')).toBe(1);
    await expectQuiet(world, 2);
    expect(await training.timesTold(world, 'PodStuckTerminating')).toBe(1);
  });

  test('B-15: why a container waits is told once, however often its pod is heard of', async () => {
    await training.submitted(world);
    await world.elapse(3, { play: false });
    for (const image of ['example.com/train:1', 'example.com/train@sha256:1']) {
      const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
      const containerStatuses = [{ name: 'tensorflow', image, imageID: '', ready: false, restartCount: 0, state: { waiting } }];
      await world.as('PATCH', PODS, {
        ...inDefault('j-worker-0'),
        subresource: 'status',
        type: 'application/strategic-merge-patch+json',
        body: { status: { containerStatuses } },
      });
      await world.elapse(3, { play: false });
    }
    expect(await training.timesTold(world, 'ImagePullBackOff')).toBe(1);
  });
});

describe('whose objects they are', () => {
  test('case 39: two jobs with labels of their own: each is read by its name, and has its own pods', async () => {
    await training.submitted(world, { name: 'a', metadata: { labels: { team: 'one' } } });
    await training.submitted(world, { name: 'b', metadata: { labels: { team: 'two' } } });
    await training.running(world);
    const read = await world.as<TrainingJob>('GET', resourceOf(tensorflow), inDefault('a'));
    expect(read.metadata).toMatchObject({ name: 'a', labels: { team: 'one' } });
    const owners = (await world.pods()).map(({ metadata }) => `${metadata.name} of ${metadata.ownerReferences?.[0]?.name}`);
    expect(new Set(owners)).toEqual(new Set(['a-worker-0 of a', 'b-worker-0 of b']));
  });

  test('case 78: a job that does not exist any more is no error', async () => {
    await training.submitted(world, { framework: mpi, replicas: { Launcher: 1 } });
    await world.report();
    await world.as('DELETE', resourceOf(mpi), inDefault('j'));
    world.loseHeard();
    await world.elapse(5, { play: false });
    expect(world.passes.length).toBeGreaterThan(0);
    expect(world.passes.filter(({ error, outcome }) => error !== undefined || outcome === 'failed')).toEqual([]);
    expect(world.log.filter(({ level }) => level === 'error')).toEqual([]);
    expect(createsOf('pods')).toEqual([]);
  });

  test('B-26: jobs of two kinds and one name share nothing but the name, and the later one is told so', async () => {
    await training.submitted(world, { replicas: { Worker: 1 } });
    await training.running(world);
    await training.submitted(world, { framework: pytorch, replicas: { Worker: 2 } });
    await training.running(world, 15);
    expect(await training.namesOf(world)).toEqual(['j-worker-0', 'j-worker-1']);
    const owners = (await world.pods()).map(({ metadata }) => metadata.ownerReferences?.[0]?.kind);
    expect(new Set(owners)).toEqual(new Set(['PyTorchJob', 'TFJob']));
    expect((await training.statusOf(world, tensorflow)).replicaStatuses).toEqual({ Worker: { active: 1 } });
    expect((await training.statusOf(world, pytorch)).replicaStatuses?.['Worker']).toMatchObject({ active: 1 });
    expect((await training.eventsOf(world)).filter(({ reason }) => reason === 'FailedCreatePod')).toEqual([
      {
        type: 'Warning',
        reason: 'FailedCreatePod',
        message: 'Error creating: pods "j-worker-0" already exists and belongs to somebody else',
        count: 1,
      },
    ]);
  });

  test('B-29: a service of somebody else with the labels of the job is neither counted nor deleted', async () => {
    const labels = slotLabels(tensorflow, 'j', { type: 'Worker', index: 0 });
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Other', name: 'other', uid: 'other', controller: true }];
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'theirs', labels, ownerReferences }, spec: { clusterIP: 'None' } };
    await world.as('POST', SERVICES, { namespace: 'default', body });
    await training.submitted(world, { runPolicy: { cleanPodPolicy: 'All' } });
    await training.running(world);
    expect(await training.namesOf(world, SERVICES)).toEqual(['j-worker-0', 'theirs']);
    await world.end(await training.podNamed(world, 'j-worker-0'), 0);
    await world.elapse(5, { play: false });
    expect(await training.namesOf(world, SERVICES)).toEqual(['theirs']);
  });

  test('B-28, B-33: the objects of an MPIJob are made once, and again when somebody deletes them', async () => {
    await training.submitted(world, { framework: mpi, replicas: { Launcher: 1, Worker: 2 } });
    await training.running(world);
    const made = [
      'create serviceaccounts j-launcher',
      'create configmaps j-config',
      'create roles j-launcher',
      'create rolebindings j-launcher',
    ];
    const creates = training.writesSince(world, 0).filter((write) => write.startsWith('create') && !write.includes('pods'));
    expect(creates).toEqual(made);
    expect(createsOf('pods')).toEqual(['j-worker-0', 'j-worker-1', 'j-launcher']);
    const before = world.cluster.writes.length;
    for (const [resource, name] of [
      [SERVICE_ACCOUNTS, 'j-launcher'],
      [CONFIG_MAPS, 'j-config'],
      [ROLES, 'j-launcher'],
      [ROLE_BINDINGS, 'j-launcher'],
    ] as const)
      await world.as('DELETE', resource, inDefault(name));
    await world.elapse(3, { play: false });
    expect(
      training
        .writesSince(world, before)
        .filter((write) => write.startsWith('create'))
        .toSorted(),
    ).toEqual(made.toSorted());
    await expectQuiet(world, 2);
  });
});

describe('a pass that meets trouble', () => {
  test('B-30: a slot whose pod is refused stops no other, and the status is stored', async () => {
    world.cluster.interference.before = ({ verb, plural, name }) => {
      if (verb === 'create' && plural === 'pods' && name === 'j-ps-0')
        throw new TerminalError('pods "j-ps-0" is forbidden: exceeded quota', { code: 403, causes: [] });
    };
    await training.submitted(world, { replicas: { PS: 1, Worker: 2 }, policy: 'ExitCode' });
    await world.elapse(30, { play: false });
    expect(await training.namesOf(world)).toEqual(['j-worker-0', 'j-worker-1']);
    expect(await training.namesOf(world, SERVICES)).toEqual(['j-ps-0', 'j-worker-0', 'j-worker-1']);
    expect(training.statesOf(await training.statusOf(world, tensorflow))).toBe('Created=True');
  });

  test('case 95, B-43: a status write that meets a conflict is derived anew, and nothing is told, counted or made twice', async () => {
    await training.submitted(world, { replicas: { Worker: 2 }, policy: 'ExitCode' });
    await training.running(world);
    let conflicts = 0;
    world.cluster.interference.before = ({ subresource }) => {
      conflicts += subresource === 'status' ? 1 : 0;
      if (subresource === 'status' && conflicts <= 2) throw new ConflictError('the object has been modified', { reason: 'precondition' });
    };
    await world.end(await training.podNamed(world, 'j-worker-1'), 137);
    await training.running(world, 6);
    expect(createsOf('pods').filter((name) => name === 'j-worker-1')).toHaveLength(2);
    for (const reason of ['TFJobRestarting', 'ExitedWithCode'])
      expect([reason, await training.timesTold(world, reason)]).toEqual([reason, 1]);
    conflicts = 0;
    await world.end(await training.podNamed(world, 'j-worker-0'), 0);
    await world.elapse(6, { play: false });
    expect(conflicts).toBeGreaterThan(2);
    expect(training.statesOf(await training.statusOf(world, tensorflow))).toBe('Created=True Running=False Succeeded=True');
    expect(await training.timesTold(world, 'TFJobSucceeded')).toBe(1);
    expect(world.metrics.filter(({ metric }) => metric === 'training_operator_jobs_successful_total')).toHaveLength(1);
    const written = world.cluster.writes.filter(({ subresource }) => subresource === 'status').map(({ body }) => body);
    for (const body of written)
      expect(body).toMatchObject({ metadata: { uid: expect.any(String) as unknown, resourceVersion: expect.any(String) as unknown } });
  });

  test('B-46: a job that has failed by a limit makes no pods again while its old status is still seen', async () => {
    await training.submitted(world, { replicas: { Worker: 2 }, runPolicy: { activeDeadlineSeconds: 10 } });
    await training.running(world);
    world.keepBack('TFJob');
    await world.elapse(12, { play: false });
    for (const pod of await world.pods()) await world.endDeleted(pod);
    await world.elapse(10, { play: false });
    expect(training.statesOf(await training.statusOf(world, tensorflow))).toBe('Created=True Running=False Failed=True');
    expect([await training.namesOf(world), await training.namesOf(world, SERVICES)]).toEqual([[], []]);
    expect(createsOf('pods')).toHaveLength(2);
    expect(await training.timesTold(world, 'TFJobFailed')).toBe(1);
  });

  test('a job that restarted too often has failed, though the pass that deleted its pods died before the status', async () => {
    await training.submitted(world, { replicas: { Worker: 2 }, policy: 'OnFailure', runPolicy: { backoffLimit: 2 } });
    await training.running(world);
    let deaths = 0;
    world.interposer = async ({ port, method, args, phase }, process) => {
      if (port !== 'cluster' || method !== 'patch' || (args[0] as Resource).kind !== 'TFJob' || phase !== 'before' || ++deaths > 1) return;
      // Whoever looks next finds no pod, and so none of its restarts.
      for (const pod of await world.pods()) await world.endDeleted(pod);
      await world.report();
      process.kill();
    };
    const restarted = { name: 'tensorflow', image: 'example.com/train', imageID: '', ready: true, restartCount: 1, state: { running: {} } };
    for (const name of await training.namesOf(world))
      await world.as('PATCH', PODS, {
        ...inDefault(name),
        subresource: 'status',
        type: 'application/strategic-merge-patch+json',
        body: { status: { containerStatuses: [restarted] } },
      });
    await world.elapse(150, { play: false });
    expect(deaths).toBeGreaterThan(1);
    expect(training.statesOf(await training.statusOf(world, tensorflow))).toBe('Created=True Running=False Failed=True');
    expect(createsOf('pods')).toHaveLength(2);
  });

  test('B-38: pods, services and restarts are counted, each once', async () => {
    await training.submitted(world, { replicas: { Worker: 2 }, policy: 'ExitCode', runPolicy: { cleanPodPolicy: 'All' } });
    await training.running(world);
    await world.end(await training.podNamed(world, 'j-worker-1'), 137);
    await training.running(world, 6);
    await world.elapse(5);
    await world.elapse(20);
    const sums = new Map<string, number>();
    for (const { metric, value } of world.metrics) sums.set(metric, (sums.get(metric) ?? 0) + value);
    const counts = ['created_pods', 'failed_pods', 'deleted_pods', 'succeeded_service_creation', 'failed_service_creation'];
    expect(await training.namesOf(world)).toEqual([]);
    expect(counts.map((name) => sums.get(`${name}_total`) ?? 0)).toEqual([3, 1, 3, 2, 0]);
    expect(world.metrics.filter(({ metric }) => metric === 'training_operator_jobs_restarted_total')).toEqual([
      { metric: 'training_operator_jobs_restarted_total', value: 1, dimensions: { job_namespace: 'default', framework: 'tensorflow' } },
    ]);
  });

  test.each([
    [0, 'Succeeded'],
    [1, 'Failed'],
  ])('case 29: a job with a TTL of 3 s whose worker ended with %i (%s) is gone a few seconds later', async (code) => {
    await training.submitted(world, { runPolicy: { ttlSecondsAfterFinished: 3 } });
    await training.running(world);
    await world.end(await training.podNamed(world, 'j-worker-0'), code);
    await world.elapse(2, { play: false });
    expect(await training.namesOf(world, resourceOf(tensorflow))).toEqual(['j']);
    await world.elapse(6, { play: false });
    expect(await training.namesOf(world, resourceOf(tensorflow))).toEqual([]);
  });
});
