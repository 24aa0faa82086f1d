// The relay as its image and its manifests run it, without a container engine: the bundle in a folder that is not its own to write, node
// itself keeping every file system read-only, as that user, with that environment and those arguments, by its service account's token, on a
// real API server. What a pod would have and a process has not: the token lies in another folder, probes have ports of their own, queues are
// played by a server here, and the memory limit is not enforced but looked at.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { KubernetesAdministration } from '../../lib/adapters/kubernetes/kubernetes-administration.ts';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { NAMESPACES } from '../../lib/objects/resources.ts';
import { resourceOf } from '../../lib/onboarding/ours.ts';
import { RELAY, relayManifests } from '../../lib/onboarding/relay-manifests.ts';
import { LEASES } from '../../lib/objects/placement/lease.ts';
import { decodeEvents } from '../../lib/wire/events.ts';
import { until as untilClaimed } from '../claims.ts';
import { root, temporaryFolder } from '../cli/farloop-process.ts';
import { relayImage } from '../infra/relay-image.ts';
import type { ControlPlane } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import { openNodeClient } from '../node-client.ts';

const NAMESPACE = 'farloop';
const QUEUES = 'https://sqs.us-east-1.amazonaws.com/123456789012';
const MEBIBYTE = 1_048_576;
/** `readOnlyRootFilesystem`, kept by node itself: nothing can be written anywhere, and no other program begun. */
const READ_ONLY_ROOT = ['--permission', '--allow-fs-read=*'];
const image = relayImage();
const manifests = relayManifests({
  cluster: 'far',
  namespace: NAMESPACE,
  ownsNamespace: true,
  manages: ['jobs'],
  namespaces: [],
  functions: 'account',
  access: 'direct',
  commander: 'AROARECONCILE',
  era: 0,
  image: 'farloop-relay:test',
  region: 'us-east-1',
  eventsQueueUrl: `${QUEUES}/events`,
  asksQueueUrl: `${QUEUES}/asks`,
  identity: { kind: 'user' },
});

interface Container {
  args: string[];
  env: { name: string; value?: string; valueFrom?: { fieldRef?: object } }[];
  resources: { limits: { memory: string } };
}
interface PodSpec {
  securityContext: { runAsUser: number; runAsGroup: number };
  containers: [Container];
}

interface Beat {
  atMs: number;
  server: 'answers' | 'silent' | 'refused';
}

interface Replica {
  name: string;
  child: ChildProcess;
  probes: number;
  /** Names of the Jobs that it told of. */
  told: Set<string>;
  /** What its heartbeats told of the API server, and when they came. */
  beats: Beat[];
  said: () => string;
  sqs: Server;
}

const folder = temporaryFolder();
const replicas: Replica[] = [];
let controlPlane: ControlPlane;
let administration: KubernetesAdministration;

