// Kubeconfigs: every way to say who one is, and every mistake in one sentence.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentialsOf } from '../../../lib/adapters/kubernetes/access.ts';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { accessFromKubeconfig, accessFromServiceAccount } from '../../../lib/adapters/kubernetes/kubeconfig.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { NAMESPACES } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farloop-kubeconfig-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function fileWith(text: string): Promise<string> {
  const file = join(folder, 'config');
  await writeFile(file, text);
  return file;
}

const aConfig = ({ user = 'token: secret', cluster = '' }: { user?: string; cluster?: string } = {}): string => `
apiVersion: v1
kind: Config
current-context: here
clusters:
  - {name: c, cluster: {server: 'https://10.0.0.1:6443', certificate-authority-data: ${base64('authority')}${cluster}}}
contexts:
  - {name: here, context: {cluster: c, user: u}}
  - {name: lost, context: {cluster: gone, user: u}}
  - {name: anonymous, context: {cluster: c, user: nobody}}
users:
  - {name: u, user: {${user}}}
`;

describe('what a kubeconfig gives', () => {
  test('a token and an authority', async () => {
    const access = await accessFromKubeconfig({ file: await fileWith(aConfig()) });
    expect(access).toEqual({ server: 'https://10.0.0.1:6443', caPem: 'authority', auth: { kind: 'token', token: 'secret' } });
  });

  test('a client certificate, in the file or beside it', async () => {
    const data = `client-certificate-data: ${base64('cert')}, client-key-data: ${base64('key')}`;
    const inside = await accessFromKubeconfig({ file: await fileWith(aConfig({ user: data })) });
    expect(inside.auth).toEqual({ kind: 'clientCertificate', certPem: 'cert', keyPem: 'key' });
    await writeFile(join(folder, 'cert.pem'), 'cert');
    await writeFile(join(folder, 'key.pem'), 'key');
    const beside = await accessFromKubeconfig({
      file: await fileWith(aConfig({ user: 'client-certificate: cert.pem, client-key: key.pem' })),
    });
    expect(beside.auth).toEqual({ kind: 'clientCertificate', certPem: 'cert', keyPem: 'key' });
  });

  test('a credential plugin is run when credentials are needed', async () => {
    const plugin = join(folder, 'plugin.sh');
    await writeFile(
      plugin,
      `#!/bin/sh\necho '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"fresh"}}'\n`,
    );
    await chmod(plugin, 0o755);
    const user = `exec: {apiVersion: client.authentication.k8s.io/v1, command: ${plugin}, interactiveMode: Never}`;
    const { auth } = await accessFromKubeconfig({ file: await fileWith(aConfig({ user })) });
    expect(await credentialsOf(auth)).toEqual({ authorization: 'Bearer fresh' });
  });

  test('a token in a file, as it stands when it is asked', async () => {
    await writeFile(join(folder, 'token.txt'), 'one\n');
    const { auth } = await accessFromKubeconfig({ file: await fileWith(aConfig({ user: 'tokenFile: token.txt' })) });
    expect(await credentialsOf(auth)).toEqual({ authorization: 'Bearer one' });
    await writeFile(join(folder, 'token.txt'), 'two');
    expect(await credentialsOf(auth)).toEqual({ authorization: 'Bearer two' });
  });

  test('name and password', async () => {
    const { auth } = await accessFromKubeconfig({ file: await fileWith(aConfig({ user: 'username: a, password: b' })) });
    expect(await credentialsOf(auth)).toEqual({ authorization: `Basic ${base64('a:b')}` });
  });
});

