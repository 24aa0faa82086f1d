// The HTTP API of virtual nodes as a real API server asks it: pods, figures, logs and commands of five providers through the server's own
// addresses, and callers that dial the nodes themselves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { KubernetesObject, Node, Pod } from '../../lib/objects/kubernetes.ts';
import { NODES, PODS, type Resource } from '../../lib/objects/resources.ts';
import { until } from '../claims.ts';
import { FarloopProcess, temporaryFolder } from '../cli/farloop-process.ts';
import { startExampleProvider, type ExampleProvider } from '../example-provider.ts';
import { InterLinkEdge } from '../interlink-edge.ts';
import { controlPlanePaths } from './build-control-plane.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { startJobsCluster, type JobsCluster } from './jobs-cluster.ts';
import { kubeletClient, type KubeletClient } from './kubelet-client.ts';

const SOON_MS = 60_000;
const EXAMPLES = 'examples/virtual-node/provider';
const PRINTED = 'one\ntwo\nthree\n';
const MB = 1024 * 1024;

let client: KubeletClient;
let cluster: JobsCluster;
let farloop: FarloopProcess;
let edge: InterLinkEdge;
let providers: ExampleProvider[];
let kubectlPath: string;
beforeAll(async () => {
  client = await kubeletClient();
  [cluster, edge, providers, kubectlPath] = await Promise.all([
    startJobsCluster({ controllers: '*', apiServerFlags: client.flags }),
    InterLinkEdge.start(),
    Promise.all([startExampleProvider('node', `${EXAMPLES}/provider.mjs`), startExampleProvider('python3', `${EXAMPLES}/provider.py`)]),
    controlPlanePaths(['kubectl']).then((paths) => paths.get('kubectl') ?? 'kubectl'),
  ]);
  const [node, python] = providers;
  const nodes = [
    'played=simulated',
    'here=local-process',
    `edge-node=http:${node?.address}`,
    `edge-python=http:${python?.address}`,
    `hpc=interlink:${edge.address}`,
  ];
  farloop = cluster.up('state', '--allow-namespace', 'default', ...nodes.flatMap((each) => ['--virtual-node', each]));
  await farloop.says('farloop ready', SOON_MS);
}, 300_000);
afterAll(async () => {
  await farloop?.end('SIGTERM');
  for (const provider of providers ?? []) await provider.stop();
  edge?.stop();
  await cluster?.stop();
  await client?.dispose();
}, 60_000);

interface Answer {
  status: number;
  text: string;
}

async function opened(options: RequestOptions): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    request({ agent: false, rejectUnauthorized: false, ...options }, resolve)
      .on('error', reject)
      .end();
  });
}

async function asked(options: RequestOptions): Promise<Answer> {
  const response = await opened(options);
  return { status: response.statusCode ?? 0, text: (await buffer(response)).toString() };
}

/** To the API server, as somebody who may do everything. */
function toServer(path: string, { url, token } = cluster.controlPlane): RequestOptions {
  const { hostname, port } = new URL(url);
  return { host: hostname, port, path, headers: { Authorization: `Bearer ${token}` } };
}

const proxied = async (node: string, path: string): Promise<Answer> => await asked(toServer(`/api/v1/nodes/${node}/proxy/${path}`));
const logPath = (name: string, query = ''): string => `/api/v1/namespaces/default/pods/${name}/log?container=c0&${query}`;
const logOf = async (name: string, query = ''): Promise<Answer> => await asked(toServer(logPath(name, query)));

interface Wanted {
  node: string;
  name: string;
  containers?: number;
  /** A script of a shell. */
  script?: string;
  runSeconds?: string;
  restartPolicy?: string;
}

const SCRIPT = "printf 'one\\ntwo\\nthree\\n'; sleep 600";

