// A kubeconfig file, or a pod's service account → access to an API server. Local mode and the relay only: functions get data.
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Cluster as ConfigCluster, User } from '@kubernetes/client-node';
import { fieldsOf, textOf } from '../../objects/values/untyped-fields.ts';
import { TerminalError, UnusableInputError } from '../../ports/errors.ts';
import { explainConnectionFault, faultCodeOf } from './connection-faults.ts';
import type { Authentication, ClusterAccess, Credentials } from './access.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { proxyAt, proxyOfEnvironment } from './proxy-choice.ts';
import type { Proxy } from './proxy-choice.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface KubeconfigChoice {
  file: string;
  /** The file's current context when absent. */
  context?: string | undefined;
  /** Names the proxy where the file does not, and is given to credential plugins. */
  environment?: Environment;
}

type Environment = Record<string, string | undefined>;

/**
 * The access that a context of a kubeconfig gives; credential plugins are run when a request needs them.
 * @throws UnusableInputError one sentence: which file, what is wrong with it, what to do
 */
export async function accessFromKubeconfig({ file, context, environment = process.env }: KubeconfigChoice): Promise<ClusterAccess> {
  if (file === '') throw new UnusableInputError('the path given with --kubeconfig is empty: expected a file');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unusable(file, `it cannot be read (${faultCodeOf(error)}): check the path given with --kubeconfig`, error);
  });
  // Its import takes a tenth of a second, which only those pay who have a kubeconfig.
  const [{ KubeConfig }, { load }] = await Promise.all([import('@kubernetes/client-node'), import('js-yaml')]);
  const config = new KubeConfig();
  try {
    config.loadFromString(text);
  } catch (error) {
    throw unusable(
      file,
      `it is not a kubeconfig (${firstLineOf(error)}): expected the YAML that \`kubectl config view --raw\` prints`,
      error,
    );
  }
  config.makePathsAbsolute(resolve(dirname(file)));
  const chosen = context ?? config.getCurrentContext();
  const names = config.getContexts().map(({ name }) => name);
  if (names.length === 0) throw unusable(file, 'it holds no context: expected the YAML that `kubectl config view --raw` prints');
  if (!chosen) throw unusable(file, `it names no current context: choose one with --context (it has ${listOf(names)})`);
  const entry = config.getContextObject(chosen);
  if (!entry) throw unusable(file, `it has no context ${JSON.stringify(chosen)}: choose one with --context (it has ${listOf(names)})`);
  config.setCurrentContext(chosen);
  const cluster = config.getCluster(entry.cluster);
  if (!cluster)
    throw unusable(file, `its context ${JSON.stringify(chosen)} names the cluster ${JSON.stringify(entry.cluster)}, which is not in it`);
  const user = config.getUser(entry.user);
  if (entry.user && !user)
    throw unusable(file, `its context ${JSON.stringify(chosen)} names the user ${JSON.stringify(entry.user)}, which is not in it`);
  const proxy = proxyOf(file, cluster, environment);
  if (user?.impersonateUser)
    throw unusable(file, `its user ${JSON.stringify(user.name)} acts as another one, which is not supported: give credentials of its own`);
  const provider = user?.authProvider?.name;
  if (provider !== undefined && provider !== 'oidc')
    throw unusable(
      file,
      `its user ${JSON.stringify(user?.name)} logs in by the auth provider ${JSON.stringify(provider)}, which is not supported: use an exec plugin, as kubectl does by now`,
    );
  const caPem = await authorityOf(file, cluster);
  const dynamic = async (): Promise<Credentials> => {
    const options: { headers?: Record<string, string>; cert?: string; key?: string } = {};
    await config.applyToHTTPSOptions(options).catch((error: unknown) => {
      throw new Error(`its user gave no credentials: ${firstLineOf(error)}`, { cause: error });
    });
    const authorization = options.headers?.['Authorization'];
    return {
      ...(authorization !== undefined && { authorization }),
      ...(options.cert && { certPem: options.cert }),
      ...(options.key && { keyPem: options.key }),
    };
  };
  const plugin =
    user?.exec &&
    new ExecPlugin({ exec: user.exec, environment, folder: resolve(dirname(file)), cluster: clusterInfoOf(cluster, { caPem, proxy }) });
  return {
    server: cluster.server,
    ...(caPem !== undefined && { caPem }),
    ...(cluster.tlsServerName && { tlsServerName: cluster.tlsServerName }),
    ...(cluster.skipTLSVerify && { insecureSkipTls: true }),
    ...(proxy && { proxy }),
    auth: await authenticationOf(file, user, { dynamic, plugin, tokenFile: tokenFileIn(load(text), entry.user) }),
  };
}

/**
 * The access of a pod in the cluster itself, by its service account; the token is read again as it is renewed.
 * @param environment with KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT
 * @throws TerminalError this is no pod, or one without a service account
 */
