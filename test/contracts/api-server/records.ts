// Events through both their groups, leases, nodes, services and the other small kinds.
import { describe, expect, test } from '@jest/globals';
import { mergePatch } from './client.ts';
import { causeFields, core, freshName, freshNamespace } from './objects.ts';
import type { Fields, Suite } from './objects.ts';

const eventsOf = (namespace: string, name?: string): string =>
  `/apis/events.k8s.io/v1/namespaces/${namespace}/events${name === undefined ? '' : `/${name}`}`;
const leases = (namespace: string, name?: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name === undefined ? '' : `/${name}`}`;

export function recordsContract({ api }: Suite): void {
  test('a claim of storage is kept, refused where it says too little, and changed in its amount alone', async () => {
    const namespace = await freshNamespace(api());
    const claims = core(namespace, 'persistentvolumeclaims');
    const aClaim = (spec: Fields): Fields => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'disk' }, spec });
    const refused = await api().post(claims, aClaim({ accessModes: ['Sometimes'] }));
    expect({ status: refused.status, fields: causeFields(refused.body) }).toEqual({
      status: 422,
      fields: ['spec.accessModes', 'spec.resources[storage]'],
    });
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } };
    const created = await api().post(claims, aClaim(spec));
    expect(created).toMatchObject({
      status: 201,
      body: { spec: { volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } }, status: { phase: 'Pending' } },
    });
    const path = core(namespace, 'persistentvolumeclaims', 'disk');
    const moved = await api().patch(path, mergePatch, { spec: { accessModes: ['ReadWriteMany'] } });
    expect({ status: moved.status, fields: causeFields(moved.body) }).toEqual({ status: 422, fields: ['spec'] });
    // A claim that names no class may get one later, once.
    const classed = await api().patch(path, mergePatch, { spec: { storageClassName: 'fast' } });
    expect(classed).toMatchObject({ status: 200, body: { spec: { storageClassName: 'fast' } } });
    expect((await api().patch(path, mergePatch, { spec: { storageClassName: 'slow' } })).status).toBe(422);
    expect((await api().delete(path)).status).toBe(200);
  });

  describe('events', () => {
    test('written through the core group, read through both', async () => {
      const namespace = await freshNamespace(api());
      const times = { firstTimestamp: '2024-01-01T00:00:00Z', lastTimestamp: '2024-01-01T00:00:05Z' };
      const { status, body } = await api().post(core(namespace, 'events'), {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e' },
        involvedObject: { apiVersion: 'batch/v1', kind: 'Job', name: 'j', namespace, uid: 'u' },
        reason: 'SuccessfulCreate',
        message: 'Created pod: j-x',
        type: 'Normal',
        count: 2,
        source: { component: 'job-controller' },
        ...times,
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({ reason: 'SuccessfulCreate', count: 2, source: { component: 'job-controller' }, ...times });
      const other = await api().get(eventsOf(namespace, 'e'));
      expect(other.body).toMatchObject({
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { uid: body.metadata.uid, resourceVersion: body.metadata.resourceVersion },
        regarding: { kind: 'Job', name: 'j', namespace, uid: 'u' },
        reason: 'SuccessfulCreate',
        note: 'Created pod: j-x',
        type: 'Normal',
        deprecatedSource: { component: 'job-controller' },
        deprecatedCount: 2,
        deprecatedFirstTimestamp: times.firstTimestamp,
        deprecatedLastTimestamp: times.lastTimestamp,
      });
      const list = await api().get(eventsOf(namespace));
      expect(list.body).toMatchObject({ kind: 'EventList', apiVersion: 'events.k8s.io/v1', items: [{ note: 'Created pod: j-x' }] });
    });

    test('written through events.k8s.io, read through both', async () => {
      const namespace = await freshNamespace(api());
      const eventTime = '2024-01-01T00:00:00.123456Z';
      const { status } = await api().post(eventsOf(namespace), {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'e' },
        regarding: { kind: 'Job', name: 'j', namespace },
        reason: 'Completed',
        note: 'Job completed',
        type: 'Normal',
        action: 'Finish',
        reportingController: 'farloop.dev/job',
        reportingInstance: 'i',
        eventTime,
      });
      expect(status).toBe(201);
      const { body } = await api().get(core(namespace, 'events', 'e'));
      expect(body).toMatchObject({
        apiVersion: 'v1',
        involvedObject: { kind: 'Job', name: 'j', namespace },
        reason: 'Completed',
        message: 'Job completed',
        reportingComponent: 'farloop.dev/job',
        reportingInstance: 'i',
        eventTime,
      });
    });

    test('a repeated event counts up through a patch', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'events'), {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e' },
        involvedObject: { kind: 'Job', name: 'j', namespace },
        reason: 'R',
        count: 1,
      });
      const { status, body } = await api().patch(core(namespace, 'events', 'e'), mergePatch, { count: 2 });
      expect(status).toBe(200);
      expect(body['count']).toBe(2);
    });

    test('an event lies in the namespace of what it is about', async () => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(core(namespace, 'events'), {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e' },
        involvedObject: { kind: 'Job', name: 'j', namespace: 'other' },
      });
      expect(status).toBe(422);
      expect(causeFields(body)).toEqual(['involvedObject.namespace']);
    });

    test('events are found by what they are about', async () => {
      const namespace = await freshNamespace(api());
      for (const name of ['one', 'two'])
        await api().create(core(namespace, 'events'), {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: `e-${name}` },
          involvedObject: { kind: 'Job', name, namespace },
          reason: 'R',
        });
      const { body } = await api().get(
        `${core(namespace, 'events')}?fieldSelector=${encodeURIComponent('involvedObject.name=two,involvedObject.kind=Job,reason=R')}`,
      );
      expect(body.items?.map(({ metadata }) => metadata.name)).toEqual(['e-two']);
    });
  });

  describe('leases', () => {
    test('are taken, renewed and guarded by their resourceVersion', async () => {
      const namespace = await freshNamespace(api());
      const spec = { holderIdentity: 'one', leaseDurationSeconds: 15, acquireTime: '2024-01-01T00:00:00.123456Z', leaseTransitions: 0 };
      const made = await api().create(leases(namespace), {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l' },
        spec,
      });
      expect(made.spec).toEqual(spec);
      const renewed = await api().put(leases(namespace, 'l'), { ...made, spec: { ...spec, renewTime: '2024-01-01T00:00:10.000000Z' } });
      expect(renewed.body.spec).toMatchObject({ renewTime: '2024-01-01T00:00:10.000000Z' });
      const stale = await api().put(leases(namespace, 'l'), { ...made, spec: { ...spec, holderIdentity: 'two' } });
      expect(stale.status).toBe(409);
    });

    test.each<{ spec: Fields; fields: string[] }>([
      { spec: { leaseDurationSeconds: 0 }, fields: ['spec.leaseDurationSeconds'] },
      { spec: { leaseTransitions: -1 }, fields: ['spec.leaseTransitions'] },
    ])('refused: $spec', async ({ spec, fields }) => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(leases(namespace), {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l' },
        spec,
      });
      expect(status).toBe(422);
      expect(causeFields(body)).toEqual(fields);
    });
  });

  describe('other kinds', () => {
    test('a node is registered, and its status written apart', async () => {
      const name = freshName('node');
      const { status, body } = await api().post('/api/v1/nodes', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      });
      expect(status).toBe(201);
      const written = await api().patch(`/api/v1/nodes/${name}/status`, 'application/strategic-merge-patch+json', {
        status: { capacity: { cpu: '4', pods: '110' }, conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] },
      });
      expect(written.body).toMatchObject({
        metadata: { uid: body.metadata.uid },
        status: { capacity: { cpu: '4', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
      });
      const cordoned = await api().patch(`/api/v1/nodes/${name}`, mergePatch, { spec: { unschedulable: true } });
      expect(cordoned.body).toMatchObject({ spec: { unschedulable: true }, status: { capacity: { cpu: '4' } } });
      await api().delete(`/api/v1/nodes/${name}`);
    });

    test('a service gets an address, unless it wants none', async () => {
      const namespace = await freshNamespace(api());
      const service = await api().create(core(namespace, 'services'), {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 's' },
        spec: { selector: { a: 'b' }, ports: [{ port: 80 }] },
      });
      expect(service.spec).toMatchObject({
        type: 'ClusterIP',
        sessionAffinity: 'None',
        clusterIP: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      });
      const headless = await api().create(core(namespace, 'services'), {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'h' },
        spec: { clusterIP: 'None', selector: { a: 'b' } },
      });
      expect(headless.spec).toMatchObject({ clusterIP: 'None' });
      await api().delete(core(namespace, 'services', 's'));
    });

    test('a secret keeps base64, and turns its stringData into that', async () => {
      const namespace = await freshNamespace(api());
      const body = await api().create(core(namespace, 'secrets'), {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
        stringData: { a: 'b' },
      });
      expect(body).toMatchObject({ type: 'Opaque', data: { a: 'Yg==' } });
      expect(body).not.toHaveProperty('stringData');
    });

    test('an immutable config map stays as it is', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { k: 'v' },
        immutable: true,
      });
      const { status, body } = await api().patch(core(namespace, 'configmaps', 'a'), mergePatch, { data: { k: 'w' } });
      expect(status).toBe(422);
      expect(causeFields(body)).toEqual(['data']);
    });

    test('a service account is an object like any other', async () => {
      const namespace = await freshNamespace(api());
      const body = await api().create(core(namespace, 'serviceaccounts'), {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'mine' },
      });
      expect(body.kind).toBe('ServiceAccount');
    });
  });
}