async function bound({
  node,
  name,
  containers = 1,
  script = SCRIPT,
  runSeconds = '600',
  restartPolicy = 'Never',
}: Wanted): Promise<string> {
  const annotations = { 'sim.farloop.dev/run-seconds': runSeconds, 'sim.farloop.dev/log': PRINTED };
  const container = (at: number): object => ({ name: `c${at}`, image: ['foo', 'bar', 'baz'][at], command: ['sh', '-c', script] });
  const { object } = await cluster.api.create<Pod>(
    PODS,
    {
      metadata: { namespace: 'default', name, annotations },
      spec: {
        nodeName: node,
        enableServiceLinks: false,
        restartPolicy,
        terminationGracePeriodSeconds: 5,
        tolerations: [{ operator: 'Exists' }],
        containers: Array.from({ length: containers }, (_, at) => container(at)) as never,
      },
    },
    cluster.soon(),
  );
  return object.metadata.uid ?? '';
}

const podNamed = async (name: string): Promise<Pod | undefined> =>
  (await cluster.api.list<Pod>(PODS, { namespace: 'default', fieldSelector: `metadata.name=${name}` }, cluster.soon())).items[0];
const phaseOf = async (name: string): Promise<string | undefined> => (await podNamed(name))?.status?.phase;
const isReady = async (name: string): Promise<boolean> =>
  (await podNamed(name))?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

async function ready(wanted: Wanted): Promise<string> {
  const uid = await bound(wanted);
  await until(`${wanted.name} is ready`, () => isReady(wanted.name), SOON_MS);
  return uid;
}

async function remove(name: string, gracePeriodSeconds = 0): Promise<void> {
  const uid = (await podNamed(name))?.metadata.uid ?? '';
  await cluster.api.delete(PODS, { namespace: 'default', name, uid, gracePeriodSeconds }, cluster.soon());
}

interface Listed {
  kind: string;
  apiVersion: string;
  items: Pod[];
}
const uidsIn = async (node: string, path: string): Promise<(string | undefined)[]> => {
  const { items } = JSON.parse((await proxied(node, path)).text) as Listed;
  return items.map(({ metadata }) => metadata.uid);
};