export async function accessFromServiceAccount(
  environment: Record<string, string | undefined>,
  folder = SERVICE_ACCOUNT,
): Promise<ClusterAccess> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!host || !port)
    throw new TerminalError('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: outside of a cluster give --kubeconfig FILE');
  const read = async (name: string): Promise<string> =>
    await readFile(`${folder}/${name}`, 'utf8').catch((error: unknown) => {
      throw new TerminalError(`${folder}/${name} cannot be read (${faultCodeOf(error)}): the pod needs a service account and its token`, {
        cause: error,
      });
    });
  const caPem = await read('ca.crt');
  await read('token');
  const credentials = async (): Promise<Credentials> => ({ authorization: `Bearer ${(await read('token')).trim()}` });
  return { server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`, caPem, auth: { kind: 'dynamic', credentials } };
}

async function authorityOf(file: string, { name, caData, caFile }: ConfigCluster): Promise<string | undefined> {
  if (caData) return Buffer.from(caData, 'base64').toString('utf8');
  if (!caFile) return undefined;
  return await partOf(file, { path: caFile, of: `the certificate authority of its cluster ${JSON.stringify(name)}` });
}

/** The client library knows `token-file` only, which kubectl does not. */
function tokenFileIn(kubeconfig: unknown, user: string): string {
  const users: unknown = fieldsOf(kubeconfig)['users'];
  const found = Array.isArray(users) ? users.map(fieldsOf).find(({ name }) => name === user) : undefined;
  return textOf(fieldsOf(found?.['user'])['tokenFile']);
}

function proxyOf(file: string, { name, server, proxyUrl }: ConfigCluster, environment: Environment): Proxy | undefined {
  try {
    return proxyUrl ? proxyAt(proxyUrl, 'proxy-url') : proxyOfEnvironment(server, environment);
  } catch (error) {
    const what = proxyUrl ? `the proxy-url of its cluster ${JSON.stringify(name)}` : 'the proxy in HTTPS_PROXY';
    throw unusable(file, `${what} ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** The cluster as a plugin is shown it. */
function clusterInfoOf(
  { server, tlsServerName, skipTLSVerify }: ConfigCluster,
  { caPem, proxy }: { caPem: string | undefined; proxy: Proxy | undefined },
): Record<string, unknown> {
  return {
    server,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify && { 'insecure-skip-tls-verify': true }),
    ...(caPem !== undefined && { 'certificate-authority-data': Buffer.from(caPem).toString('base64') }),
    ...(proxy?.source === 'proxy-url' && { 'proxy-url': proxy.url.href }),
  };
}

async function authenticationOf(
  file: string,
  user: User | null,
  { dynamic, plugin, tokenFile }: { dynamic: () => Promise<Credentials>; plugin: ExecPlugin | undefined; tokenFile: string },
): Promise<Authentication> {
  if (!user) return { kind: 'none' };
  if (plugin)
    return { kind: 'dynamic', credentials: async () => await plugin.credentials(), refused: (refused) => plugin.refused(refused) };
  if (user.authProvider) return { kind: 'dynamic', credentials: dynamic };
  if (user.token) return { kind: 'token', token: user.token };
  if (tokenFile !== '') {
    // Read for every request: another program renews the file.
    const path = resolve(dirname(file), tokenFile);
    const of = `the token of its user ${JSON.stringify(user.name)}`;
    const credentials = async (): Promise<Credentials> => ({ authorization: `Bearer ${(await partOf(file, { path, of })).trim()}` });
    await credentials();
    return { kind: 'dynamic', credentials };
  }
  if (user.username) {
    const authorization = `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
    return { kind: 'dynamic', credentials: async () => ({ authorization }) };
  }
  const of = `of its user ${JSON.stringify(user.name)}`;
  const certPem = user.certData
    ? Buffer.from(user.certData, 'base64').toString('utf8')
    : user.certFile && (await partOf(file, { path: user.certFile, of: `the certificate ${of}` }));
  const keyPem = user.keyData
    ? Buffer.from(user.keyData, 'base64').toString('utf8')
    : user.keyFile && (await partOf(file, { path: user.keyFile, of: `the key ${of}` }));
  if (certPem && keyPem) return { kind: 'clientCertificate', certPem, keyPem };
  return { kind: 'none' };
}

async function partOf(file: string, { path, of }: { path: string; of: string }): Promise<string> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    throw unusable(file, `${of} lies in ${path}, which cannot be read (${faultCodeOf(error)})`, error);
  });
}

const unusable = (file: string, what: string, cause?: unknown): UnusableInputError =>
  new UnusableInputError(`kubeconfig ${file}: ${what}`, { cause });

const firstLineOf = (error: unknown): string => (explainConnectionFault(error).split('\n')[0] ?? '').replace(/(?<![.:])[.:]+$/, '');

const listOf = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.slice(0, 10).join(', '));
