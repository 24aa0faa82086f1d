// How server and nodes know each other: the client certificate, where nodes find its authority, reviews of who asks a node, and where one is.
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { NodeDialer } from '../../../lib/sandbox/nodes/node-dialer.ts';
import { endpointOf } from '../../../lib/sandbox/nodes/node-endpoint.ts';
import { failureOf } from '../../claims.ts';
import { accountWith, ask, clientAuthorityOf, startSandbox, startStandIn } from './node-stand-in.ts';
import type { Sandbox } from './node-stand-in.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-sandbox-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (): Record<string, unknown> => JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));

async function within(use: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({ folder });
  try {
    await use(sandbox);
  } finally {
    await sandbox.stop();
  }
}

test('the certificate is one of a client, named as on a real server, of the authority that kube-system names; all of it stays', async () => {
  let authority = '';
  await within(async (sandbox) => {
    authority = await clientAuthorityOf(sandbox);
    const { certPem } = fileOf()['client'] as { certPem: string };
    const certificate = new X509Certificate(certPem);
    expect(certificate.subject).toBe('O=system:masters\nCN=kube-apiserver-kubelet-client');
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.checkIssued(new X509Certificate(authority))).toBe(true);
    expect(certificate.verify(new X509Certificate(authority).publicKey)).toBe(true);
  });
  const before = fileOf();
  await within(async (sandbox) => expect(await clientAuthorityOf(sandbox)).toBe(authority));
  expect(fileOf()).toEqual(before);
});

test('a folder of an earlier version keeps its authority and token; the config map follows a new certificate and keeps the rest', async () => {
  let server: unknown;
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  await within(async ({ caPem, token }) => {
    server = { caPem, token };
  });
  await within(async (sandbox) => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await ask(sandbox, path, { method: 'PATCH', body: { data: { more: 'kept', 'client-ca-file': 'old' } }, headers })).status).toBe(
      200,
    );
  });
  const { client: _, ...earlier } = fileOf();
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(earlier));
  await within(async (sandbox) => {
    expect({ caPem: sandbox.caPem, token: sandbox.token }).toEqual(server);
    const { caPem } = fileOf()['client'] as { caPem: string };
    expect((await ask(sandbox, path)).body['data']).toEqual({ more: 'kept', 'client-ca-file': caPem });
  });
});

test('reviews answer what a node asks of its callers', async () => {
  await within(async (sandbox) => {
    const resources = ['nodes/metrics', 'nodes/stats'];
    const token = await accountWith(sandbox, 'scraper', [{ apiGroups: [''], resources, verbs: ['get'] }]);
    const review = async (group: string, plural: string, spec: object): Promise<unknown> =>
      (await ask(sandbox, `/apis/${group}/v1/${plural}`, { method: 'POST', body: { spec } })).body['status'];
    const identified = await review('authentication.k8s.io', 'tokenreviews', { token });
    expect(identified).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:default:scraper' } });
    const isAllowed = async (user: string, subresource: string, groups: string[] = []): Promise<unknown> => {
      const resourceAttributes = { verb: 'get', resource: 'nodes', subresource, name: 'edge', version: 'v1' };
      const status = await review('authorization.k8s.io', 'subjectaccessreviews', { user, groups, resourceAttributes });
      return (status as { allowed: boolean }).allowed;
    };
    const asked = ['log', 'proxy', 'stats', 'metrics'];
    const scraper = await Promise.all(asked.map(async (each) => await isAllowed('system:serviceaccount:default:scraper', each)));
    expect(scraper).toEqual([false, false, true, true]);
    const server = await Promise.all(asked.map(async (each) => await isAllowed('kube-apiserver-kubelet-client', each, ['system:masters'])));
    expect(server).toEqual([true, true, true, true]);
  });
});

const internal = { type: 'InternalIP', address: '10.0.0.1' };
const external = { type: 'ExternalIP', address: '203.0.113.1' };
test.each([
  [[external, internal], 10250, { host: '10.0.0.1', port: 10250 }],
  [[{ type: 'Hostname', address: 'edge' }, external], 1, { host: '203.0.113.1', port: 1 }],
  [[{ type: 'InternalIP', address: '::1' }], 1, { host: '::1', port: 1 }],
  [[{ type: 'Hostname', address: 'edge' }], 10250, undefined],
  [[internal], 0, undefined],
  [[internal], 70_000, undefined],
  [[], 10250, undefined],
])('addresses %j and port %i: %j', (addresses, Port, endpoint) => {
  expect(endpointOf({ metadata: {}, status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port } } } })).toEqual(endpoint);
});

test('a node that says nothing is not waited for longer than the bound, one that breaks off at once', async () => {
  const silent = await startStandIn({ answer: () => undefined });
  const dialer = new NodeDialer(() => undefined);
  const failure = async (port: number): Promise<unknown> =>
    await failureOf(dialer.ask({ host: '127.0.0.1', port }, { method: 'GET', path: '/', withinMs: 100 }));
  expect(await failure(silent.port)).toMatchObject({ name: 'DialError', message: `dial tcp 127.0.0.1:${silent.port}: i/o timeout` });
  await silent.close();
  const broken = await startStandIn({ answer: ({ socket }) => socket.destroy() });
  expect(await failure(broken.port)).toMatchObject({ name: 'DialError', message: 'EOF' });
  await broken.close();
});
