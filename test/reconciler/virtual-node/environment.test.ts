// Environments of pods on virtual nodes, from the API server's objects to the provider, and what must keep nothing of them.
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { NODE_OPTIONS } from '../../../lib/kinds/virtual-pod/node-options.ts';
import type { ResolvedPod } from '../../../lib/objects/environment/sources.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { CONFIG_MAPS, EVENTS, SECRETS, SERVICE_ACCOUNTS, SERVICES } from '../../../lib/objects/resources.ts';
import type { WorkloadKey } from '../../../lib/objects/workload.ts';
import { snapshotKindOf } from '../../../lib/reconciler/report/recorded-plan.ts';
import { unpackSnapshot } from '../../../lib/wire/snapshot.ts';
import { NodesWorld, type NodesOptions } from '../../world/virtual-node.ts';

const FOR_EVER = { 'run-seconds': '1000000' };
const NODE = { [NODE_OPTIONS.node]: 'edge=simulated', [NODE_OPTIONS.cpu]: 'edge=6' };
const SECRET_TEXT = 'correct-horse-battery';

let world: NodesWorld;
/** Pods as the provider got them, by their names. */
let got: Map<string, ResolvedPod>;
afterEach(() => world.close());

async function open(options: Partial<NodesOptions> = {}): Promise<void> {
  got = new Map();
  world = await NodesWorld.open({
    options: NODE,
    between: (provider) => ({
      ...provider,
      start: async (task, pod, deadline) => {
        got.set(pod.metadata.name ?? '', pod);
        await provider.start(task, pod, deadline);
      },
    }),
    ...options,
  });
}

const put = async (resource: typeof SECRETS, name: string, fields: object): Promise<void> =>
  void (await world.as('POST', resource, { namespace: 'default', body: { metadata: { name }, ...fields } }));
const bound = async (name: string, container: object, more: object = {}): Promise<WorkloadKey> =>
  await world.bind(name, { node: 'edge', script: FOR_EVER, containers: [{ name: 'main', image: 'x', ...container }], ...more });
const runs = async (name: string): Promise<void> =>
  await world.waitUntil(async () => (await world.podNamed(name))?.status?.phase === 'Running', 120);
const environmentOf = (name: string): Record<string, string | undefined> =>
  Object.fromEntries((got.get(name)?.spec.containers[0]?.env ?? []).map((each) => [each.name, each.value]));
