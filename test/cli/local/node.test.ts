// `farloop node` finds its cluster by all that a kubeconfig may say: a proxy, another name in the certificate or none that counts, a
// login command whose credentials end while it runs.
import { afterEach, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { startSandbox } from '../../../lib/sandbox/sandbox.ts';
import type { ConnectProxy } from '../../adapters/kubernetes/connect-proxy.ts';
import { startConnectProxy } from '../../adapters/kubernetes/connect-proxy.ts';
import { comesAbout } from '../../claims.ts';
import { openNodeClient } from '../../node-client.ts';
import { FarloopProcess, temporaryFolder } from '../farloop-process.ts';

const endings: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

/** Ends with a second of life left. */
const PLUGIN = (token: string, runs: string): string => `#!/bin/sh
echo run >> ${runs}
end=$(date -u -d '+1 second' +%Y-%m-%dT%H:%M:%SZ)
echo "{\\"status\\":{\\"token\\":\\"${token}\\",\\"expirationTimestamp\\":\\"$end\\"}}"
`;

async function reached(): Promise<{ api: JsonClient; proxy: ConnectProxy; kubeconfig: string; runs: () => number }> {
  const folder = temporaryFolder();
  endings.push(folder.remove);
  const sandbox = await startSandbox();
  endings.push(sandbox.stop);
  const proxy = await startConnectProxy(() => sandbox.port);
  endings.push(proxy.stop);
  const api = openNodeClient(sandbox);
  endings.push(api.close);
  const [plugin, runs, kubeconfig] = ['plugin.sh', 'runs', 'config'].map((name) => join(folder.path, name)) as [string, string, string];
  writeFileSync(plugin, PLUGIN(sandbox.token, runs), { mode: 0o755 });
  const cluster = {
    server: 'https://api.cluster.invalid:6443',
    'proxy-url': `http://${proxy.host}`,
    'insecure-skip-tls-verify': true,
    'tls-server-name': 'somebody.else',
  };
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh', interactiveMode: 'Never' };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: { exec } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return { api, proxy, kubeconfig, runs: () => readFileSync(runs, 'utf8').trim().split('\n').length };
}

test('through a proxy, without a certificate that counts, with credentials that are renewed', async () => {
  const { api, proxy, kubeconfig, runs } = await reached();
  const node = new FarloopProcess(['node', '--simulated', '--kubeconfig', kubeconfig, '--name', 'far']);
  endings.push(async () => await node.destroy());
  await node.says('node far ready\n');
  const before = runs();
  const pod = {
    metadata: { name: 'renewed', annotations: { 'sim.farloop.dev/run-seconds': '1.1' } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
  };
  expect((await api.request({ method: 'POST', path: '/api/v1/namespaces/default/pods', body: pod })).status).toBe(201);
  const hasSucceeded = async (): Promise<boolean> => {
    const { body } = await api.request({ method: 'GET', path: '/api/v1/namespaces/default/pods/renewed' });
    return (body as Pod).status?.phase === 'Succeeded';
  };
  expect(await comesAbout(hasSucceeded, 30_000)).toBe(true);
  expect(runs()).toBeGreaterThan(before);
  expect(new Set(proxy.targets)).toEqual(new Set(['api.cluster.invalid:6443']));
  expect(await node.end('SIGTERM')).toMatchObject({ exitCode: 0 });
  expect(node.stderr).toBe('');
});
