// `nodes/NAME/proxy`: what reaches the node, what comes back, who may, and that no path leads elsewhere.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { accountWith, addNode, ask, callerOf, clientAuthorityOf, startSandbox, startStandIn } from './node-stand-in.ts';
import type { Sandbox, StandIn } from './node-stand-in.ts';

const PROXY = '/api/v1/nodes/edge/proxy';

let sandbox: Sandbox;
let node: StandIn;

beforeAll(async () => {
  sandbox = await startSandbox();
  node = await startStandIn({
    caPem: await clientAuthorityOf(sandbox),
    answer: (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      const { method, url, headers } = incoming;
      const status = url?.startsWith('/teapot') === true ? 418 : 200;
      outgoing.writeHead(status, { 'content-type': 'application/json', 'x-node': 'yes' });
      const told = { method, url, caller: callerOf(incoming), authorization: headers.authorization, accept: headers.accept };
      incoming.on('end', () => outgoing.end(JSON.stringify({ ...told, body: Buffer.concat(chunks).toString('hex') })));
    },
  });
  await addNode(sandbox, 'edge', node.port);
  await addNode(sandbox, 'down', 1);
  await addNode(sandbox, 'plain', 0);
});
afterAll(async () => {
  await sandbox.stop();
  await node.close();
});

test.each([
  ['/pods', '/pods'],
  ['/metrics/resource?a=b%20c&a=d', '/metrics/resource?a=b+c&a=d'],
  ['/', '/'],
  ['/logs/', '/logs/'],
  ['/a/../b', '/b'],
  ['/../../../nodes/other/proxy/x', '/nodes/other/proxy/x'],
  ['/%2e%2e/%2e%2e%2fetc', '/etc'],
  ['/a%20b/%3Fc', '/a%20b/%3Fc'],
])('%s reaches the node as %s', async (path, url) => {
  const { status, headers, body } = await ask(sandbox, `${PROXY}${path}`, { headers: { accept: 'text/plain' } });
  expect([status, headers['x-node']]).toEqual([200, 'yes']);
  expect(body).toEqual({ method: 'GET', url, caller: 'system:masters/kube-apiserver-kubelet-client', accept: 'text/plain', body: '' });
});

test('other methods and bodies pass as they are, and the status of the answer', async () => {
  const bytes = Buffer.from([0, 255, 128, 10]);
  const headers = { 'content-type': 'application/octet-stream' };
  const posted = await ask(sandbox, `${PROXY}/teapot`, { method: 'POST', body: bytes, headers });
  expect([posted.status, posted.body]).toEqual([418, expect.objectContaining({ method: 'POST', body: bytes.toString('hex') })]);
  expect((await ask(sandbox, `${PROXY}/x`, { method: 'DELETE' })).body).toMatchObject({ method: 'DELETE', url: '/x' });
  const head = await ask(sandbox, `${PROXY}/x`, { method: 'HEAD' });
  expect([head.status, head.bytes.length, head.headers['x-node']]).toEqual([200, 0, 'yes']);
});

test('without a path a browser is sent to the root', async () => {
  const { status, headers } = await ask(sandbox, `${PROXY}?a=b`);
  expect([status, headers.location]).toEqual([301, `${PROXY}/?a=b`]);
});

test.each([
  ['/api/v1/nodes/down/proxy/pods', 503, 'error trying to reach service: dial tcp 127.0.0.1:1: connect: connection refused'],
  ['/api/v1/nodes/plain/proxy/pods', 400, 'node plain has no API to dial: its Node names no address that is an IP, or no port'],
  ['/api/v1/nodes/absent/proxy/pods', 404, 'nodes "absent" not found'],
  ['/api/v1/nodes/https:edge:10250/proxy/pods', 404, 'nodes "https:edge:10250" not found'],
])('%s: %i %s', async (path, status, message) => {
  expect(await ask(sandbox, path)).toMatchObject({ status, body: { kind: 'Status', message } });
});

test('the right is that of the method on nodes/proxy', async () => {
  const token = await accountWith(sandbox, 'reader', [{ apiGroups: [''], resources: ['nodes/proxy'], verbs: ['get'] }]);
  expect((await ask(sandbox, `${PROXY}/pods`, { token })).status).toBe(200);
  expect(await ask(sandbox, `${PROXY}/run`, { token, method: 'POST', body: {} })).toMatchObject({
    status: 403,
    body: {
      message:
        'nodes "edge" is forbidden: User "system:serviceaccount:default:reader" cannot create resource "nodes/proxy" in API group "" at the cluster scope',
    },
  });
});
