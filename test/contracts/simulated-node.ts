// What the simulated node does to pods, on any API server without a scheduler, a kubelet and a Job controller.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import type { NodeClient, SimulatedNode } from '../../lib/simulated-node/simulated-node.ts';
import { startSimulatedNode } from '../../lib/simulated-node/simulated-node.ts';
import type { ApiServer, Body } from './api-server/client.ts';
import { ApiClient, eventually, mergePatch } from './api-server/client.ts';
import type { Fields } from './api-server/objects.ts';
import { aConfigMap, aPod, core, freshName, freshNamespace } from './api-server/objects.ts';
import { scriptAnnotations } from '../script-annotations.ts';
import { openNodeClient } from '../node-client.ts';

interface Wanted {
  annotations?: Record<string, string>;
  command?: string[];
  restartPolicy?: string;
  metadata?: Fields;
  spec?: Fields;
}

/**
 * @param open starts an API server; garbage collection may be at work in it
 * @param clientOf the node's way to that server
 */
export function simulatedNodeContract<Server extends ApiServer>(
  name: string,
  open: () => Promise<Server>,
  clientOf: (server: Server) => NodeClient & { close?: () => void } = openNodeClient,
): void {
  describe(`simulated node on ${name}`, () => {
    let server: Server;
    let api: ApiClient;
    let nodeClient: ReturnType<typeof clientOf>;
    let node: SimulatedNode;
    let namespace: string;

    const startNode = (client: NodeClient = nodeClient): SimulatedNode =>
      startSimulatedNode({ client, nodeName: 'node-a', restartBackoffSeconds: 0.05 });
    const pod = (podName: string, { annotations, command, restartPolicy = 'Never', metadata = {}, spec = {} }: Wanted) =>
      api.create(
        core(namespace, 'pods'),
        aPod(podName, {
          metadata: { ...(annotations === undefined ? {} : { annotations }), ...metadata },
          spec: { restartPolicy, containers: [{ name: 'main', image: 'busybox', ...(command === undefined ? {} : { command }) }], ...spec },
        }),
      );
    const podWhen = async (podName: string, holds: (pod: Pod) => boolean): Promise<Pod> => {
      const { body } = await eventually(
        () => api.get(core(namespace, 'pods', podName)),
        (answer) => answer.status === 200 && holds(podOf(answer.body)),
      );
      return podOf(body);
    };
    const endOf = (podName: string): Promise<Pod> =>
      podWhen(podName, ({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? ''));
    const runningOf = (podName: string): Promise<Pod> => podWhen(podName, ({ status }) => status?.phase === 'Running');
    const isGone = (podName: string) =>
      eventually(
        () => api.get(core(namespace, 'pods', podName)),
        ({ status }) => status === 404,
      );

    beforeAll(async () => {
      server = await open();
      api = new ApiClient(server);
      nodeClient = clientOf(server);
      node = startNode();
      await node.ready;
    }, 120_000);
    beforeEach(async () => {
      namespace = await freshNamespace(api);
    });
    afterEach(async () => {
      await api.delete(core(namespace, 'pods'), { gracePeriodSeconds: 0 });
    });
    afterAll(async () => {
      await node.stop();
      nodeClient.close?.();
      api.close();
      await server.close();
    });

    test('registers itself, Ready, with a capacity and a fresh lease', async () => {
      const { body } = await api.get('/api/v1/nodes/node-a');
      expect(body.status).toMatchObject({
        capacity: { pods: expect.stringMatching(/^10(k|000)$/) },
        conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]),
      });
      const lease = await api.get('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-a');
      expect(lease.body.spec).toMatchObject({ holderIdentity: 'node-a', leaseDurationSeconds: 40 });
    });

    test('a pod goes from Pending through Running to Succeeded', async () => {
      const { body: list } = await api.get(core(namespace, 'pods'));
      const watch = await api.watch(core(namespace, 'pods'), { resourceVersion: list.metadata.resourceVersion ?? '' });
      await pod('a', { annotations: scriptAnnotations({ 'run-seconds': '0.1' }) });
      const events = await watch.take(4);
      expect(events.map(({ object }) => [podOf(object).spec.nodeName, podOf(object).status?.phase])).toEqual([
        [undefined, 'Pending'],
        ['node-a', 'Pending'],
        ['node-a', 'Running'],
        ['node-a', 'Succeeded'],
      ]);
      const running = podOf(events[2]?.object ?? { metadata: {} });
      expect(running.status).toMatchObject({
        startTime: expect.stringMatching(/Z$/),
        podIP: expect.stringMatching(/^10\./),
        containerStatuses: [{ name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: expect.stringMatching(/Z$/) } } }],
      });
      expect(conditionsOf(running)).toMatchObject({ PodScheduled: 'True', Initialized: 'True', ContainersReady: 'True', Ready: 'True' });
      const ended = podOf(events[3]?.object ?? { metadata: {} });
      expect(ended.status?.containerStatuses).toMatchObject([
        { ready: false, state: { terminated: { exitCode: 0, reason: 'Completed', finishedAt: expect.stringMatching(/Z$/) } } },
      ]);
      expect(conditionsOf(ended)).toMatchObject({ Ready: 'False', ContainersReady: 'False' });
      watch.close();
    });

    test('a pod that is over as soon as it begins is told as ended, once and whole', async () => {
      const { body: list } = await api.get(core(namespace, 'pods'));
      const watch = await api.watch(core(namespace, 'pods'), { resourceVersion: list.metadata.resourceVersion ?? '' });
      await pod('a', { annotations: scriptAnnotations({ 'run-seconds': '0' }) });
      const events = await watch.take(3);
      expect(events.map(({ object }) => podOf(object).status?.phase)).toEqual(['Pending', 'Pending', 'Succeeded']);
      const ended = podOf(events[2]?.object ?? { metadata: {} });
      expect(ended.status).toMatchObject({
        startTime: expect.stringMatching(/Z$/),
        podIP: expect.stringMatching(/^10\./),
        containerStatuses: [{ name: 'main', ready: false, state: { terminated: { exitCode: 0, startedAt: expect.stringMatching(/Z$/) } } }],
      });
      const outcome = { PodScheduled: 'True', Initialized: 'True', ContainersReady: 'False', Ready: 'False' };
      expect(conditionsOf(ended)).toMatchObject(outcome);
      watch.close();
    });

    test.each([
      { command: ['true'], exitCode: 0 },
      { command: ['false'], exitCode: 1 },
      { command: ['sh', '-c', 'exit 7'], exitCode: 7 },
      { command: ['/bin/sh', '-c', 'sleep 0.1; exit 3'], exitCode: 3 },
      { command: ['sleep', '0'], exitCode: 0 },
    ])('the command $command ends with $exitCode', async ({ command, exitCode }) => {
      await pod('a', { command });
      const { status } = await endOf('a');
      expect(status).toMatchObject({
        phase: exitCode === 0 ? 'Succeeded' : 'Failed',
        containerStatuses: [{ state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } } }],
      });
    });

    test('run-seconds is how long it runs', async () => {
      const began = performance.now();
      await pod('a', { annotations: scriptAnnotations({ 'run-seconds': '1.2' }), command: ['false'] });
      const { status } = await endOf('a');
      expect(status?.phase).toBe('Succeeded');
      expect(performance.now() - began).toBeGreaterThan(1200);
    });

    test('OnFailure restarts in place, by exit codes per restart', async () => {
      await pod('a', { annotations: scriptAnnotations({ 'exit-codes': '1,2,0' }), restartPolicy: 'OnFailure' });
      const { status } = await endOf('a');
      expect(status).toMatchObject({
        phase: 'Succeeded',
        containerStatuses: [{ restartCount: 2, state: { terminated: { exitCode: 0 } }, lastState: { terminated: { exitCode: 2 } } }],
      });
    });

    test('Never fails by exit codes per completion index, and per attempt of an index', async () => {
      const owner = await api.create(core(namespace, 'configmaps'), aConfigMap('owner'));
      const metadataOf = (index: number): Fields => ({
        annotations: { ...scriptAnnotations({ 'exit-codes': '0,4/0' }), 'batch.kubernetes.io/job-completion-index': String(index) },
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid, controller: true }],
      });
      const ends: Record<string, number | undefined> = {};
      for (const [podName, index] of [
        ['index-0', 0],
        ['index-1', 1],
        ['index-1-again', 1],
      ] as const) {
        await pod(podName, { metadata: metadataOf(index) });
        ends[podName] = (await endOf(podName)).status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
      }
      expect(ends).toEqual({ 'index-0': 0, 'index-1': 4, 'index-1-again': 0 });
    });

    test('never-ready runs, and is not ready', async () => {
      await pod('a', { annotations: scriptAnnotations({ 'never-ready': 'true', 'run-seconds': '60' }) });
      const running = await runningOf('a');
      expect(conditionsOf(running)).toMatchObject({ Ready: 'False', ContainersReady: 'False' });
      expect(running.status?.containerStatuses).toMatchObject([{ ready: false, state: { running: {} } }]);
    });

    test('a deleted pod is stopped, reported and let go', async () => {
      await pod('a', { metadata: { finalizers: ['farloop.dev/hold'] } });
      await runningOf('a');
      await api.delete(core(namespace, 'pods', 'a'));
      const ended = await endOf('a');
      expect(ended.status).toMatchObject({ phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 143 } } }] });
      await podWhen('a', ({ metadata }) => metadata.deletionGracePeriodSeconds === 0);
      await api.patch(core(namespace, 'pods', 'a'), mergePatch, { metadata: { finalizers: null } });
      await expect(isGone('a')).resolves.toBeDefined();
    });

    test('a deleted pod without finalizers is gone long before its grace is over', async () => {
      await pod('a', {});
      await runningOf('a');
      await api.delete(core(namespace, 'pods', 'a'));
      await expect(isGone('a')).resolves.toBeDefined();
    });

    test('a finished pod that is deleted stays finished', async () => {
      await pod('a', { command: ['true'], metadata: { finalizers: ['farloop.dev/hold'] } });
      await endOf('a');
      await api.delete(core(namespace, 'pods', 'a'));
      const { status } = await endOf('a');
      expect(status?.phase).toBe('Succeeded');
      await api.patch(core(namespace, 'pods', 'a'), mergePatch, { metadata: { finalizers: null } });
      await isGone('a');
    });

    test("gated pods, other schedulers' and pods for other nodes are left alone", async () => {
      await pod('gated', { spec: { schedulingGates: [{ name: 'farloop.dev/wait' }] } });
      await pod('other-scheduler', { spec: { schedulerName: 'mine' } });
      await pod('other-node', { spec: { nodeSelector: { nowhere: 'here' } } });
      await pod('ours', { command: ['true'] });
      await endOf('ours');
      for (const podName of ['gated', 'other-scheduler', 'other-node']) {
        const { body } = await api.get(core(namespace, 'pods', podName));
        expect(podOf(body).spec.nodeName).toBeUndefined();
      }
      await api.patch(core(namespace, 'pods', 'gated'), mergePatch, { spec: { schedulingGates: null } });
      await expect(runningOf('gated')).resolves.toBeDefined();
    });

    test('several containers: the pod ends with the last one', async () => {
      const containers = [
        { name: 'one', image: 'busybox', command: ['true'] },
        { name: 'two', image: 'busybox', command: ['sh', '-c', 'sleep 0.3; exit 5'] },
      ];
      await pod('a', { spec: { containers } });
      const { status } = await endOf('a');
      expect(status).toMatchObject({
        phase: 'Failed',
        containerStatuses: [
          { name: 'one', state: { terminated: { exitCode: 0 } } },
          { name: 'two', state: { terminated: { exitCode: 5 } } },
        ],
      });
    });

    test('activeDeadlineSeconds of a pod ends it', async () => {
      await pod('a', { spec: { activeDeadlineSeconds: 1 } });
      const { status } = await endOf('a');
      expect(status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    });

    const waitingFor = async (podName: string, message: string): Promise<Pod> =>
      await podWhen(podName, ({ status }) => {
        const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
        return statuses.some(({ state }) => state?.waiting?.message === message);
      });
    const nodeOf = async (podName: string): Promise<string | undefined> =>
      podOf((await api.get(core(namespace, 'pods', podName))).body).spec.nodeName;
    const main = { name: 'main', image: 'busybox', command: ['true'] };

    test('a pod waits for the config map and the secret of its environment, key by key, and for those of its volumes', async () => {
      const env = [
        { name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a' } } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 'keys', key: 'b' } } },
        { name: 'C', valueFrom: { configMapKeyRef: { name: 'nobody-has-it', key: 'c', optional: true } } },
      ];
      const volumes = [
        { name: 'files', configMap: { name: 'files' } },
        { name: 'more', projected: { sources: [{ secret: { name: 'certificate', items: [{ key: 'crt', path: 'crt' }] } }] } },
      ];
      await pod('a', {
        spec: {
          volumes,
          containers: [
            { ...main, env },
            { name: 'beside', image: 'busybox', command: ['true'] },
          ],
        },
      });
      const { status } = await waitingFor('a', 'MountVolume.SetUp failed for volume "files" : configmap "files" not found');
      expect(status).toMatchObject({ phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'FailedMount' } } }, {}] });
      await api.create(core(namespace, 'configmaps'), aConfigMap('files'));
      await waitingFor('a', 'MountVolume.SetUp failed for volume "more" : secret "certificate" not found');
      const certificate = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'certificate' } };
      await api.create(core(namespace, 'secrets'), certificate);
      await waitingFor('a', 'MountVolume.SetUp failed for volume "more" : references non-existent secret key: crt');
      await api.patch(core(namespace, 'secrets', 'certificate'), mergePatch, { stringData: { crt: 'x' } });
      const { status: noSettings } = await waitingFor('a', 'configmap "settings" not found');
      expect(noSettings).toMatchObject({
        phase: 'Pending',
        containerStatuses: [
          { name: 'main', state: { waiting: { reason: 'CreateContainerConfigError' } } },
          { name: 'beside', state: { waiting: { reason: 'ContainerCreating' } } },
        ],
      });
      await api.create(core(namespace, 'configmaps'), aConfigMap('settings', { z: '1' }));
      await waitingFor('a', `couldn't find key a in ConfigMap ${namespace}/settings`);
      await api.patch(core(namespace, 'configmaps', 'settings'), mergePatch, { data: { a: '1' } });
      await waitingFor('a', 'secret "keys" not found');
      await api.create(core(namespace, 'secrets'), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'keys' },
        stringData: { b: 'x' },
      });
      expect((await endOf('a')).status?.phase).toBe('Succeeded');
    });

    test('a pod waits for what its init containers read, and for its service account', async () => {
      const initContainers = [{ name: 'first', image: 'busybox', envFrom: [{ configMapRef: { name: 'settings' } }] }];
      await pod('a', { spec: { serviceAccountName: 'robot', initContainers, containers: [main] } });
      const noToken = 'MountVolume.SetUp failed for volume "kube-api-access" : failed to fetch token: serviceaccounts "robot" not found';
      await waitingFor('a', noToken);
      const robot = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
      await api.create(core(namespace, 'serviceaccounts'), robot);
      const { status } = await waitingFor('a', 'configmap "settings" not found');
      expect(status).toMatchObject({
        initContainerStatuses: [{ state: { waiting: { reason: 'CreateContainerConfigError' } } }],
        containerStatuses: [{ state: { waiting: { reason: 'PodInitializing' } } }],
      });
      await api.create(core(namespace, 'configmaps'), aConfigMap('settings'));
      expect((await endOf('a')).status?.phase).toBe('Succeeded');
    });

    test('a pod is not placed while its claim is missing', async () => {
      await pod('a', { spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'disk' } }], containers: [main] } });
      await pod('b', { command: ['true'] });
      await endOf('b');
      expect(await nodeOf('a')).toBeUndefined();
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      await api.create(core(namespace, 'persistentvolumeclaims'), {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'disk' },
        spec,
      });
      expect((await endOf('a')).status?.phase).toBe('Succeeded');
    });

    test('pods whose requests exceed what is left wait, and smaller ones pass them', async () => {
      const asking = (podName: string, requests: Fields, command = ['sleep', '9']) =>
        pod(podName, { spec: { containers: [{ ...main, command, resources: { requests } }] } });
      await asking('half', { cpu: '4500m', memory: '1Gi' });
      await runningOf('half');
      await asking('much', { cpu: '4', memory: '40Gi' });
      await asking('other-half', { cpu: '4' }, ['true']);
      await asking('small', { cpu: '500m' }, ['true']);
      await endOf('small');
      expect(await nodeOf('other-half')).toBeUndefined();
      await api.delete(core(namespace, 'pods', 'half'));
      await endOf('other-half');
      expect(await nodeOf('much')).toBeUndefined();
    });

    test('started again, it goes on where the pods are', async () => {
      await pod('deleted', { metadata: { finalizers: ['farloop.dev/hold'] } });
      await runningOf('deleted');
      // Long enough that it is under way still when the node is stopped.
      await pod('short', { annotations: scriptAnnotations({ 'run-seconds': '4' }) });
      await runningOf('short');
      await node.stop();
      await api.delete(core(namespace, 'pods', 'deleted'));
      await pod('new', { command: ['true'] });
      await sleep(4_100); // the run that was under way is over meanwhile
      const idle = await api.get(core(namespace, 'pods', 'short'));
      expect(idle.body.status).toMatchObject({ phase: 'Running' });
      node = startNode();
      const ends = await Promise.all(['short', 'deleted', 'new'].map(endOf));
      expect(ends.map(({ status }) => status?.phase)).toEqual(['Succeeded', 'Failed', 'Succeeded']);
      await api.patch(core(namespace, 'pods', 'deleted'), mergePatch, { metadata: { finalizers: null } });
    });

    test('a server that forgets is listed again', async () => {
      await pod('before', {});
      await runningOf('before');
      await server.forgetHistory();
      api.reconnect();
      await pod('after', { command: ['true'] });
      await expect(endOf('after')).resolves.toBeDefined();
      await api.delete(core(namespace, 'pods', 'before'));
      await expect(isGone('before')).resolves.toBeDefined();
    });

    test('two writes a pod that is over as soon as it begins: bound, ended', async () => {
      const count = 600;
      const names = Array.from({ length: count }, () => freshName('p'));
      let writes = 0;
      const counting: NodeClient = {
        ...nodeClient,
        request(request) {
          if (request.path.includes(`/namespaces/${namespace}/pods/`)) writes += 1;
          return nodeClient.request(request);
        },
      };
      await node.stop();
      const create = async (): Promise<void> => {
        for (let next = names.pop(); next !== undefined; next = names.pop()) await pod(next, { command: ['true'] });
      };
      await Promise.all(Array.from({ length: 16 }, create));
      const began = performance.now();
      node = startNode(counting);
      await eventually(
        () => api.get(`${core(namespace, 'pods')}?fieldSelector=status.phase%21%3DSucceeded&limit=1`),
        ({ body }) => body.items?.length === 0,
        { pollMs: 200 },
      );
      const podsPerSecond = count / ((performance.now() - began) / 1000);
      console.log(`simulated node on ${name}: ${podsPerSecond.toFixed(0)} pods/s bound, run and ended`);
      expect(writes).toBe(2 * count);
    });
  });
}

function podOf(body: Body): Pod {
  const { metadata, spec = {}, status } = body;
  const text = JSON.stringify({ metadata, spec, status });
  const pod: Pod = JSON.parse(text);
  return pod;
}

function conditionsOf({ status }: Pod): Record<string, string> {
  return Object.fromEntries((status?.conditions ?? []).map((condition) => [condition.type, condition.status]));
}
