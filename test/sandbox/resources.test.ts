// Resources that come and go while the server runs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { builtInRows } from '../../lib/sandbox/built-in-rows.ts';
import { Resources } from '../../lib/sandbox/rows/resources.ts';
import { embed, type Embedded } from './embedded.ts';
import { ensembles } from './ensemble-row.ts';

const group = '/apis/example.com/v1';
const all = `${group}/namespaces/default/ensembles`;
const pods = '/api/v1/namespaces/default/pods';
const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';

const anEnsemble = (name: string, spec: object = { sections: { strings: { players: 4 } }, hall: null }): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Ensemble',
  metadata: { name },
  spec,
});

/** A running server that serves ensembles from now on. */
function withEnsembles(more: Parameters<typeof ensembles>[0] = {}): Embedded & { row: ReturnType<typeof ensembles> } {
  const embedded = embed();
  const row = ensembles(more);
  embedded.cluster.resources.add(row);
  return { ...embedded, row };
}

const metadataOf = (body: Record<string, unknown>): { uid: string; generation: number; resourceVersion: string; managedFields: Entry[] } =>
  Object(body['metadata']);

interface Entry {
  manager: string;
  operation: string;
  subresource?: string;
  fieldsV1: object;
}

describe('discovery', () => {
  test('a row that is added to a running server is found in every form, and in none once it is removed', async () => {
    const { cluster, send } = embed();
    const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const look = async () => {
      const query = new URLSearchParams();
      const ask = { method: 'GET', path: '/apis', query, headers: { accept: aggregatedType }, body: '' };
      const answer = await cluster.handle(ask);
      const index = Object((await send('GET', '/openapi/v3')).body['paths']);
      return {
        groups: JSON.stringify((await send('GET', '/apis')).body).includes('"example.com"'),
        resources: (await send('GET', group)).status,
        aggregated: 'body' in answer && answer.body.includes('"resource":"ensembles"'),
        v3: 'apis/example.com/v1' in index && (await send('GET', `/openapi/v3${group}`)).status,
        list: (await send('GET', all)).status,
      };
    };
    const without = { groups: false, resources: 404, aggregated: false, v3: false, list: 404 };
    expect(await look()).toEqual(without);
    const row = ensembles();
    cluster.resources.add(row);
    expect(await look()).toEqual({ groups: true, resources: 200, aggregated: true, v3: 200, list: 200 });
    cluster.resources.remove(row);
    expect(await look()).toEqual(without);
  });

  test('its description says what clients may send, and changes its hash with its contents', async () => {
    const { send, cluster, row } = withEnsembles();
    expect((await send('GET', group)).body['resources']).toMatchObject([
      { name: 'ensembles', singularName: 'ensemble', kind: 'Ensemble', namespaced: true, shortNames: ['ens'] },
      { name: 'ensembles/status', kind: 'Ensemble', verbs: ['get', 'patch', 'update'] },
    ]);
    const { body } = await send('GET', `/openapi/v3${group}`);
    const schema = Object(body['components']).schemas['com.example.v1.Ensemble'];
    expect(schema.properties.spec).toEqual({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
    expect(schema['x-kubernetes-group-version-kind']).toEqual([{ group: 'example.com', kind: 'Ensemble', version: 'v1' }]);
    const urlOf = async (): Promise<string> =>
      Object((await send('GET', '/openapi/v3')).body['paths'])['apis/example.com/v1'].serverRelativeURL;
    const before = await urlOf();
    cluster.resources.remove(row);
    cluster.resources.add(ensembles({ fields: { score: { type: 'string' } } }));
    expect(await urlOf()).not.toBe(before);
  });

  test('one without a namespace and without a status says so', async () => {
    const { send } = withEnsembles({ namespaced: false, hasStatus: false });
    expect((await send('GET', group)).body['resources']).toMatchObject([{ name: 'ensembles', namespaced: false }]);
    const { status, body } = await send('POST', `${group}/ensembles`, { ...anEnsemble('a'), status: { ready: 1 } });
    expect({ status, kept: body['status'] }).toEqual({ status: 201, kept: { ready: 1 } });
    expect((await send('GET', `${group}/ensembles/a/status`)).status).toBe(404);
    // Without a path of its own the status counts as specification.
    const patched = await send('PATCH', `${group}/ensembles/a`, { status: { ready: 2 } }, merge);
    expect(metadataOf(patched.body).generation).toBe(2);
  });
});

describe('objects', () => {
  test('create, get, list, watch and patch keep a spec that nobody has described', async () => {
    const { send, watch, pass } = withEnsembles();
    const { events } = await watch(`${all}?watch=true`);
    const made = await send('POST', all, { ...anEnsemble('a'), status: { ready: 9 }, unknown: 1 });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ spec: { sections: { strings: { players: 4 } }, hall: null }, metadata: { generation: 1 } });
    expect(made.body).not.toHaveProperty('status');
    expect(made.body).not.toHaveProperty('unknown');
    expect((await send('GET', `${all}/a`)).body).toEqual(made.body);
    expect((await send('GET', all)).body).toMatchObject({ kind: 'EnsembleList', items: [{ metadata: { name: 'a' } }] });
    const patched = await send('PATCH', `${all}/a`, { spec: { sections: { brass: { players: 2 }, strings: null } } }, merge);
    expect(patched.body).toMatchObject({ spec: { sections: { brass: { players: 2 } } }, metadata: { generation: 2 } });
    expect(Object(patched.body['spec']).sections).not.toHaveProperty('strings');
    await send('DELETE', `${all}/a`);
    await pass(0);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  test('a strategic merge patch and a spec that is no object are refused', async () => {
    const { send } = withEnsembles();
    await send('POST', all, anEnsemble('a'));
    const { status, body } = await send('PATCH', `${all}/a`, { spec: {} }, 'application/strategic-merge-patch+json');
    expect({ status, reason: body['reason'] }).toEqual({ status: 415, reason: 'UnsupportedMediaType' });
    expect(body['message']).toContain('application/merge-patch+json');
    expect((await send('POST', all, { ...anEnsemble('b'), spec: 'loud' })).status).toBe(422);
  });

  test('the spec and the status are written apart, each leaving the other', async () => {
    const { send } = withEnsembles();
    await send('POST', `${all}?fieldManager=person`, anEnsemble('a'));
    const told = await send(
      'PATCH',
      `${all}/a/status?fieldManager=controller`,
      { metadata: { labels: { a: 'b' } }, spec: { tempo: 'presto' }, status: { ready: 2 } },
      merge,
    );
    expect(told.body).toMatchObject({ status: { ready: 2 }, metadata: { generation: 1 } });
    expect(told.body['spec']).not.toHaveProperty('tempo');
    expect(told.body['metadata']).not.toHaveProperty('labels');
    const asked = await send('PATCH', `${all}/a?fieldManager=person`, { spec: { tempo: 'largo' }, status: { ready: 7 } }, merge);
    expect(asked.body).toMatchObject({ spec: { tempo: 'largo' }, status: { ready: 2 }, metadata: { generation: 2 } });
    const owners = metadataOf(asked.body).managedFields.map(({ manager, subresource }) => `${manager} ${subresource ?? ''}`.trim());
    expect(owners.toSorted()).toEqual(['controller status', 'person']);
  });

  test('server-side apply owns the entries of undescribed maps one by one, and lists as a whole', async () => {
    const { send } = withEnsembles();
    const applied = async (manager: string, spec: object) =>
      await send('PATCH', `${all}/a?fieldManager=${manager}`, anEnsemble('a', spec), apply);
    expect((await applied('one', { sections: { strings: { players: 4 } }, parts: [1, 2] })).status).toBe(201);
    const { body } = await applied('two', { sections: { brass: { players: 2 } } });
    expect(body['spec']).toEqual({ sections: { strings: { players: 4 }, brass: { players: 2 } }, parts: [1, 2] });
    expect(metadataOf(body).managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ['one', { 'f:spec': { 'f:parts': {}, 'f:sections': { '.': {}, 'f:strings': { '.': {}, 'f:players': {} } } } }],
      ['two', { 'f:spec': { 'f:sections': { '.': {}, 'f:brass': { '.': {}, 'f:players': {} } } } }],
    ]);
    const conflict = await applied('two', { parts: [3] });
    expect({ status: conflict.status, reason: conflict.body['reason'] }).toEqual({ status: 409, reason: 'Conflict' });
    expect(conflict.body['message']).toContain('.spec.parts');
    // What one no longer says goes, what two says stays.
    const less = await applied('one', { parts: [1] });
    expect(less.body['spec']).toEqual({ sections: { brass: { players: 2 } }, parts: [1] });
    // A map that becomes a text takes what was in it along.
    const other = await send('PATCH', `${all}/a?fieldManager=three`, { spec: { sections: 'none' } }, merge);
    expect(metadataOf(other.body).managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ['one', { 'f:spec': { 'f:parts': {} } }],
      ['three', { 'f:spec': { 'f:sections': {} } }],
    ]);
  });
});

