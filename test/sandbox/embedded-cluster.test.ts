// The API server without sockets, on a clock of the test's own: what takes time, and what the contract cannot reach from outside.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { builtInRows } from '../../lib/sandbox/built-in-rows.ts';
import { Resources } from '../../lib/sandbox/rows/resources.ts';
import { schemaNames, schemaOf } from '../../lib/sandbox/schema/notation.ts';
import { aConfigMap, embed } from './embedded.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const merge = 'application/merge-patch+json';

const anEvent = (name: string): object => ({
  metadata: { name },
  involvedObject: { namespace: 'default', name: 'x', kind: 'Pod' },
  reason: 'R',
});

const owned = (uid: string, kind = 'ConfigMap', name = 'owner'): object => ({
  ownerReferences: [{ apiVersion: 'v1', kind, name, uid, blockOwnerDeletion: true }],
});
const uidOf = (body: Record<string, unknown>): string => String(Object(body['metadata']).uid);

describe('schema tables', () => {
  test('every type reads, and every row has one', () => {
    for (const name of schemaNames()) expect(schemaOf(name).fields.size).toBeGreaterThan(0);
    expect(new Resources(builtInRows).rows.every(({ schema }) => schema.fields.has('metadata'))).toBe(true);
  });
});

describe('time', () => {
  test('a quiet watch gets a bookmark at each interval, and ends at its timeout', async () => {
    const { watch, pass, send } = embed({ bookmarkIntervalMs: 10_000 });
    const { events, isEnded } = await watch(`${configMaps}?watch=true&allowWatchBookmarks=true&timeoutSeconds=60&resourceVersion=0`);
    await pass(25_000);
    expect(events.map(({ type }) => type)).toEqual(['BOOKMARK', 'BOOKMARK']);
    const { body } = await send('POST', '/api/v1/namespaces/kube-system/configmaps', { metadata: { name: 'other' } });
    await pass(10_000);
    const { resourceVersion } = Object(body['metadata']);
    expect(events.at(-1)).toMatchObject({ type: 'BOOKMARK', object: { metadata: { resourceVersion } } });
    expect(isEnded()).toBe(false);
    await pass(30_000);
    expect(isEnded()).toBe(true);
  });

  test('an Event goes an hour after its last write', async () => {
    const { send, pass } = embed();
    const events = '/api/v1/namespaces/default/events';
    await send('POST', events, anEvent('old'));
    await send('POST', events, anEvent('renewed'));
    await pass(50 * 60_000);
    await send('PATCH', `${events}/renewed`, { count: 2 }, merge);
    await pass(15 * 60_000);
    const { body } = await send('GET', events);
    expect(body['items']).toMatchObject([{ metadata: { name: 'renewed' } }]);
    await pass(60 * 60_000);
    expect((await send('GET', events)).body['items']).toEqual([]);
  });

  test('a pod at work keeps its grace, which a second deletion may only shorten', async () => {
    const { send, pass } = embed();
    await send('POST', pods, { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } });
    const graceOf = async (query: string): Promise<unknown> =>
      Object((await send('DELETE', `${pods}/p${query}`)).body['metadata']).deletionGracePeriodSeconds;
    expect(await graceOf('')).toBe(30);
    await pass(2_000);
    expect(await graceOf('?gracePeriodSeconds=60')).toBe(30);
    expect(await graceOf('?gracePeriodSeconds=10')).toBe(10);
    expect((await send('GET', `${pods}/p`)).status).toBe(200);
    await graceOf('?gracePeriodSeconds=0');
    expect((await send('GET', `${pods}/p`)).status).toBe(404);
  });
});

