// Who is let in: by certificate, by token, by right, on a node that is open; and what is said and logged of those who are not.
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NotFoundError } from '../../lib/ports/errors.ts';
import { until } from '../claims.ts';
import { NodeUnderTest, runningPod } from './node-under-test.ts';

const LOG = '/containerLogs/default/a/main';
let under: NodeUnderTest;
beforeAll(async () => {
  under = await NodeUnderTest.prepare();
});
afterAll(async () => await under.stop());
beforeEach(async () => {
  under.pods.splice(0, Infinity, runningPod('a'));
  under.rights.tokens = { reader: { username: 'system:serviceaccount:default:reader' }, nobody: { username: 'nobody' } };
  under.rights.allowed = { 'kube-apiserver-kubelet-client': ['*'], 'system:serviceaccount:default:reader': ['get proxy'] };
  under.reviews.length = 0;
  under.warnings.length = 0;
  under.tasks = {
    ...under.tasks,
    figures: async () => [],
    logs: async function* () {
      yield Buffer.from('hello\n');
    },
  };
  await under.start();
});

test("an API server's certificate lets in, and its right is asked for once in some seconds", async () => {
  for (let time = 0; time < 3; time += 1) expect((await under.ask('/pods')).status).toBe(200);
  expect(await under.ask(LOG)).toMatchObject({ status: 200, text: 'hello\n' });
  expect(under.reviews).toEqual(['SubjectAccessReview']);
});

test('a certificate of another signer is none: 401, logged once', async () => {
  const as = await under.client.certificate({ name: 'kube-apiserver-kubelet-client', group: 'system:masters', isForeign: true });
  for (const path of ['/pods', LOG, '/metrics/resource', '/nothing'])
    expect(await under.ask(path, { as })).toMatchObject({ status: 401, text: 'Unauthorized' });
  expect(under.reviews).toEqual([]);
  expect(under.warnings).toEqual([
    {
      message: 'a virtual node refused a caller',
      fields: { node: 'edge', caller: 'somebody unknown', status: 401, reason: 'Unauthorized' },
    },
  ]);
});

test('a session that is taken up again makes nobody known', async () => {
  const foreign = await under.client.certificate({ name: 'kube-apiserver-kubelet-client', group: 'system:masters', isForeign: true });
  for (const certificate of [{}, foreign]) {
    const statusOf = async (session?: Buffer): Promise<{ status: string; session: Buffer | undefined; isReused: boolean }> =>
      await new Promise((resolve, reject) => {
        let [taken, text, isReused]: [Buffer | undefined, string, boolean] = [undefined, '', false];
        const socket: TLSSocket = connect({
          host: '127.0.0.1',
          port: under.port,
          rejectUnauthorized: false,
          ...certificate,
          ...(session && { session }),
        });
        socket.on('session', (given) => (taken = given));
        socket.on('secureConnect', () => {
          isReused = socket.isSessionReused();
          socket.write('GET /pods HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n');
        });
        socket.on('data', (chunk) => (text += chunk.toString()));
        socket.on('error', reject);
        socket.on('close', () => resolve({ status: text.slice(9, 12), session: taken, isReused }));
      });
    const first = await statusOf();
    expect(first.status).toBe('401');
    expect(first.session).toBeDefined();
    expect(await statusOf(first.session)).toMatchObject({ status: '401', isReused: true });
  }
});

test('a caller without anything: 401', async () => {
  expect(await under.ask('/pods', { as: {} })).toMatchObject({ status: 401, text: 'Unauthorized' });
  expect(await under.ask('/healthz', { as: {} })).toMatchObject({ status: 401 });
});

