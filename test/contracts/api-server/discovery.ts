// What an API server says of itself: version, health, discovery in its two forms, OpenAPI, and who may ask.
import { describe, expect, test } from '@jest/globals';
import type { Suite } from './objects.ts';

export function discoveryContract({ api }: Suite): void {
  describe('discovery', () => {
    test('the version is one that clients take for a current Kubernetes', async () => {
      const { status, body } = await api().get('/version');
      expect(status).toBe(200);
      expect(body).toMatchObject({ major: '1', minor: '36', gitVersion: expect.stringMatching(/^v1\.36\./) });
    });

    test.each(['/healthz', '/livez', '/readyz'])('%s answers ok', async (path) => {
      const { status, body } = await api().get(path);
      expect({ status, text: body['text'] }).toEqual({ status: 200, text: 'ok' });
    });

    test('the core group has version v1', async () => {
      const { status, body } = await api().get('/api');
      expect(status).toBe(200);
      expect(body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    });

    test('the groups are listed with their preferred versions', async () => {
      const { body } = await api().get('/apis');
      expect(body.kind).toBe('APIGroupList');
      for (const [name, version] of [
        ['batch', 'v1'],
        ['events.k8s.io', 'v1'],
        ['coordination.k8s.io', 'v1'],
      ])
        expect(body['groups']).toContainEqual(
          expect.objectContaining({ name, preferredVersion: { groupVersion: `${name}/${version}`, version } }),
        );
    });

    test('one group tells its versions', async () => {
      const { body } = await api().get('/apis/batch');
      expect(body).toMatchObject({ kind: 'APIGroup', name: 'batch', preferredVersion: { groupVersion: 'batch/v1', version: 'v1' } });
    });

    test.each([
      ['/api/v1', 'namespaces', { kind: 'Namespace', namespaced: false, singularName: 'namespace', shortNames: ['ns'] }],
      ['/api/v1', 'nodes', { kind: 'Node', namespaced: false, shortNames: ['no'] }],
      ['/api/v1', 'pods', { kind: 'Pod', namespaced: true, shortNames: ['po'], categories: ['all'] }],
      ['/api/v1', 'pods/status', { kind: 'Pod', namespaced: true }],
      ['/api/v1', 'pods/binding', { kind: 'Binding', namespaced: true }],
      ['/api/v1', 'pods/log', { kind: 'Pod', namespaced: true }],
      ['/api/v1', 'services', { kind: 'Service', namespaced: true, shortNames: ['svc'] }],
      ['/api/v1', 'configmaps', { kind: 'ConfigMap', namespaced: true, shortNames: ['cm'] }],
      ['/api/v1', 'secrets', { kind: 'Secret', namespaced: true }],
      ['/api/v1', 'serviceaccounts', { kind: 'ServiceAccount', namespaced: true, shortNames: ['sa'] }],
      ['/api/v1', 'events', { kind: 'Event', namespaced: true, shortNames: ['ev'] }],
      ['/apis/batch/v1', 'jobs', { kind: 'Job', namespaced: true, categories: ['all'] }],
      ['/apis/batch/v1', 'jobs/status', { kind: 'Job', namespaced: true }],
      ['/apis/events.k8s.io/v1', 'events', { kind: 'Event', namespaced: true }],
      ['/apis/coordination.k8s.io/v1', 'leases', { kind: 'Lease', namespaced: true }],
    ])('%s names %s', async (path, name, resource) => {
      const { body } = await api().get(path);
      expect(body.kind).toBe('APIResourceList');
      expect(body.resources).toContainEqual(expect.objectContaining({ name, ...resource }));
    });

    test('resources that clients write tell all verbs', async () => {
      const { body } = await api().get('/apis/batch/v1');
      const { resources = [] } = body;
      expect(resources.find(({ name }) => name === 'jobs')?.verbs).toEqual(
        expect.arrayContaining(['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']),
      );
      expect(resources.find(({ name }) => name === 'jobs/status')?.verbs).toEqual(expect.arrayContaining(['get', 'patch', 'update']));
    });

    test('aggregated discovery gives all of it in one answer', async () => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
      const { headers, body } = await api().get('/apis', { accept });
      expect(headers['content-type']).toContain('as=APIGroupDiscoveryList');
      expect(body.kind).toBe('APIGroupDiscoveryList');
      const batch = body.items?.find(({ metadata }) => metadata.name === 'batch');
      const [v1] = batch?.versions ?? [];
      expect(v1?.version).toBe('v1');
      expect(v1?.resources).toContainEqual(
        expect.objectContaining({
          resource: 'jobs',
          scope: 'Namespaced',
          responseKind: expect.objectContaining({ kind: 'Job' }),
          subresources: expect.arrayContaining([expect.objectContaining({ subresource: 'status' })]),
        }),
      );
    });

    test('OpenAPI v3 is found through its index, and describes a Job', async () => {
      const index = await api().get('/openapi/v3');
      const address = index.body.paths?.['apis/batch/v1']?.serverRelativeURL ?? 'missing';
      const { status, body } = await api().get(address);
      expect(status).toBe(200);
      expect(Object.values(body.components?.schemas ?? {})).toContainEqual(
        expect.objectContaining({ 'x-kubernetes-group-version-kind': [{ group: 'batch', kind: 'Job', version: 'v1' }] }),
      );
    });

    test('who shows a wrong token is told 401, who shows none is nobody', async () => {
      const wrong = await api().get('/api/v1/namespaces', { token: 'wrong' });
      expect(wrong.status).toBe(401);
      expect(wrong.body).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
      const none = await api().get('/api/v1/namespaces', { token: '' });
      expect([401, 403]).toContain(none.status);
    });

    test.each(['/apis/batch/v1/namespaces/default/nonsense', '/apis/nonsense.example/v1', '/nonsense'])(
      '%s is not there: 404',
      async (path) => {
        const { status } = await api().get(path);
        expect(status).toBe(404);
      },
    );

    test('a verb that a resource does not have is refused with 405', async () => {
      const { status, body } = await api().send('PUT', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'x' },
      });
      expect(status).toBe(405);
      expect(body).toMatchObject({ kind: 'Status', reason: 'MethodNotAllowed' });
    });
  });
}