describe.each([
  { what: 'the simulated one', node: 'played' },
  { what: 'processes of this machine', node: 'here' },
  { what: 'the example in Node', node: 'edge-node' },
  { what: 'the example in Python', node: 'edge-python' },
  { what: 'a stand-in for an edge of interLink', node: 'hpc' },
])('with $what for a provider', ({ node }) => {
  const [long, removed, forced, ends] = ['long', 'removed', 'forced', 'ends'].map((name) => `${name}-${node}`) as [
    string,
    string,
    string,
    string,
  ];
  let uid = '';
  beforeAll(async () => {
    [uid] = await Promise.all([
      ready({ node, name: long, containers: 3 }),
      ready({ node, name: removed }),
      ready({ node, name: forced }),
      bound({ node, name: ends, script: "printf 'one\\ntwo\\n'; sleep 3; echo three", runSeconds: '3' }),
    ]);
  }, 120_000);

  test('K1: the pods of the node, through the API server', async () => {
    const { status, text } = await proxied(node, 'pods');
    const { kind, apiVersion, items } = JSON.parse(text) as Listed;
    expect([status, kind, apiVersion]).toEqual([200, 'PodList', 'v1']);
    expect(items.every(({ spec }) => spec.nodeName === node)).toBe(true);
    expect(items.map(({ metadata }) => metadata.uid)).toContain(uid);
  });

  if (node === 'hpc')
    test('it has no figures: 404', async () => {
      for (const path of ['stats/summary', 'metrics/resource']) expect((await proxied(node, path)).status).toBe(404);
    });
  else {
    test('K2: the summary has the pod and an entry for each container', async () => {
      const { status, text } = await proxied(node, 'stats/summary');
      const summary = JSON.parse(text) as { node: { nodeName: string }; pods: { podRef: object; containers: { name: string }[] }[] };
      expect([status, summary.node.nodeName]).toEqual([200, node]);
      const pod = summary.pods.find(({ podRef }) => Reflect.get(podRef, 'uid') === uid);
      expect(pod).toMatchObject({
        podRef: { namespace: 'default', name: long, uid },
        containers: [{ name: 'c0' }, { name: 'c1' }, { name: 'c2' }],
      });
      expect(JSON.stringify(pod?.containers[0])).toMatch(/usageCoreNanoSeconds.*workingSetBytes/);
    });

    test("K3: the figures as text, the pod's name as the second label", async () => {
      const { status, text } = await proxied(node, 'metrics/resource');
      expect(status).toBe(200);
      const second = (family: string): string[] =>
        [...text.matchAll(new RegExp(`^${family}\\{[a-z]+="[^"]*",[a-z]+="([^"]*)".*\\} [0-9.e+-]+ \\d+$`, 'gm'))].map(
          ([, label = '']) => label,
        );
      expect(second('pod_cpu_usage_seconds_total')).toContain(long);
      expect(second('container_cpu_usage_seconds_total').filter((name) => name === long)).toHaveLength(3);
    });
  }

  test.each([
    { name: 'K4: a pod that is deleted with its grace', pod: removed, grace: 5 },
    { name: 'K5: a pod that is deleted by force', pod: forced, grace: 0 },
  ])('$name is listed no more about a second later', async ({ pod, grace }) => {
    const own = (await podNamed(pod))?.metadata.uid;
    expect(await uidsIn(node, 'runningpods/')).toContain(own);
    await remove(pod, grace);
    await until('it is listed no more', async () => !(await uidsIn(node, 'runningpods/')).includes(own), 2_000);
  });

  test('what its container printed, all of it and in part', async () => {
    await until('it has printed', async () => (await logOf(long)).text === PRINTED);
    expect(await logOf(long, 'tailLines=1')).toEqual({ status: 200, text: 'three\n' });
    expect(await logOf(long, 'tailLines=0')).toEqual({ status: 200, text: '' });
    expect(await logOf(long, 'limitBytes=5')).toEqual({ status: 200, text: 'one\nt' });
    expect(await logOf(long, 'sinceSeconds=3600')).toEqual({ status: 200, text: PRINTED });
    expect(await logOf(long, 'sinceTime=2999-01-01T00:00:00Z')).toEqual({ status: 200, text: '' });
    expect((await logOf(long, 'timestamps=true')).text).toMatch(/^(\d{4}-\d\d-\d\dT[\d:.]+Z (one|two|three)\n){3}$/);
    expect((await logOf(long, 'previous=true')).status).toBe(400);
    expect((await logOf(long, 'tailLines=-1')).status).toBe(422);
  });

  test('a log that is followed ends with its container', async () => {
    const { uid: own = '' } = (await podNamed(ends))?.metadata ?? {};
    await until('it has begun', async () => (await logOf(ends)).status === 200, SOON_MS);
    const followed = logOf(ends, 'follow=true');
    if (node === 'hpc') edge.becomes(own, { terminated: { exitCode: 0 } });
    expect(await followed).toEqual({ status: 200, text: PRINTED });
  });
});

test.each(['edge-node', 'here'])(
  'the log of the run before, of a container that was started anew on %s',
  async (node) => {
    await bound({ node, name: 'fails', script: 'echo once; exit 1', restartPolicy: 'OnFailure' });
    const hasBefore = async (): Promise<boolean> =>
      (await podNamed('fails'))?.status?.containerStatuses?.[0]?.lastState?.terminated !== undefined;
    await until('it was started anew', hasBefore, SOON_MS);
    expect(await logOf('fails', 'previous=true')).toEqual({ status: 200, text: 'once\n' });
    await remove('fails');
    await until('it is gone', async () => (await podNamed('fails')) === undefined, SOON_MS);
  },
  120_000,
);

/** Resident memory. */
const memoryBytesOf = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;