describe('a token', () => {
  test('of somebody who may: let in, and asked about once in some seconds', async () => {
    for (let time = 0; time < 3; time += 1) expect((await under.ask('/pods', { as: { token: 'reader' } })).status).toBe(200);
    expect(under.reviews).toEqual(['TokenReview', 'SubjectAccessReview']);
  });

  test('of another audience, and one that nobody issued: 401, logged once', async () => {
    for (const token of ['elsewhere', 'elsewhere', 'forged'])
      expect(await under.ask('/pods', { as: { token } })).toMatchObject({ status: 401, text: 'Unauthorized' });
    expect(under.reviews).toEqual(['TokenReview', 'TokenReview']);
    expect(under.warnings).toHaveLength(1);
  });

  test('of somebody without the right: 403 with the sentence, logged once', async () => {
    const text = 'Forbidden (user=nobody, verb=get, resource=nodes, subresource=proxy)';
    for (let time = 0; time < 3; time += 1) expect(await under.ask(LOG, { as: { token: 'nobody' } })).toMatchObject({ status: 403, text });
    expect(under.warnings).toEqual([
      { message: 'a virtual node refused a caller', fields: { node: 'edge', caller: 'nobody', status: 403, reason: text } },
    ]);
    expect(under.reviews).toEqual(['TokenReview', 'SubjectAccessReview']);
  });

  test.each([
    ['GET', '/stats/summary', 'get', 'stats'],
    ['GET', '/metrics/resource', 'get', 'metrics'],
    ['GET', '/pods', 'get', 'proxy'],
    ['POST', '/pods', 'create', 'proxy'],
    ['GET', '/exec/default/a/main', 'create', 'proxy'],
    ['DELETE', LOG, 'delete', 'proxy'],
  ])('%s %s takes the right to %s nodes/%s', async (method, path, verb, subresource) => {
    expect(await under.ask(path, { method, as: { token: 'nobody' } })).toMatchObject({
      status: 403,
      text: `Forbidden (user=nobody, verb=${verb}, resource=nodes, subresource=${subresource})`,
    });
  });

  test('a right to read is none to run a command', async () => {
    under.tasks = { ...under.tasks, exec: async () => ({ exitCode: 0 }) };
    await under.start();
    expect(await under.ask('/exec/default/a/main?command=true&output=1', { as: { token: 'reader' } })).toMatchObject({
      status: 403,
      text: 'Forbidden (user=system:serviceaccount:default:reader, verb=create, resource=nodes, subresource=proxy)',
    });
  });

  test.each(['Basic cmVhZGVyOg==', 'Bearer', 'Bearer a b', 'reader'])('that is none, %s: 401 without a question', async (authorization) => {
    expect(await under.ask('/pods', { as: {}, headers: { authorization } })).toMatchObject({ status: 401 });
    expect(under.reviews).toEqual([]);
  });
});

test('a cluster that does not answer lets nobody in, and is asked again', async () => {
  const { tokens } = under.rights;
  Object.defineProperty(under.rights, 'tokens', {
    configurable: true,
    get: () => {
      throw new NotFoundError('no such kind');
    },
  });
  const refused = { status: 500, text: 'the cluster does not answer a TokenReview, so nobody is let in' };
  expect(await under.ask('/pods', { as: { token: 'reader' } })).toMatchObject(refused);
  Object.defineProperty(under.rights, 'tokens', { configurable: true, writable: true, value: tokens });
  expect(await under.ask('/pods', { as: { token: 'reader' } })).toMatchObject({ status: 200 });
});

describe('a node that is open', () => {
  beforeEach(async () => await under.start({ isOpen: true }));

  test('shows pods and figures to callers without credentials, and neither logs nor a command', async () => {
    for (const path of ['/pods', '/runningpods/', '/stats/summary', '/metrics/resource', '/healthz'])
      expect((await under.ask(path, { as: {} })).status).toBe(200);
    for (const path of [LOG, '/exec/default/a/main?command=true&output=1', '/attach/default/a/main', '/portForward/default/a', '/run/x'])
      expect(await under.ask(path, { as: {} })).toMatchObject({
        status: 403,
        text: `${path.split('/')[1]} asks for credentials: this node is open to callers without any, and gives them neither logs nor a command`,
      });
    expect(under.reviews).toEqual([]);
  });

  test('wrong credentials are no missing ones', async () => {
    expect(await under.ask('/pods', { as: { token: 'forged' } })).toMatchObject({ status: 401 });
    expect(await under.ask('/pods', { as: { token: 'nobody' } })).toMatchObject({ status: 403 });
  });

  test('those with credentials and rights get logs', async () => {
    expect(await under.ask(LOG)).toMatchObject({ status: 200, text: 'hello\n' });
    expect(await under.ask(LOG, { as: { token: 'reader' } })).toMatchObject({ status: 200 });
  });
});

test('a cluster that does not say who signs: certificates let nobody in, tokens do; no stranger is let in', async () => {
  const { caPem } = under;
  under.caPem = '';
  try {
    await under.start();
    expect(await under.ask('/pods')).toMatchObject({ status: 401 });
    expect(await under.ask('/pods', { as: { token: 'reader' } })).toMatchObject({ status: 200 });
    expect(under.warnings.map(({ message }) => message)).toEqual(['a virtual node refused a caller']);
  } finally {
    under.caPem = caPem;
  }
  await until('the signers are read again', async () => (await under.ask('/pods')).status === 200, 30_000);
});