beforeAll(async () => {
  const built = spawnSync(process.execPath, ['build.mjs'], { cwd: root, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
  chmodSync(folder.path, 0o755);
  cpSync(join(root, 'dist'), join(folder.path, 'dist'), { recursive: true });
  writeFileSync(join(folder.path, 'package.json'), readFileSync(join(root, 'package.json')));
  // A checkout may lie where that user may not even look.
  copyFileSync(process.execPath, join(folder.path, 'node'));
  chmodSync(join(folder.path, 'node'), 0o555);
  controlPlane = await startControlPlane();
  const { url, caPem, token } = controlPlane;
  administration = new KubernetesAdministration({ server: url, caPem, auth: { kind: 'token', token } });
  await until('the first namespaces', async () => (await administration.list(NAMESPACES)).length >= 4);
  for (const manifest of manifests) await administration.apply(resourceOf(manifest), manifest);
  const account = join(folder.path, 'serviceaccount');
  mkdirSync(account);
  const { token: own } = await administration.tokenOf({ namespace: NAMESPACE, name: RELAY }, 3_607);
  writeFileSync(join(account, 'token'), own, { mode: 0o444 });
  writeFileSync(join(account, 'ca.crt'), caPem, { mode: 0o444 });
  for (const name of ['relay-a', 'relay-b']) replicas.push(await start(name, account));
}, 300_000);

afterAll(async () => {
  for (const { child, sqs } of replicas) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    sqs.closeAllConnections();
    sqs.close();
  }
  administration?.close();
  await controlPlane?.stop();
  folder.remove();
}, 60_000);

const podSpec = (): PodSpec => {
  const { spec } = JSON.parse(JSON.stringify(manifests.find(({ kind }) => kind === 'Deployment'))) as {
    spec: { template: { spec: PodSpec } };
  };
  return spec.template.spec;
};

/** What the kubelet would make of a pod of the Deployment. */
async function start(name: string, account: string): Promise<Replica> {
  const [container] = podSpec().containers;
  const told = new Set<string>();
  const beats: Beat[] = [];
  const sqs = await acceptingQueue(told, beats);
  const probes = await freePort();
  const declared = container.env.map(({ name: variable, value, valueFrom }) => [variable, value ?? (valueFrom?.fieldRef ? name : 'test')]);
  const { hostname, port } = new URL(controlPlane.url);
  const args = container.args.map((text) =>
    text
      .replace('$(POD_NAME)', name)
      .replace(QUEUES, `http://127.0.0.1:${portOf(sqs)}/123456789012`)
      .replace(/^--probe-port=.*/, `--probe-port=${probes}`),
  );
  const child = spawn(
    join(folder.path, 'node'),
    [...READ_ONLY_ROOT, ...image.nodeOptions, join(folder.path, 'dist', 'main.mjs'), ...args, '--service-account', account],
    {
      cwd: '/',
      ...(process.getuid?.() === 0 && image.user),
      env: {
        ...image.environment,
        ...Object.fromEntries(declared),
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
  return { name, child, probes, told, beats, said: () => said, sqs };
}

const portOf = (server: Server): number => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  return port;
}

/** Takes every message, as SQS does; has none. */
async function acceptingQueue(told: Set<string>, beats: Beat[]): Promise<Server> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (more: string) => (text += more));
    request.on('end', () => {
      const action = String(request.headers['x-amz-target']).split('.')[1];
      const { Entries: entries = [] }: { Entries?: { Id: string; MessageBody: string }[] } = JSON.parse(text);
      for (const { MessageBody: body } of entries) {
        const { reports, heartbeat } = decodeEvents(body);
        for (const { owner } of reports) told.add(owner.name);
        if (heartbeat) beats.push({ atMs: performance.now(), server: heartbeat.apiServer?.state ?? 'answers' });
      }
      const accepted = entries.map(({ Id, MessageBody }) => ({
        Id,
        MessageId: randomUUID(),
        MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
      }));
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      if (action === 'SendMessageBatch') response.end(JSON.stringify({ Successful: accepted, Failed: [] }));
      else setTimeout(() => response.end('{}'), 1_000);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> =>
  await untilClaimed(what, holds, 90_000, async () => replicas.map(({ said }) => said()).join('\n'));

const isReady = async ({ probes }: Replica): Promise<boolean> =>
  await fetch(`http://127.0.0.1:${probes}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );

async function holder(): Promise<string> {
  const lease: (KubernetesObject & { spec?: { holderIdentity?: string } }) | undefined = await administration.get(LEASES, {
    namespace: NAMESPACE,
    name: RELAY,
  });
  return lease?.spec?.holderIdentity ?? '';
}

async function createJob(name: string): Promise<void> {
  const { url, caPem, token } = controlPlane;
  const client = openNodeClient({ url, caPem, token });
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'work', image: 'busybox:1.37' }] } };
  const body = { metadata: { name }, spec: { managedBy: 'farloop.dev/job', template } };
  try {
    expect((await client.request({ method: 'POST', path: '/apis/batch/v1/namespaces/default/jobs', body })).status).toBe(201);
  } finally {
    client.close();
  }
}

const statusOf = ({ child }: Replica, field: string): string =>
  new RegExp(`^${field}:\\s+(.*)$`, 'm').exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? '';

const byName = (name: string): Replica => {
  const found = replicas.find((replica) => replica.name === name);
  if (!found) throw new Error(`nobody is called ${name}`);
  return found;
};

test('an API server that stands still is told of though nobody can renew the Lease, and so is its end', async () => {
  await until('both are ready', async () => (await Promise.all(replicas.map(isReady))).every(Boolean));
  await until('one holds the lease', async () => (await holder()) !== '');
  const toldSince = (sinceMs: number): Beat[] => replicas.flatMap(({ beats }) => beats).filter(({ atMs }) => atMs >= sinceMs);
  const frozenAtMs = performance.now();
  await controlPlane.freezeApiServer();
  try {
    await until('its silence is told', () => toldSince(frozenAtMs).some(({ server }) => server === 'silent'));
    await until('the holder rests', () => replicas.some(({ said }) => said().includes('relay rests')));
    // Longer than a Lease lasts.
    await untilClaimed('its time', () => performance.now() - frozenAtMs > 20_000, 30_000);
  } finally {
    await controlPlane.thawApiServer();
  }
  const thawedAtMs = performance.now();
  const [silence] = toldSince(frozenAtMs);
  expect(silence).toMatchObject({ server: 'silent' });
  expect((silence?.atMs ?? Infinity) - frozenAtMs).toBeLessThan(15_000);
  await until('its end is told', () => toldSince(thawedAtMs).some(({ server }) => server === 'answers'));
  const first = toldSince(thawedAtMs).find(({ server }) => server === 'answers');
  expect((first?.atMs ?? Infinity) - thawedAtMs).toBeLessThan(5_000);
  expect(toldSince(first?.atMs ?? 0).every(({ server }) => server === 'answers')).toBe(true);
}, 200_000);

test('two relays as their image and manifests run them: both are ready, one sends, the other takes over from it', async () => {
  const { securityContext, containers } = podSpec();
  expect(image.user).toEqual({ uid: securityContext.runAsUser, gid: securityContext.runAsGroup });
  const files = globSync('**/*', { cwd: folder.path });
  await until('both are ready', async () => (await Promise.all(replicas.map(isReady))).every(Boolean));
  await until('one holds the lease', async () => (await holder()) !== '');
  const first = byName(await holder());
  const [second] = replicas.filter((replica) => replica !== first);
  if (!second) throw new Error('there are two');

  await createJob('one');
  await until('the Job is told of', () => first.told.has('one'));
  expect([...second.told]).toEqual([]);

  first.child.kill('SIGKILL');
  await createJob('two');
  await until('the other one tells of what came since', () => second.told.size >= 2);
  expect([...second.told].toSorted()).toEqual(['one', 'two']);
  expect(await holder()).toBe(second.name);

  const limit = /^(\d+)Mi$/.exec(containers[0].resources.limits.memory)?.[1];
  expect(Number.parseInt(statusOf(second, 'VmHWM'), 10) * 1024).toBeLessThan(Number(limit) * MEBIBYTE);
  if (process.getuid?.() === 0) expect(statusOf(second, 'Uid').split('\t')).toEqual(Array(4).fill(String(image.user.uid)));
  expect(globSync('**/*', { cwd: folder.path })).toEqual(files);

  second.child.kill('SIGTERM');
  await once(second.child, 'exit');
  expect([second.child.exitCode, await holder()]).toEqual([0, '']);
}, 400_000);