describe('owners', () => {
  const podOf = (uid: string): object => ({
    metadata: { name: 'p', ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Ensemble', name: 'a', uid, controller: true }] },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });

  test('a pod goes with the object that owns it, and stays as long as that is there', async () => {
    const { send, pass } = withEnsembles();
    const { uid } = metadataOf((await send('POST', all, anEnsemble('a'))).body);
    await send('POST', pods, podOf(uid));
    await pass(0);
    expect((await send('GET', `${pods}/p`)).status).toBe(200);
    await send('DELETE', `${all}/a`);
    await pass(0);
    expect((await send('GET', `${pods}/p`)).status).toBe(404);
  });

  test('a pod whose owner is of a kind that is not served stays until the kind is served and the owner is missing', async () => {
    const { send, pass, cluster } = embed();
    await send('POST', pods, podOf('nobody'));
    await pass(0);
    expect((await send('GET', `${pods}/p`)).status).toBe(200);
    cluster.resources.add(ensembles());
    await pass(0);
    expect((await send('GET', `${pods}/p`)).status).toBe(404);
  });
});

describe('removing', () => {
  test('its watches end, and its objects wait for a row that shows them', async () => {
    const { send, pass, watch, cluster, row } = withEnsembles();
    await send('POST', all, anEnsemble('a'));
    const own = await watch(`${all}?watch=true`);
    const others = await watch(`${pods}?watch=true`);
    cluster.resources.remove(row);
    expect(own.isEnded()).toBe(true);
    await pass(0);
    expect(others.isEnded()).toBe(false);
    expect((await send('GET', all)).status).toBe(404);
    cluster.resources.add(ensembles());
    expect((await send('GET', all)).body['items']).toMatchObject([{ metadata: { name: 'a' } }]);
  });

  test('a namespace that ends takes objects of added rows along', async () => {
    const { send, pass } = withEnsembles();
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'hall' } });
    await send('POST', `${group}/namespaces/hall/ensembles`, anEnsemble('a'));
    await send('DELETE', '/api/v1/namespaces/hall');
    await pass(0);
    expect((await send('GET', '/api/v1/namespaces/hall')).status).toBe(404);
    expect((await send('GET', `${group}/ensembles`)).body['items']).toEqual([]);
  });

  test('what was stored is there again after a restart with the same rows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farloop-sandbox-'));
    const first = embed({ folder, rows: [ensembles()] });
    const { body } = await first.send('POST', all, anEnsemble('a'));
    first.cluster.close();
    const second = embed({ folder });
    expect((await second.send('GET', `${all}/a`)).status).toBe(404);
    second.cluster.resources.add(ensembles());
    expect((await second.send('GET', `${all}/a`)).body).toEqual(body);
    second.cluster.close();
    rmSync(folder, { recursive: true });
  });

  test('a path or a kind that is served already is refused', () => {
    const resources = new Resources(builtInRows, [ensembles()]);
    expect(() => resources.add(ensembles())).toThrow(
      'ensembles (Ensemble) in example.com/v1: ensembles (Ensemble) is served there already',
    );
    expect(() => resources.add(ensembles({ plural: 'bands' }))).toThrow(/is served there already/);
    expect(new Resources(builtInRows).rows).toBe(new Resources(builtInRows).rows);
  });
});