describe('what is wrong with it is said in one sentence', () => {
  const cases: { name: string; text: string; context?: string; says: RegExp }[] = [
    { name: 'not YAML', text: '{{', says: /is not a kubeconfig/ },
    { name: 'empty', text: '', says: /is not a kubeconfig/ },
    { name: 'HTML', text: '<html>', says: /is not a kubeconfig|holds no context/ },
    { name: 'no context', text: 'apiVersion: v1\nkind: Config\n', says: /holds no context: expected the YAML/ },
    {
      name: 'an auth provider of old',
      text: aConfig({ user: 'auth-provider: {name: gcp}' }),
      says: /logs in by the auth provider "gcp", which is not supported: use an exec plugin/,
    },
    {
      name: 'a missing token file',
      text: aConfig({ user: 'tokenFile: /nowhere/token' }),
      says: /the token of its user "u" lies in \/nowhere\/token, which cannot be read \(ENOENT\)/,
    },
    {
      name: 'no such context',
      text: aConfig(),
      context: 'there',
      says: /has no context "there": choose one with --context \(it has here, lost, anonymous\)/,
    },
    { name: 'a context without its cluster', text: aConfig(), context: 'lost', says: /names the cluster "gone", which is not in it/ },
    { name: 'a context without its user', text: aConfig(), context: 'anonymous', says: /names the user "nobody", which is not in it/ },
    {
      name: 'a proxy of another kind',
      text: aConfig({ cluster: ", proxy-url: 'socks5://proxy:1080'" }),
      says: /the proxy-url of its cluster "c" has the scheme socks5, which is not supported: expected http/,
    },
    {
      name: 'a missing key',
      text: aConfig({ user: 'client-certificate: nowhere.pem, client-key: nowhere.key' }),
      says: /nowhere\.pem, which cannot be read \(ENOENT\)/,
    },
  ];
  test.each(cases)('$name', async ({ text, context, says }) => {
    const file = await fileWith(text);
    const failure = await accessFromKubeconfig({ file, context }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TerminalError);
    expect(String(failure)).toMatch(says);
    expect(String(failure)).toContain(`kubeconfig ${file}`);
    expect(String(failure)).not.toContain('\n');
  });

  test('a file that cannot be read', async () => {
    await expect(accessFromKubeconfig({ file: join(folder, 'missing') })).rejects.toThrow(
      /cannot be read \(ENOENT\): check the path given with --kubeconfig/,
    );
  });

  test('a plugin that fails', async () => {
    const user = 'exec: {apiVersion: client.authentication.k8s.io/v1, command: /nonexistent/plugin, interactiveMode: Never}';
    const { auth } = await accessFromKubeconfig({ file: await fileWith(aConfig({ user })) });
    await expect(credentialsOf(auth)).rejects.toThrow(
      'the login command /nonexistent/plugin of its user is not installed: install it, or give the whole path to it',
    );
  });

  test('a plugin that says nothing, and one that says why', async () => {
    for (const [script, says] of [
      ['exit 1', /the login command .*quiet\.sh of its user gave no credentials: it said nothing$/],
      ['echo "log in first" >&2; exit 1', /gave no credentials: log in first$/],
      ['echo "<html>"', /gave no credentials: what it printed is not JSON$/],
    ] as const) {
      const plugin = join(folder, 'quiet.sh');
      await writeFile(plugin, `#!/bin/sh\n${script}\n`);
      await chmod(plugin, 0o755);
      const user = `exec: {apiVersion: client.authentication.k8s.io/v1, command: ${plugin}, interactiveMode: Never}`;
      const { auth } = await accessFromKubeconfig({ file: await fileWith(aConfig({ user })) });
      await expect(credentialsOf(auth)).rejects.toThrow(says);
    }
  });

  test('a client certificate that is none', async () => {
    const data = `client-certificate-data: ${base64('cert')}, client-key-data: ${base64('key')}`;
    const access = await accessFromKubeconfig({ file: await fileWith(aConfig({ user: data })) });
    const clock = new SystemClock();
    const cluster = new KubernetesCluster({ access: { ...access, server: 'https://127.0.0.1:9' }, clock });
    await expect(cluster.get(NAMESPACES, { namespace: '', name: 'kube-system' }, deadlineIn(clock, 5_000))).rejects.toThrow(
      /^GET https:\/\/127\.0\.0\.1:9: the certificate or key to be let in with is not PEM: check them/,
    );
    cluster.close();
  });
});

describe('a service account', () => {
  test('gives address, authority and the token as it stands', async () => {
    await writeFile(join(folder, 'ca.crt'), 'authority');
    await writeFile(join(folder, 'token'), 'one\n');
    const access = await accessFromServiceAccount({ KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }, folder);
    expect(access).toMatchObject({ server: 'https://10.0.0.1:443', caPem: 'authority' });
    expect(await credentialsOf(access.auth)).toEqual({ authorization: 'Bearer one' });
    await writeFile(join(folder, 'token'), 'two');
    expect(await credentialsOf(access.auth)).toEqual({ authorization: 'Bearer two' });
  });

  test('is missed outside of a cluster', async () => {
    await expect(accessFromServiceAccount({})).rejects.toThrow(/outside of a cluster give --kubeconfig FILE/);
  });
});
