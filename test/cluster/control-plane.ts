// A real control plane for one test file: etcd, kube-apiserver and, when wanted, kube-controller-manager on free ports of the
// loopback, ready within seconds. Every process ends with stop() and also when this process dies, however it dies.
import { generateKeyPair, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { controlPlanePaths } from './build-control-plane.ts';
import { endedTogether } from './tethered-process.ts';
import type { TetheredProcess } from './tethered-process.ts';

export interface ControllerManagerOptions {
  /** As `--controllers`: `*,-job` (everything but the Job controller) unless said otherwise. */
  controllers?: string;
  /** As `--kube-api-qps`; the binary's default is 20. */
  qps?: number;
  /** As `--kube-api-burst`; the binary's default is 30. */
  burst?: number;
  /** More flags, e.g. `--node-monitor-period=1s`. */
  flags?: readonly string[];
}

export interface ControlPlaneOptions extends ControllerManagerOptions {
  /** Kept after stop() when given; else a temporary folder that goes with it. Holds data, certificates, logs. */
  folder?: string;
  /** More flags of kube-apiserver. */
  apiServerFlags?: readonly string[];
}

export interface ControlPlane {
  /** https://127.0.0.1:port */
  url: string;
  caPem: string;
  /** Bearer token of a member of system:masters. */
  token: string;
  kubeconfigPath: string;
  /** http://127.0.0.1:port, for compaction and the like. */
  etcdUrl: string;
  folder: string;
  startControllerManager: (options?: ControllerManagerOptions) => Promise<void>;
  stopControllerManager: () => Promise<void>;
  /** Kills the API server and starts it again on the same port with the same data; its watch cache begins anew. */
  restartApiServer: () => Promise<void>;
  /** It stands still: connections stay open, and nothing answers. */
  freezeApiServer: () => Promise<void>;
  thawApiServer: () => Promise<void>;
  /** Makes the server forget: compacts etcd up to now and restarts the API server, so that older versions answer 410. */
  forgetHistory: () => Promise<void>;
  stop: () => Promise<void>;
}

const readyPatienceMs = 60_000;

/**
 * Starts etcd and kube-apiserver, and kube-controller-manager if `controllers` is given. Missing binaries are built first.
 * @throws Error with a sentence for people when the control plane cannot be had or does not become ready
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const paths = await controlPlanePaths();
  const pathOf = (binary: 'etcd' | 'kube-apiserver' | 'kube-controller-manager'): string => paths.get(binary) ?? binary;
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'farloop-control-plane-')));
  const certificates = join(folder, 'certs');
  await mkdir(certificates, { recursive: true });
  const [etcdPort, peerPort, apiPort] = await freePorts(3);
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const url = `https://127.0.0.1:${apiPort}`;
  const token = randomBytes(16).toString('hex');
  await writeFile(join(folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`);
  await writeServiceAccountKey(join(folder, 'sa.key'));

  const running: { etcd?: TetheredProcess; apiServer?: TetheredProcess; controllerManager?: TetheredProcess } = {};
  const logOf = (name: string): string => join(folder, `${name}.log`);
  const stop = async (): Promise<void> => {
    await running.controllerManager?.kill();
    await running.apiServer?.kill();
    await running.etcd?.kill();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const startApiServer = async (): Promise<void> => {
    running.apiServer = await endedTogether(pathOf('kube-apiserver'), logOf('kube-apiserver'), [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${apiPort}`,
      `--cert-dir=${certificates}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${join(folder, 'sa.key')}`,
      `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
      `--token-auth-file=${join(folder, 'tokens.csv')}`,
      '--authorization-mode=RBAC,Node',
      '--service-cluster-ip-range=10.0.0.0/24',
      // Nothing makes the default account of a namespace unless a controller manager runs.
      '--disable-admission-plugins=ServiceAccount',
      ...(options.apiServerFlags ?? []),
    ]);
    await readyAt(`${url}/readyz`, token, running.apiServer, 'kube-apiserver');
  };

  try {
    running.etcd = await endedTogether(pathOf('etcd'), logOf('etcd'), [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ]);
    await startApiServer();
    const caPem = await readFile(join(certificates, 'apiserver.crt'), 'utf8');
    const kubeconfigPath = join(folder, 'kubeconfig');
    await writeFile(kubeconfigPath, kubeconfigOf({ url, caPem, token }), { mode: 0o600 });

    const controlPlane: ControlPlane = {
      url,
      caPem,
      token,
      kubeconfigPath,
      etcdUrl,
      folder,
      stop,
      async startControllerManager(wanted = {}) {
        if (running.controllerManager !== undefined) throw new Error('the controller manager runs already: stop it first');
        const [port] = await freePorts(1);
        running.controllerManager = await endedTogether(pathOf('kube-controller-manager'), logOf('kube-controller-manager'), [
          `--kubeconfig=${kubeconfigPath}`,
          `--controllers=${wanted.controllers ?? '*,-job'}`,
          '--leader-elect=false',
          `--service-account-private-key-file=${join(folder, 'sa.key')}`,
          '--bind-address=127.0.0.1',
          `--secure-port=${port}`,
          ...(wanted.qps === undefined ? [] : [`--kube-api-qps=${wanted.qps}`]),
          ...(wanted.burst === undefined ? [] : [`--kube-api-burst=${wanted.burst}`]),
          ...(wanted.flags ?? []),
        ]);
        await readyAt(`https://127.0.0.1:${port}/healthz`, undefined, running.controllerManager, 'kube-controller-manager');
      },
      async stopControllerManager() {
        await running.controllerManager?.kill();
        delete running.controllerManager;
      },
      async forgetHistory() {
        await compact(etcdUrl);
        await controlPlane.restartApiServer();
      },
      async freezeApiServer() {
        await running.apiServer?.signal('SIGSTOP');
      },
      async thawApiServer() {
        await running.apiServer?.signal('SIGCONT');
      },
      async restartApiServer() {
        await running.apiServer?.kill();
        await startApiServer();
      },
    };
    if (options.controllers !== undefined) await controlPlane.startControllerManager(options);
    return controlPlane;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Forgets what lies before now, through etcd's JSON gateway. @throws when it refuses */
export async function compact(etcdUrl: string): Promise<void> {
  const call = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd answered ${response.status} to ${path}: ${await response.text()}`);
    return response.json();
  };
  const range = await call('/v3/kv/range', { key: Buffer.from('any').toString('base64') });
  const revision = /"revision":"(\d+)"/.exec(JSON.stringify(range))?.[1];
  await call('/v3/kv/compaction', { revision, physical: true });
}

async function writeServiceAccountKey(path: string): Promise<void> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  await writeFile(path, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
}

/** Ports that were free a moment ago, all different. */
export async function freePorts<Count extends 1 | 3>(count: Count): Promise<Count extends 1 ? [number] : [number, number, number]>;
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
    return address.port;
  });
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

async function readyAt(address: string, token: string | undefined, process: TetheredProcess, name: string): Promise<void> {
  const until = Date.now() + readyPatienceMs;
  while (!(await answersOk(address, token))) {
    if (process.hasEnded()) throw new Error(`${name} ended instead of becoming ready. Its last words:\n${await process.lastWords()}`);
    if (Date.now() > until)
      throw new Error(`${name} is not ready after ${readyPatienceMs / 1000} s. Its last words:\n${await process.lastWords()}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Whoever answers here was started by us a moment ago and has shown no certificate authority yet: the certificate is not checked. */
function answersOk(address: string, token: string | undefined): Promise<boolean> {
  return new Promise((done) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = get(address, { headers, rejectUnauthorized: false, agent: false, timeout: 2000 }, (response) => {
      response.resume();
      response.on('close', () => done(response.statusCode === 200));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => done(false));
  });
}

/** JSON is YAML. */
function kubeconfigOf({ url, caPem, token }: { url: string; caPem: string; token: string }): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace: 'default' } }],
    'current-context': 'test',
  });
}
