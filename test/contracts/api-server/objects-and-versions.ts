// One object's life without its deletion: create, read, replace, names, versions, dry runs, bad bodies.
import { describe, expect, test } from '@jest/globals';
import { aConfigMap, aPod, causeFields, core, freshName, freshNamespace, jobs, aJob } from './objects.ts';
import type { Suite } from './objects.ts';

export function objectsContract({ api }: Suite): void {
  describe('objects and their versions', () => {
    test('a created object comes back with what the server gives it', async () => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(core(namespace, 'configmaps'), aConfigMap('a', { k: 'v' }));
      expect(status).toBe(201);
      expect(body).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'a',
          namespace,
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
          creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        },
        data: { k: 'v' },
      });
      const read = await api().get(core(namespace, 'configmaps', 'a'));
      expect(read.body).toEqual(body);
    });

    test('who wrote what is kept in managedFields', async () => {
      const namespace = await freshNamespace(api());
      const { body } = await api().post(`${core(namespace, 'configmaps')}?fieldManager=tester`, aConfigMap('a', { k: 'v' }));
      expect(body.metadata.managedFields).toMatchObject([
        { manager: 'tester', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } },
      ]);
    });

    test('every write raises the resourceVersion of its resource', async () => {
      const namespace = await freshNamespace(api());
      const first = await api().create(core(namespace, 'configmaps'), aConfigMap('a'));
      const second = await api().create(core(namespace, 'configmaps'), aConfigMap('b'));
      const third = await api().put(core(namespace, 'configmaps', 'a'), { ...first, data: { k: 'new' } });
      expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
      expect(Number(third.body.metadata.resourceVersion)).toBeGreaterThan(Number(second.metadata.resourceVersion));
    });

    test('a write that changes nothing leaves the resourceVersion', async () => {
      const namespace = await freshNamespace(api());
      const first = await api().create(core(namespace, 'configmaps'), aConfigMap('a', { k: 'v' }));
      const again = await api().put(core(namespace, 'configmaps', 'a'), first);
      expect(again.status).toBe(200);
      expect(again.body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    });

    test('generateName gets five characters more', async () => {
      const namespace = await freshNamespace(api());
      const body = await api().create(core(namespace, 'configmaps'), {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { generateName: 'pre-' },
      });
      expect(body.metadata.generateName).toBe('pre-');
      expect(body.metadata.name).toMatch(/^pre-[a-z0-9]{5}$/);
    });

    test('name wins over generateName, both are kept', async () => {
      const namespace = await freshNamespace(api());
      const body = await api().create(core(namespace, 'pods'), aPod('pre-12345', { metadata: { generateName: 'pre-' } }));
      expect(body.metadata).toMatchObject({ name: 'pre-12345', generateName: 'pre-' });
    });

    test('neither name nor generateName is refused', async () => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(core(namespace, 'configmaps'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
      expect(status).toBe(422);
      expect(causeFields(body)).toContain('metadata.name');
    });

    test('a taken name is AlreadyExists', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), aConfigMap('a'));
      const { status, body } = await api().post(core(namespace, 'configmaps'), aConfigMap('a'));
      expect(status).toBe(409);
      expect(body).toMatchObject({
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'AlreadyExists',
        message: 'configmaps "a" already exists',
        details: { name: 'a', kind: 'configmaps' },
        code: 409,
      });
    });

    test('what is not there is NotFound, with the kind in its plural', async () => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().get(jobs(namespace, 'nobody'));
      expect(status).toBe(404);
      expect(body).toMatchObject({
        kind: 'Status',
        reason: 'NotFound',
        message: 'jobs.batch "nobody" not found',
        details: { name: 'nobody', group: 'batch', kind: 'jobs' },
      });
      const update = await api().put(jobs(namespace, 'nobody'), aJob('nobody'));
      expect(update.status).toBe(404);
      const removal = await api().delete(jobs(namespace, 'nobody'));
      expect(removal.status).toBe(404);
    });

    test('nothing can be made in a namespace that is not there', async () => {
      const { status, body } = await api().post(core(freshName('absent'), 'configmaps'), aConfigMap('a'));
      expect(status).toBe(404);
      expect(body).toMatchObject({ reason: 'NotFound', details: { kind: 'namespaces' } });
    });

    test('replacing by an old resourceVersion is a conflict, without one it wins', async () => {
      const namespace = await freshNamespace(api());
      const first = await api().create(core(namespace, 'configmaps'), aConfigMap('a', { k: '1' }));
      await api().put(core(namespace, 'configmaps', 'a'), { ...first, data: { k: '2' } });
      const stale = await api().put(core(namespace, 'configmaps', 'a'), { ...first, data: { k: '3' } });
      expect(stale.status).toBe(409);
      expect(stale.body).toMatchObject({ reason: 'Conflict', details: { name: 'a', kind: 'configmaps' } });
      const blind = await api().put(core(namespace, 'configmaps', 'a'), aConfigMap('a', { k: '4' }));
      expect(blind.status).toBe(200);
      expect(blind.body['data']).toEqual({ k: '4' });
    });

    test('replacing an object of another uid is a conflict', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), aConfigMap('a'));
      const other = aConfigMap('a', {}, { uid: '00000000-0000-0000-0000-000000000000' });
      const { status, body } = await api().put(core(namespace, 'configmaps', 'a'), other);
      expect(status).toBe(409);
      expect(body.reason).toBe('Conflict');
    });

    test.each([
      { what: 'a name that differs from the path', body: aConfigMap('other') },
      { what: 'a namespace that differs from the path', body: aConfigMap('a', {}, { namespace: 'default' }) },
      { what: 'another kind', body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } } },
    ])('$what is a bad request', async ({ body }) => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'configmaps'), aConfigMap('a'));
      const answer = await api().put(core(namespace, 'configmaps', 'a'), body);
      expect(answer.status).toBe(400);
      expect(answer.body.reason).toBe('BadRequest');
    });

    test('a body in no known language is refused with 415', async () => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(core(namespace, 'configmaps'), aConfigMap('a'), { contentType: 'text/plain' });
      expect(status).toBe(415);
      expect(body.reason).toBe('UnsupportedMediaType');
    });

    test('an answer in no known language is refused with 406', async () => {
      const namespace = await freshNamespace(api());
      const { status } = await api().get(core(namespace, 'configmaps'), { accept: 'text/html' });
      expect(status).toBe(406);
    });

    test.each(['Upper', 'under_score', '-start', 'x'.repeat(254)])('the name %s is invalid', async (name) => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(core(namespace, 'configmaps'), aConfigMap(name));
      expect(status).toBe(422);
      expect(body).toMatchObject({
        reason: 'Invalid',
        details: { kind: 'ConfigMap', causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }] },
      });
    });

    test('invalid labels are named', async () => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(core(namespace, 'configmaps'), aConfigMap('a', {}, { labels: { k: 'not a label' } }));
      expect(status).toBe(422);
      expect(causeFields(body)).toEqual(['metadata.labels']);
    });

    test('a dry run answers as if, and changes nothing', async () => {
      const namespace = await freshNamespace(api());
      const dry = await api().post(`${core(namespace, 'configmaps')}?dryRun=All`, aConfigMap('a'));
      expect(dry.status).toBe(201);
      expect(dry.body.metadata.uid).toBeDefined();
      const absent = await api().get(core(namespace, 'configmaps', 'a'));
      expect(absent.status).toBe(404);

      const made = await api().create(core(namespace, 'configmaps'), aConfigMap('a', { k: 'v' }));
      const replaced = await api().put(`${core(namespace, 'configmaps', 'a')}?dryRun=All`, { ...made, data: { k: 'new' } });
      expect(replaced.body['data']).toEqual({ k: 'new' });
      const removed = await api().delete(`${core(namespace, 'configmaps', 'a')}?dryRun=All`);
      expect(removed.status).toBe(200);
      const read = await api().get(core(namespace, 'configmaps', 'a'));
      expect(read.body).toEqual(made);
    });

    test('a dry run of anything but All is refused', async () => {
      const namespace = await freshNamespace(api());
      const { status } = await api().post(`${core(namespace, 'configmaps')}?dryRun=Some`, aConfigMap('a'));
      expect(status).toBe(422);
    });

    test('fieldValidation=Strict refuses an unknown field, Ignore drops it', async () => {
      const namespace = await freshNamespace(api());
      const body = aJob('a', { nonsense: 1 });
      const strict = await api().post(`${jobs(namespace)}?fieldValidation=Strict`, body);
      expect(strict.status).toBe(400);
      expect(strict.body.message).toContain('unknown field "spec.nonsense"');
      const lenient = await api().post(`${jobs(namespace)}?fieldValidation=Ignore`, body);
      expect(lenient.status).toBe(201);
      expect(lenient.body.spec).not.toHaveProperty('nonsense');
    });

    test('a value of the wrong type is a bad request', async () => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(jobs(namespace), aJob('a', { parallelism: 'two' }));
      expect(status).toBe(400);
      expect(body.reason).toBe('BadRequest');
    });
  });
}
