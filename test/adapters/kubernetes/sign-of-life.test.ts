// What counts as a sign of life of an API server.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { NotDoneError, TerminalError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import { failureOf } from '../../claims.ts';
import type { ScriptedServer } from './scripted-server.ts';
import { refuses, says, startScriptedServer } from './scripted-server.ts';

type Script = (request: IncomingMessage, response: ServerResponse) => void;

let server: ScriptedServer;
let cluster: KubernetesCluster;
beforeAll(async () => {
  server = await startScriptedServer();
  const access = { server: server.url, caPem: server.caPem, auth: { kind: 'token', token: 'secret' } } as const;
  cluster = new KubernetesCluster({ access, clock: new SystemClock(), timeoutMs: 300 });
});
afterAll(async () => {
  cluster.close();
  await server.stop();
});
beforeEach(() => {
  server.requests.length = 0;
});

const sign = (): Promise<void> => cluster.signOfLife(new AbortController().signal);
/** As an API server of which one check fails. */
const unready =
  (identity: Script): Script =>
  (request, response) =>
    request.url === '/readyz' ? says(500, '[-]etcd failed: reason withheld')(request, response) : identity(request, response);

describe('sign of life', () => {
  test.each([
    ['ready', says(200, 'ok')],
    ['that asks for patience', refuses(429, {}, { 'retry-after': '1' })],
    ['that forbids the question', refuses(403)],
    ['without such a page', says(404, '404 page not found')],
  ])('a server %s lives, and is asked once', async (_, script) => {
    server.answer(script);
    await sign();
    expect(server.requests).toEqual(['GET /readyz']);
  });

  test('a server that says it is not ready, and serves what we need, lives', async () => {
    server.answer(unready(says(200, '{}')));
    await sign();
    expect(server.requests).toEqual(['GET /readyz', 'GET /api/v1/namespaces/kube-system?timeout=3s']);
  });

  test('one that serves nothing gives no sign, and what it says is told', async () => {
    server.answer(unready(says(500, 'etcdserver: request timed out\nmore')));
    const error = await failureOf(sign());
    expect(error).toEqual(new UnknownOutcomeError(`${server.url} answers 500: etcdserver: request timed out`));
  });

  test('one that does not take the token refuses', async () => {
    server.answer(refuses(401));
    expect(await failureOf(sign())).toMatchObject({ constructor: TerminalError, code: 401 });
  });

  test('one that keeps silent gives no sign; the next question does not wait for that connection', async () => {
    server.answer(() => {});
    expect(await failureOf(sign())).toBeInstanceOf(UnknownOutcomeError);
    server.answer(says(200, 'ok'));
    await sign();
  });

  test('where nothing listens there is no sign', async () => {
    const access = { server: 'https://127.0.0.1:1', auth: { kind: 'none' } } as const;
    const nobody = new KubernetesCluster({ access, clock: new SystemClock(), timeoutMs: 300 });
    expect(await failureOf(nobody.signOfLife(new AbortController().signal))).toBeInstanceOf(NotDoneError);
    nobody.close();
  });
});