test.each(['edge-node', 'here'])(
  '100 MB of %s for a reader that is slow: bounded memory, nobody else waits, and all of it arrives',
  async (node) => {
    const script = "head -c 100000000 /dev/zero | tr '\\0' x | fold -w 9999; echo";
    const name = `much-${node}`;
    await bound({ node, name, script });
    await until('it has printed', async () => (await phaseOf(name)) === 'Succeeded', SOON_MS);
    const before = memoryBytesOf(farloop.child.pid);
    const slow = await opened(toServer(logPath(name)));
    slow.pause();
    for (let time = 0; time < 20; time += 1) expect((await logOf(`long-${node}`, 'tailLines=1')).text).toBe('three\n');
    const stalled = memoryBytesOf(farloop.child.pid);
    let [bytes, most] = [0, stalled];
    for await (const chunk of slow as AsyncIterable<Buffer>) {
      if (bytes % (4 * MB) > (bytes + chunk.length) % (4 * MB)) most = Math.max(most, memoryBytesOf(farloop.child.pid));
      bytes += chunk.length;
    }
    expect(bytes).toBe(100_000_000 + Math.ceil(100_000_000 / 9_999));
    // All of it would be seen at once; what is let go piece by piece lies about for a while.
    expect(stalled - before).toBeLessThan(60 * MB);
    expect(most - before).toBeLessThan(96 * MB);
  },
  120_000,
);

async function kubectl(args: readonly string[], input: Buffer = Buffer.alloc(0)): Promise<{ code: number; out: Buffer; err: string }> {
  const child = spawn(kubectlPath, ['--kubeconfig', cluster.controlPlane.kubeconfigPath, ...args], { stdio: 'pipe' });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, 'close')]);
  return { code: code as number, out, err: err.toString() };
}

/** With a terminal of its own, as a person has one. */
async function inTerminal(args: readonly string[], typed: string): Promise<{ code: number; text: string }> {
  const line = [kubectlPath, '--kubeconfig', cluster.controlPlane.kubeconfigPath, ...args].join(' ');
  const child = spawn('script', ['-qefc', line, '/dev/null'], { stdio: 'pipe', env: { ...process.env, SHELL: '/bin/sh' } });
  child.stdin.write(typed);
  const [out, [code]] = await Promise.all([buffer(child.stdout), once(child, 'close')]);
  return { code: code as number, text: out.toString() };
}