describe('bad input', () => {
  test.each([
    ['no JSON', '{"metadata":', 400],
    ['another kind', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }, 400],
    ['another version', { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } }, 400],
    ['a list', '[]', 400],
    ['a number where a text belongs', { metadata: { name: 1 } }, 400],
    ['a broken time', { metadata: { name: 'a', creationTimestamp: 'soon' } }, 400],
  ])('%s is refused in words', async (_name, body, status) => {
    const answer = await embed().send('POST', configMaps, body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
  });

  test('a body nested deeper than any type is refused', async () => {
    const deep = `{"metadata":{"name":"a","managedFields":[{"fieldsV1":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}]}}`;
    const { status, body } = await embed().send('POST', configMaps, deep);
    expect(status).toBe(400);
    expect(body['message']).toMatch(/nested/);
  });

  test('__proto__ is a key like any other that a type does not know', async () => {
    const { send } = embed();
    const { status, body } = await send(
      'POST',
      configMaps,
      '{"metadata":{"name":"a"},"__proto__":{"polluted":1},"data":{"__proto__":"x","k":"v"}}',
    );
    expect(status).toBe(201);
    expect(body['data']).toEqual({ k: 'v' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('a full disk is said in one sentence, and what was answered stays', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farloop-sandbox-'));
    const { send, cluster } = embed({ folder, largestPages: 40 });
    expect((await send('POST', configMaps, aConfigMap('small'))).status).toBe(201);
    const { status, body } = await send('POST', configMaps, { metadata: { name: 'large' }, data: { k: 'x'.repeat(900_000) } });
    expect(status).toBe(500);
    expect(body['message']).toMatch(/the disk is full/);
    // Nor does an answer say where on this machine.
    expect(body['message']).not.toContain(folder);
    expect((await send('GET', `${configMaps}/large`)).status).toBe(404);
    expect((await send('GET', `${configMaps}/small`)).status).toBe(200);
    cluster.close();
    rmSync(folder, { recursive: true });
  });
});

describe('owners', () => {
  test('what names an owner that never was is collected', async () => {
    const { send, pass } = embed();
    await send('POST', configMaps, aConfigMap('late', owned('nobody')));
    await pass(0);
    expect((await send('GET', `${configMaps}/late`)).status).toBe(404);
  });

  test('a restart in the middle of a collection finishes it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'farloop-sandbox-'));
    const first = embed({ folder });
    const { body } = await first.send('POST', configMaps, aConfigMap('owner'));
    await first.send('POST', configMaps, aConfigMap('child', { ...owned(uidOf(body)), finalizers: ['farloop.dev/hold'] }));
    await first.send('DELETE', `${configMaps}/owner?propagationPolicy=Foreground`);
    await first.pass(0);
    expect((await first.send('GET', `${configMaps}/owner`)).status).toBe(200);
    first.cluster.close();
    const second = embed({ folder });
    await second.send('PATCH', `${configMaps}/child`, { metadata: { finalizers: null } }, merge);
    await second.pass(0);
    for (const name of ['child', 'owner']) expect((await second.send('GET', `${configMaps}/${name}`)).status).toBe(404);
    second.cluster.close();
    rmSync(folder, { recursive: true });
  });

  test('of two owners one is enough to stay, and the other is forgotten', async () => {
    const { send, pass } = embed();
    const a = await send('POST', configMaps, aConfigMap('a'));
    const b = await send('POST', configMaps, aConfigMap('b'));
    const references = [a, b].map(({ body }, index) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'ab'[index], uid: uidOf(body) }));
    await send('POST', configMaps, aConfigMap('child', { ownerReferences: references }));
    await send('DELETE', `${configMaps}/a`);
    await pass(0);
    const { body } = await send('GET', `${configMaps}/child`);
    expect(body['metadata']).toMatchObject({ ownerReferences: [{ name: 'b' }] });
  });
});

describe('who wrote what', () => {
  test('a field changes its owner with its writer, and the status is owned apart', async () => {
    const { send } = embed();
    const job = {
      metadata: { name: 'j' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    };
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    await send('POST', `${jobs}?fieldManager=maker`, job);
    await send('PATCH', `${jobs}/j?fieldManager=other`, { spec: { parallelism: 3 } }, merge);
    const { body } = await send('PATCH', `${jobs}/j/status?fieldManager=controller`, { status: { active: 1, ready: 0 } }, merge);
    const entries: { manager: string; subresource?: string; fieldsV1: Record<string, Record<string, object>> }[] = Object(
      body['metadata'],
    ).managedFields;
    expect(entries.map(({ manager, subresource }) => [manager, subresource])).toEqual([
      ['controller', 'status'],
      ['maker', undefined],
      ['other', undefined],
    ]);
    expect(entries[1]?.fieldsV1['f:spec']).not.toHaveProperty('f:parallelism');
    expect(entries[2]?.fieldsV1).toEqual({ 'f:spec': { 'f:parallelism': {} } });
    expect(entries[0]?.fieldsV1).toEqual({ 'f:status': { 'f:active': {}, 'f:ready': {} } });
  });
});