const eventsOf = async (name: string): Promise<string[]> =>
  (
    await world.all<
      KubernetesObject & { regarding?: { name?: string }; involvedObject?: { name?: string }; reason?: string; message?: string }
    >(EVENTS)
  )
    .filter(({ involvedObject }) => involvedObject?.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`);

const fromSecret = { env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } }] };

describe.each([{ name: 'direct' }, { name: 'relayed', access: 'relayed' as const }])('$name access', ({ name: _name, ...options }) => {
  test('the provider gets every value written out', async () => {
    await open(options);
    await put(CONFIG_MAPS, 'settings', { data: { LEVEL: 'debug' } });
    await put(SECRETS, 'login', { stringData: { password: SECRET_TEXT } });
    await put(SERVICES, 'db', { spec: { ports: [{ port: 5432 }] } });
    await bound('reads', {
      env: [
        ...fromSecret.env,
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        { name: 'URL', value: 'db://$(DB_SERVICE_HOST):$(DB_SERVICE_PORT)' },
      ],
      envFrom: [{ configMapRef: { name: 'settings' } }],
      args: ['--level=$(LEVEL)'],
    });
    await runs('reads');
    expect(environmentOf('reads')).toMatchObject({
      PASSWORD: SECRET_TEXT,
      NODE: 'edge',
      CPU: '6',
      LEVEL: 'debug',
      URL: expect.stringMatching(/^db:\/\/\d+\.\d+\.\d+\.\d+:5432$/),
      DB_SERVICE_PORT: '5432',
    });
    expect(got.get('reads')?.spec.containers[0]?.args).toEqual(['--level=debug']);
  });

  test('the provider gets what volumes hold, and the token of a service account', async () => {
    await open({ ...options, options: { ...NODE, [NODE_OPTIONS.tokens]: '' } });
    await put(CONFIG_MAPS, 'settings', { data: { 'app.conf': 'level=debug' }, binaryData: { blob: '/wA=' } });
    await put(SECRETS, 'login', { stringData: { password: SECRET_TEXT } });
    await put(SERVICE_ACCOUNTS, 'builder', {});
    await bound(
      'mounts',
      {},
      {
        serviceAccountName: 'builder',
        volumes: [
          { name: 'settings', configMap: { name: 'settings' } },
          {
            name: 'access',
            projected: {
              sources: [
                { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
                { secret: { name: 'login' } },
                { downwardAPI: { items: [{ path: 'uid', fieldRef: { fieldPath: 'metadata.uid' } }] } },
              ],
            },
          },
        ],
      },
    );
    await runs('mounts');
    const [settings, access] = got.get('mounts')?.volumeContents ?? [];
    expect(settings?.files.map(({ path }) => path)).toEqual(['app.conf', 'blob']);
    const [password, token, uid] = (access?.files ?? []).map(({ data }) => Buffer.from(data, 'base64').toString());
    expect([password, uid]).toEqual([SECRET_TEXT, (await world.podNamed('mounts'))?.metadata.uid]);
    const claims = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(claims).toMatchObject({
      sub: 'system:serviceaccount:default:builder',
      'kubernetes.io': { pod: { name: 'mounts', uid }, serviceaccount: { name: 'builder' } },
    });
  });

  test('a secret as large as one may be reaches the provider, as a variable and as a file', async () => {
    await open(options);
    // Which no compression makes small.
    const large = Array.from({ length: 15_625 }, (_, at) => createHash('sha256').update(String(at)).digest('hex')).join('');
    await put(SECRETS, 'large', { stringData: { key: large } });
    const env = [{ name: 'LARGE', valueFrom: { secretKeyRef: { name: 'large', key: 'key' } } }];
    await bound('takes-much', { env }, { volumes: [{ name: 'v', secret: { secretName: 'large' } }] });
    await runs('takes-much');
    expect(environmentOf('takes-much')['LARGE']).toHaveLength(large.length);
    expect(Buffer.from(got.get('takes-much')?.volumeContents?.[0]?.files[0]?.data ?? '', 'base64')).toHaveLength(large.length);
  });

  test('R13: a pod whose secret is missing waits for it, tells, and holds nobody up', async () => {
    await open(options);
    await bound('waits', fromSecret);
    await bound('runs', {});
    await runs('runs');
    await world.elapse(40, { play: false });
    expect((await world.podNamed('waits'))?.status).not.toHaveProperty('reason');
    expect((await world.podNamed('waits'))?.status?.phase).toBe('Pending');
    expect(got.has('waits')).toBe(false);
    expect(await eventsOf('waits')).toContain('MandatorySecretNotFound: secret "login" not found');
    const last = world.passes.findLast(({ key }) => key.name === 'waits');
    expect(last?.why).toContain('its environment cannot be had yet: secret "login" not found');
    await put(SECRETS, 'login', { stringData: { password: SECRET_TEXT } });
    await runs('waits');
    expect(environmentOf('waits')).toEqual({ PASSWORD: SECRET_TEXT });
  });
});

test('what may be missing is told, and the pod runs without it', async () => {
  await open();
  await bound('does-without', { envFrom: [{ configMapRef: { name: 'none', optional: true } }] });
  await runs('does-without');
  expect(await eventsOf('does-without')).toContain('OptionalConfigMapNotFound: configmap "none" not found');
});

test('a service that was made just before the pod is never missing', async () => {
  await open();
  await bound('first', {});
  await runs('first');
  await put(SERVICES, 'late', { spec: { ports: [{ port: 80 }] } });
  await bound('second', {});
  await runs('second');
  expect(environmentOf('second')).toHaveProperty('LATE_PORT');
});

test.each([{ name: 'direct' }, { name: 'relayed', access: 'relayed' as const }])(
  'R15: $name: no head, view, snapshot, pass, message or event holds a value of an environment',
  async ({ name: _name, ...options }) => {
    await open({ ...options, options: { ...NODE, [NODE_OPTIONS.tokens]: '' } });
    await put(SERVICE_ACCOUNTS, 'default', {});
    const sent: string[] = [];
    const send = world.ports.queue.send.bind(world.ports.queue);
    world.ports.queue.send = async (name, messages) => {
      sent.push(...messages.map(({ body }) => body));
      return await send(name, messages);
    };
    world.keepsSnapshots = true;
    await put(SECRETS, 'login', { stringData: { password: SECRET_TEXT } });
    await put(CONFIG_MAPS, 'settings', { data: { LEVEL: SECRET_TEXT } });
    const container = { ...fromSecret, envFrom: [{ configMapRef: { name: 'settings' } }], command: ['run', '$(PASSWORD)'] };
    const first = world.passes.length;
    const key = await bound('keeps-still', container, {
      initContainers: [{ name: 'first', image: 'x', ...container, command: ['true', '$(PASSWORD)'] }],
      serviceAccountName: 'default',
      volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'login' } }, { serviceAccountToken: { path: 'token' } }] } }],
    });
    await runs('keeps-still');
    const pod = got.get('keeps-still');
    expect(JSON.stringify(pod)).toContain(SECRET_TEXT);
    const [password, token] = (pod?.volumeContents?.[0]?.files ?? []).map(({ data }) => Buffer.from(data, 'base64').toString());
    expect(password).toBe(SECRET_TEXT);
    const snapshots = world.passes.slice(first).map(({ key: { kind } }, at) => {
      const snapshot = world.snapshots[at];
      return snapshot && unpackSnapshot(snapshot, snapshotKindOf(kind));
    });
    const keys = [...new Map(world.passes.map(({ key: each }) => [each.uid, each])).values()];
    const kept = JSON.stringify([
      sent,
      world.passes,
      snapshots,
      await world.store.readHeads(keys),
      (await Promise.all(keys.map(async (each) => await world.store.read(each)))).map(({ items }) =>
        items.map(({ bytes }) => Buffer.from(bytes).toString('latin1')),
      ),
      world.provider.tasksOn('edge'),
      await world.all(EVENTS),
      (await world.pods()).map(({ spec: _spec, ...rest }) => rest),
    ]);
    expect(kept).toContain(key.uid);
    expect(token?.length).toBeGreaterThan(100);
    for (const value of [SECRET_TEXT, token ?? '']) {
      expect(kept).not.toContain(value);
      expect(kept).not.toContain(Buffer.from(value).toString('base64'));
    }
  },
);

test('an event for each thing that a provider has a pod do without', async () => {
  const warning = { reason: 'PodNamesNotResolved', message: 'names of other pods do not resolve' };
  await open({ between: (provider) => ({ ...provider, warningsOf: ({ metadata }) => (metadata.name === 'named' ? [warning] : []) }) });
  await bound('named', {});
  await bound('plain', {});
  for (const name of ['named', 'plain']) await runs(name);
  await world.waitUntil(async () => (await eventsOf('plain')).length > 0, 120);
  expect(await eventsOf('named')).toContain('PodNamesNotResolved: names of other pods do not resolve');
  expect((await eventsOf('plain')).filter((text) => text.startsWith('PodNames'))).toEqual([]);
});