describe('kubectl', () => {
  test('exec with megabytes of input, and exit codes', async () => {
    const input = Buffer.alloc(6 * MB, 'abcdefg\n');
    const echoed = await kubectl(['exec', '-i', 'long-played', '-c', 'c0', '--', 'cat'], input);
    expect([echoed.code, echoed.err, echoed.out.equals(input)]).toEqual([0, '', true]);
    const failed = await kubectl(['exec', 'long-played', '-c', 'c1', '--', 'sh', '-c', 'echo hello; exit 7']);
    expect([failed.code, failed.out.toString(), failed.err]).toEqual([7, 'hello\n', 'command terminated with exit code 7\n']);
    const unknown = await kubectl(['exec', 'long-edge-node', '-c', 'c0', '--', 'true']);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('501 not implemented')]);
  });

  test('exec in a process of this machine: streams apart, exit codes, a terminal; files in both directions', async () => {
    const input = Buffer.alloc(6 * MB, 'abcdefg\n');
    const echoed = await kubectl(['exec', '-i', 'long-here', '-c', 'c0', '--', 'cat'], input);
    expect([echoed.code, echoed.err, echoed.out.equals(input)]).toEqual([0, '', true]);
    const failed = await kubectl(['exec', 'long-here', '-c', 'c1', '--', 'sh', '-c', 'echo hello; echo trouble >&2; exit 7']);
    expect([failed.code, failed.out.toString(), failed.err]).toEqual([7, 'hello\n', 'trouble\ncommand terminated with exit code 7\n']);
    const typed = await inTerminal(['exec', '-it', 'long-here', '-c', 'c0', '--', 'sh'], 'tty; exit 6\n');
    expect([typed.code, typed.text]).toEqual([6, expect.stringMatching(/pts\/\d+/)]);
    const folder = temporaryFolder();
    const file = join(folder.path, 'in');
    writeFileSync(file, input);
    for (const way of [
      ['cp', '-c', 'c0', file, 'long-here:there'],
      ['cp', '-c', 'c0', 'long-here:there', `${file}.back`],
    ]) {
      const copied = await kubectl(way);
      expect([copied.code, copied.err.replace(/^tar: .*\n/gm, '')]).toEqual([0, '']);
    }
    expect(readFileSync(`${file}.back`).equals(input)).toBe(true);
    folder.remove();
  }, 120_000);

  test('forwards a port of a process of this machine, and says so of one at which nothing listens', async () => {
    const server =
      "require('net').createServer((socket) => socket.pipe(socket)).listen(8000, process.env.FARLOOP_POD_IP, () => console.log('up'))";
    await bound({ node: 'here', name: 'echo', script: `exec node -e "${server}"` });
    await until('it listens', async () => (await logOf('echo')).text === 'up\n', SOON_MS);
    const args = ['--kubeconfig', cluster.controlPlane.kubeconfigPath, 'port-forward', 'pod/echo', ':8000', ':9'];
    const forwarding = spawn(kubectlPath, args, { stdio: 'pipe' });
    let [out, err] = ['', ''];
    forwarding.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
    forwarding.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()));
    const portOf = (port: number): number => Number(new RegExp(`127\\.0\\.0\\.1:(\\d+) -> ${port}\\b`).exec(out)?.[1] ?? 0);
    await until('it forwards', () => portOf(9) > 0, SOON_MS);
    const input = Buffer.alloc(6 * MB, 'abcdefg\n');
    const socket = connect(portOf(8000), '127.0.0.1');
    socket.end(input);
    expect((await buffer(socket)).equals(input)).toBe(true);
    const none = connect(portOf(9), '127.0.0.1');
    none.on('error', () => {});
    await until('it is told', () => err.includes('nothing listens at 127.'), SOON_MS);
    none.destroy();
    forwarding.kill();
  }, 120_000);

  test('logs', async () => {
    const said = await kubectl(['logs', 'long-edge-node', '-c', 'c0', '--tail=2']);
    expect([said.code, said.out.toString(), said.err]).toEqual([0, 'two\nthree\n', '']);
  });
});

