// Tables: what `kubectl get` prints, column by column.
import { describe, expect, test } from '@jest/globals';
import { mergePatch } from './client.ts';
import { aConfigMap, aJob, aPod, core, freshNamespace, jobs, withStatus } from './objects.ts';
import type { Fields, Suite } from './objects.ts';

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const runningSince = '2024-01-01T00:00:00Z';

const isTrue = (type: string): Fields => ({ type, status: 'True', lastTransitionTime: runningSince });
const stateful = (name: string, state: Fields, ready = false): Fields => ({ name, ready, restartCount: 0, state });
const running = (name: string): Fields => stateful(name, { running: { startedAt: runningSince } }, true);
const waiting = (name: string, reason: string): Fields => stateful(name, { waiting: { reason } });
const over = (name: string, exitCode: number): Fields =>
  stateful(name, { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' } });
const init = (name: string): Fields => ({ name, image: 'busybox' });
const sidecar = (name: string): Fields => ({ ...init(name), restartPolicy: 'Always' });

export function tablesContract({ api }: Suite): void {
  /** @returns a namespace of its own, in which the pod `a` is as wanted */
  async function withPod({ spec = {}, status }: { spec: Fields | undefined; status: Fields | undefined }): Promise<string> {
    const namespace = await freshNamespace(api());
    const made = await api().create(core(namespace, 'pods'), aPod('a', { spec }));
    if (status !== undefined) await api().put(core(namespace, 'pods', 'a/status'), withStatus(made, status));
    return namespace;
  }

  describe('tables', () => {
    // A star marks what only `-o wide` shows.
    test.each([
      ['/api/v1/pods', ['Name', 'Ready', 'Status', 'Restarts', 'Age', 'IP*', 'Node*', 'Nominated Node*', 'Readiness Gates*']],
      ['/apis/batch/v1/jobs', ['Name', 'Status', 'Completions', 'Duration', 'Age', 'Containers*', 'Images*', 'Selector*']],
      ['/api/v1/namespaces', ['Name', 'Status', 'Age']],
      [
        '/api/v1/nodes',
        ['Name', 'Status', 'Roles', 'Age', 'Version', 'Internal-IP*', 'External-IP*', 'OS-Image*', 'Kernel-Version*', 'Container-Runtime*'],
      ],
      ['/api/v1/configmaps', ['Name', 'Data', 'Age']],
      ['/api/v1/secrets', ['Name', 'Type', 'Data', 'Age']],
      ['/api/v1/services', ['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age', 'Selector*']],
      ['/api/v1/serviceaccounts', ['Name', 'Age']],
      ['/api/v1/events', ['Last Seen', 'Type', 'Reason', 'Object', 'Subobject*', 'Source*', 'Message', 'First Seen*', 'Count*', 'Name*']],
      ['/apis/networking.k8s.io/v1/networkpolicies', ['Name', 'Pod-Selector', 'Age']],
      ['/apis/coordination.k8s.io/v1/leases', ['Name', 'Holder', 'Age']],
    ])('columns of %s', async (path, columns) => {
      const { status, headers, body } = await api().get(`${path}?limit=1`, asTable);
      expect(status).toBe(200);
      expect(headers['content-type']).toContain('application/json');
      expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
      expect(body.columnDefinitions?.map(({ name, priority }) => `${name}${priority > 0 ? '*' : ''}`)).toEqual(columns);
    });

    test.each<{ name: string; spec?: Fields; status?: Fields; ready: string; shown: string; restarts?: string }>([
      { name: 'new', ready: '0/1', shown: 'Pending' },
      {
        name: 'running',
        status: {
          phase: 'Running',
          containerStatuses: [{ name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: runningSince } } }],
        },
        ready: '1/1',
        shown: 'Running',
      },
      {
        name: 'creating',
        status: {
          phase: 'Pending',
          containerStatuses: [{ name: 'main', ready: false, restartCount: 0, state: { waiting: { reason: 'ContainerCreating' } } }],
        },
        ready: '0/1',
        shown: 'ContainerCreating',
      },
      {
        name: 'completed',
        status: {
          phase: 'Succeeded',
          containerStatuses: [{ name: 'main', ready: false, restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
        },
        ready: '0/1',
        shown: 'Completed',
      },
      {
        name: 'failed',
        status: {
          phase: 'Failed',
          containerStatuses: [{ name: 'main', ready: false, restartCount: 0, state: { terminated: { exitCode: 3, reason: 'Error' } } }],
        },
        ready: '0/1',
        shown: 'Error',
      },
      {
        name: 'failed for no given reason',
        status: {
          phase: 'Failed',
          containerStatuses: [{ name: 'main', ready: false, restartCount: 0, state: { terminated: { exitCode: 3 } } }],
        },
        ready: '0/1',
        shown: 'ExitCode:3',
      },
      { name: 'evicted', status: { phase: 'Failed', reason: 'Evicted' }, ready: '0/1', shown: 'Evicted' },
      {
        name: 'restarted',
        status: { phase: 'Running', containerStatuses: [{ name: 'main', ready: true, restartCount: 4, state: { running: {} } }] },
        ready: '1/1',
        shown: 'Running',
        restarts: '4',
      },
      {
        name: 'failed in one of its containers',
        status: { phase: 'Failed', containerStatuses: [over('main', 0), over('other', 1)] },
        ready: '0/1',
        shown: 'Error',
      },
      {
        name: 'done in one container and running in another, not ready',
        status: { phase: 'Running', containerStatuses: [over('main', 0), running('other')] },
        ready: '1/1',
        shown: 'NotReady',
      },
      {
        name: 'failed in one container while another runs',
        status: { phase: 'Running', containerStatuses: [over('main', 0), over('other', 2), running('third')] },
        ready: '1/1',
        shown: 'Error',
      },
      {
        name: 'ready though one container is done',
        status: { phase: 'Running', conditions: [isTrue('Ready')], containerStatuses: [over('main', 0), running('other')] },
        ready: '1/1',
        shown: 'Running',
      },
      {
        name: 'initializing for the third time',
        spec: { initContainers: [init('first'), init('second')] },
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            { ...over('first', 0), restartCount: 1 },
            { ...running('second'), restartCount: 2, ready: false },
          ],
          containerStatuses: [waiting('main', 'PodInitializing')],
        },
        ready: '0/1',
        shown: 'Init:1/2',
        restarts: '3',
      },
      {
        name: 'initialized after restarts, which no longer count',
        spec: { initContainers: [init('first')] },
        status: {
          phase: 'Running',
          initContainerStatuses: [{ ...over('first', 0), restartCount: 4 }],
          containerStatuses: [{ ...running('main'), restartCount: 1 }],
        },
        ready: '1/1',
        shown: 'Running',
        restarts: '1',
      },
      {
        name: 'failing to initialize',
        spec: { initContainers: [init('first')] },
        status: { phase: 'Pending', initContainerStatuses: [over('first', 1)], containerStatuses: [waiting('main', 'PodInitializing')] },
        ready: '0/1',
        shown: 'Init:Error',
      },
      {
        name: 'helped by a sidecar',
        spec: { initContainers: [sidecar('proxy')] },
        status: {
          phase: 'Running',
          initContainerStatuses: [{ ...running('proxy'), started: true, restartCount: 3 }],
          containerStatuses: [{ ...running('main'), restartCount: 1 }],
        },
        ready: '2/2',
        shown: 'Running',
        restarts: '4',
      },
      {
        name: 'helped by a sidecar that has started and is not ready',
        spec: { initContainers: [sidecar('proxy')] },
        status: {
          phase: 'Running',
          initContainerStatuses: [{ ...running('proxy'), started: true, ready: false }],
          containerStatuses: [running('main')],
        },
        ready: '1/2',
        shown: 'Running',
      },
      {
        name: 'waiting for its sidecar to start',
        spec: { initContainers: [sidecar('proxy')] },
        status: {
          phase: 'Pending',
          initContainerStatuses: [{ ...running('proxy'), started: false, ready: false, restartCount: 2 }],
          containerStatuses: [waiting('main', 'PodInitializing')],
        },
        ready: '0/2',
        shown: 'Init:0/1',
        restarts: '2',
      },
      {
        name: 'initialized by its own word while its sidecar fails',
        spec: { initContainers: [sidecar('proxy')] },
        status: {
          phase: 'Running',
          conditions: [isTrue('Initialized')],
          initContainerStatuses: [{ ...waiting('proxy', 'CrashLoopBackOff'), started: false, restartCount: 5 }],
          containerStatuses: [running('main')],
        },
        ready: '1/2',
        shown: 'Init:CrashLoopBackOff',
        restarts: '5',
      },
      { name: 'gated', spec: { schedulingGates: [{ name: 'farloop.dev/wait' }] }, ready: '0/1', shown: 'SchedulingGated' },
    ])('a pod that is $name shows as $shown', async ({ spec, status, ready, shown, restarts = '0' }) => {
      const namespace = await withPod({ spec, status });
      const { body } = await api().get(core(namespace, 'pods'), asTable);
      const cells = body.rows?.[0]?.cells ?? [];
      expect(cells.slice(0, 4).map(String)).toEqual(['a', ready, shown, restarts]);
      expect(cells[4]).toMatch(/^\d+s$/);
      expect(cells.slice(5)).toEqual(['<none>', '<none>', '<none>', '<none>']);
    });

    test('a terminating pod shows so, with its address and node', async () => {
      const status = { phase: 'Running', podIPs: [{ ip: '10.0.0.9' }], podIP: '10.0.0.9' };
      const namespace = await withPod({ spec: { nodeName: 'n' }, status });
      await api().delete(core(namespace, 'pods', 'a'));
      const { body } = await api().get(core(namespace, 'pods', 'a'), asTable);
      expect(body.rows?.[0]?.cells).toEqual(['a', '0/1', 'Terminating', '0', expect.anything(), '10.0.0.9', 'n', '<none>', '<none>']);
    });

    test.each<{ name: string; spec?: Fields; status?: Fields; cells: string[] }>([
      { name: 'new', cells: ['Running', '0/1', ''] },
      { name: 'in the middle', spec: { completions: 5 }, status: { succeeded: 2 }, cells: ['Running', '2/5', ''] },
      { name: 'a work queue', spec: { parallelism: 3 }, cells: ['Running', '0/1 of 3', ''] },
      { name: 'a work queue of one', spec: { parallelism: 1 }, cells: ['Running', '0/1', ''] },
      { name: 'suspended', spec: { suspend: true }, status: { conditions: [isTrue('Suspended')] }, cells: ['Suspended', '0/1', ''] },
      {
        name: 'complete',
        status: {
          succeeded: 1,
          startTime: '2024-01-01T00:00:00Z',
          completionTime: '2024-01-01T00:01:15Z',
          conditions: [isTrue('SuccessCriteriaMet'), isTrue('Complete')],
        },
        cells: ['Complete', '1/1', '75s'],
      },
      {
        name: 'about to be complete',
        status: { succeeded: 1, conditions: [isTrue('SuccessCriteriaMet')] },
        cells: ['SuccessCriteriaMet', '1/1', ''],
      },
      { name: 'about to fail', status: { failed: 1, conditions: [isTrue('FailureTarget')] }, cells: ['FailureTarget', '0/1', ''] },
    ])('a Job that is $name shows $cells', async ({ spec = {}, status, cells }) => {
      const namespace = await freshNamespace(api());
      const made = await api().create(jobs(namespace), aJob('a', spec));
      if (status !== undefined) await api().replace(jobs(namespace, 'a/status'), withStatus(made, status));
      const { body } = await api().get(jobs(namespace), asTable);
      const row = body.rows?.[0]?.cells ?? [];
      expect(row.slice(1, 4)).toEqual(cells);
      expect(row.slice(5)).toEqual(['main', 'busybox', `batch.kubernetes.io/controller-uid=${made.metadata.uid}`]);
    });

    test('rows carry metadata, the whole object or nothing, as asked', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'configmaps'), aConfigMap('a', { one: '1', two: '2' }));
      const path = core(namespace, 'configmaps', 'a');
      const plain = await api().get(path, asTable);
      expect(plain.body.rows).toEqual([
        {
          cells: ['a', 2, expect.stringMatching(/^\d+s$/)],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: made.metadata },
        },
      ]);
      const whole = await api().get(`${path}?includeObject=Object`, asTable);
      expect(whole.body.rows?.[0]?.object).toEqual(made);
      const nothing = await api().get(`${path}?includeObject=None`, asTable);
      expect(nothing.body.rows?.[0]?.object).toBeNull();
    });

    test('a page of a table continues as lists do', async () => {
      const namespace = await freshNamespace(api());
      for (const name of ['a', 'b', 'c'])
        await api().create(core(namespace, 'secrets'), { apiVersion: 'v1', kind: 'Secret', metadata: { name } });
      const first = await api().get(`${core(namespace, 'secrets')}?limit=2`, asTable);
      expect(first.body.metadata).toMatchObject({ remainingItemCount: 1, resourceVersion: expect.any(String) });
      const second = await api().get(
        `${core(namespace, 'secrets')}?limit=2&continue=${encodeURIComponent(first.body.metadata.continue ?? '')}`,
        asTable,
      );
      expect([first, second].map(({ body }) => body.rows?.map(({ cells }) => cells[0]))).toEqual([['a', 'b'], ['c']]);
    });

    test('a watch sends tables too, the columns with the first', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a'));
      await api().patch(core(namespace, 'pods', 'a'), mergePatch, { metadata: { labels: { k: 'v' } } });
      const { body } = await api().get(`${core(namespace, 'pods')}?watch=true&timeoutSeconds=1&resourceVersion=0`, asTable);
      expect(body).toMatchObject({ type: 'ADDED', object: { kind: 'Table', rows: [{ cells: expect.arrayContaining(['a', 'Pending']) }] } });
    });
  });
}