describe('callers that dial a node themselves', () => {
  const ACCOUNTS: Resource = { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true };
  let way: RequestOptions;
  beforeAll(async () => {
    const { status = {} } = (await cluster.api.get<Node>(NODES, { namespace: '', name: 'edge-node' }, cluster.soon())).object;
    const { address } = (status['addresses'] as { type: string; address: string }[]).find(({ type }) => type === 'InternalIP') ?? {};
    const { Port: port } = (status['daemonEndpoints'] as { kubeletEndpoint: { Port: number } }).kubeletEndpoint;
    way = { host: address, port, path: '/pods' };
  });
  const refusals = (reason: string): number =>
    `${farloop.stdout}${farloop.stderr}`.split('\n').filter((line) => line.includes('refused a caller') && line.includes(reason)).length;

  async function tokenOf(name: string, audiences?: string[]): Promise<string> {
    const { url, token } = cluster.controlPlane;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = toServer(`/api/v1/namespaces/default/serviceaccounts/${name}/token`, { ...cluster.controlPlane, url, token });
      const headers = { ...(options.headers as Record<string, string>), 'Content-Type': 'application/json' };
      request({ ...options, headers, method: 'POST', rejectUnauthorized: false }, resolve)
        .on('error', reject)
        .end(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { ...(audiences && { audiences }) } }));
    });
    return (JSON.parse((await buffer(answer)).toString()) as { status: { token: string } }).status.token;
  }
  const asToken = async (token: string, path = '/pods'): Promise<Answer> =>
    await asked({ ...way, path, headers: { Authorization: `Bearer ${token}` } });

  test('a service account without rights: 403, logged once; with the right to nodes/proxy: let in', async () => {
    for (const name of ['stranger', 'reader'])
      await cluster.api.create<KubernetesObject>(ACCOUNTS, { metadata: { namespace: 'default', name } }, cluster.soon());
    const rules = [{ apiGroups: [''], resources: ['nodes/proxy'], verbs: ['get'] }];
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', namespaced: false } as const;
    await cluster.api.create(
      { ...rbac, kind: 'ClusterRole', plural: 'clusterroles' },
      { metadata: { name: 'reads-nodes' }, rules } as never,
      cluster.soon(),
    );
    const subjects = [{ kind: 'ServiceAccount', namespace: 'default', name: 'reader' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reads-nodes' };
    await cluster.api.create(
      { ...rbac, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' },
      { metadata: { name: 'reads-nodes' }, subjects, roleRef } as never,
      cluster.soon(),
    );
    const stranger = await tokenOf('stranger');
    const sentence = 'Forbidden (user=system:serviceaccount:default:stranger, verb=get, resource=nodes, subresource=proxy)';
    for (let time = 0; time < 3; time += 1) expect(await asToken(stranger)).toEqual({ status: 403, text: sentence });
    expect(refusals('serviceaccount:default:stranger')).toBe(1);
    expect((await asToken(await tokenOf('reader'))).status).toBe(200);
    expect((await asToken(await tokenOf('reader'), '/metrics/resource')).status).toBe(403);
  });

  test("a token for another audience, another cluster's certificate, and nothing at all: 401, logged once", async () => {
    const elsewhere = await tokenOf('reader', ['https://elsewhere.example']);
    const foreign = await client.certificate({ name: 'kube-apiserver-kubelet-client', group: 'system:masters', isForeign: true });
    const refused = { status: 401, text: 'Unauthorized' };
    expect(await asToken(elsewhere)).toEqual(refused);
    expect(await asked({ ...way, ...foreign })).toEqual(refused);
    expect(await asked(way)).toEqual(refused);
    expect(refusals('Unauthorized')).toBe(1);
  });

  test("a pod of another node is unknown, also to the API server's own certificate", async () => {
    const own = await client.certificate({ name: 'kube-apiserver-kubelet-client', group: 'system:masters' });
    expect((await asked({ ...way, ...own, path: '/containerLogs/default/long-edge-node/c0' })).text).toBe(PRINTED);
    expect(await asked({ ...way, ...own, path: '/containerLogs/default/long-edge-python/c0' })).toEqual({
      status: 404,
      text: 'pod "long-edge-python_default" does not exist',
    });
  });
});

describe('an API server that shows no credentials', () => {
  const folder = temporaryFolder();
  let plain: ControlPlane;
  const started: FarloopProcess[] = [];
  beforeAll(async () => {
    plain = await startControlPlane();
    const up = (name: string, ...flags: string[]): FarloopProcess => {
      const args = ['up', '--state', `${folder.path}/${name}`, '--port', '0', '--kubeconfig', plain.kubeconfigPath];
      return new FarloopProcess([...args, '--virtual-node', `${name}=simulated`, ...flags]);
    };
    started.push(up('closed'), up('open', '--node-api-open'));
    for (const each of started) await each.says('farloop ready', SOON_MS);
    for (const node of ['closed', 'open'])
      await until(`the Node ${node} names where it is reached`, async () => (await asks(node, 'healthz')).status !== 500, SOON_MS);
  }, 180_000);
  afterAll(async () => {
    for (const each of started) await each.end('SIGTERM');
    await plain?.stop();
    folder.remove();
  }, 60_000);
  const asks = async (node: string, path: string): Promise<Answer> => await asked(toServer(`/api/v1/nodes/${node}/proxy/${path}`, plain));

  test('is refused', async () => expect(await asks('closed', 'pods')).toEqual({ status: 401, text: 'Unauthorized' }));

  test('gets pods and figures with --node-api-open, and no logs', async () => {
    for (const path of ['pods', 'runningpods/', 'stats/summary', 'metrics/resource']) expect((await asks('open', path)).status).toBe(200);
    expect(await asks('open', 'containerLogs/default/a/c0')).toEqual({
      status: 403,
      text: 'containerLogs asks for credentials: this node is open to callers without any, and gives them neither logs nor a command',
    });
  });
});
