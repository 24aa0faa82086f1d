// `farloop console`: the console of an installation elsewhere on this machine; whoever has no token of its own hears nothing.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { embeddedPorts, giveUp, know, type EmbeddedPorts } from '../../api/embedded-ports.ts';
import { serveApi } from '../../api/served-api.ts';
import type { Listening } from '../../listening.ts';
import { FarloopProcess, runWithin } from '../farloop-process.ts';

let ports: EmbeddedPorts;
let api: Listening;
const asked: IncomingMessage[] = [];

beforeAll(async () => {
  ports = await embeddedPorts('staging');
  await know(ports, { name: 'demo', cluster: 'staging' });
  api = await serveApi(ports, 'token-of-the-installation', { onRequest: (request) => asked.push(request) });
});

afterAll(async () => {
  await api.stop();
  ports.close();
});

let running: FarloopProcess | undefined;
afterEach(async () => await running?.destroy());

/** What the browser is told to open: address and token. */
async function open(): Promise<{ url: string; token: string }> {
  running = new FarloopProcess(['console', '--port', '0', '--endpoint', api.url], {
    environment: { FARLOOP_TOKEN: 'token-of-the-installation' },
  });
  await running.says(/console +http.*\n/);
  const [, url = '', token = ''] = /console +(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]+)\n/.exec(running.stdout) ?? [];
  return { url, token };
}

const call = async (url: string, token: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(url, { ...init, headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, body: await answer.json() };
};

describe('farloop console', () => {
  test('serves the page, and passes what it asks on with what shows who asks; ends when told to', async () => {
    const { url, token } = await open();
    expect(await (await fetch(url)).text()).toContain('/console/console.js');
    expect(await call(`${url}/v1/workloads?limit=5&cluster=staging`, token)).toMatchObject({
      status: 200,
      body: { items: [{ name: 'demo', cluster: 'staging' }] },
    });
    await ports.queue.send('timers', [{ body: 'not a timer' }]);
    await giveUp(ports, 'timers');
    expect(await call(`${url}/v1/dead-letters/redrive`, token, { method: 'POST', body: '{"messageIds":["another"]}' })).toEqual({
      status: 200,
      body: { redriven: 0 },
    });
    // Never "all of them" for a body that cannot be meant.
    expect(await call(`${url}/v1/dead-letters/redrive`, token, { method: 'POST', body: '"all"' })).toMatchObject({ status: 400 });
    expect(await call(`${url}/v1/dead-letters/redrive`, token, { method: 'POST' })).toEqual({ status: 200, body: { redriven: 1 } });
    for (const request of asked) expect(request.headers.authorization).toBe('Bearer token-of-the-installation');
    expect((await running?.end('SIGTERM'))?.exitCode).toBe(0);
  });

  test('answers nobody without the token that it printed, and passes on nothing but /v1', async () => {
    const { url, token } = await open();
    const before = asked.length;
    for (const wrong of ['', 'wrong', 'token-of-the-installation']) expect((await call(`${url}/v1/clusters`, wrong)).status).toBe(401);
    for (const path of ['/metrics', '/openapi.json', '/v2/clusters', '/v1/../metrics'])
      expect([path, (await call(`${url}${path}`, token)).status]).toEqual([path, 404]);
    expect((await call(`${url}/v1/dead-letters/redrive`, token, { method: 'PUT', body: '{}' })).status).toBe(404);
    expect(asked).toHaveLength(before);
    expect(await call(`${url}/v1/workloads/staging/Job/default/nowhere`, token)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('there is no workload') },
    });
  });

  test('passes a refusal on as it is, with the right that is missing; and asks for nothing that it has already', async () => {
    const { url, token } = await open();
    const action = `${url}/v1/workloads/staging/Job/default/demo/actions`;
    expect(await call(action, token, { method: 'POST', body: '{"action":"suspend","dryRun":true}' })).toMatchObject({
      status: 403,
      body: { needs: 'actions=on', detail: expect.stringContaining('it needs actions=on') },
    });
    expect(await call(`${url}/v1/me`, token)).toMatchObject({ status: 200, body: { mayAct: false } });
    await call(`${url}/v1/clusters`, token);
    await call(`${url}/v1/clusters`, token);
    const clusters = asked.filter(({ url: path }) => path === '/v1/clusters');
    expect(clusters.at(-1)?.headers['if-none-match']).toMatch(/^W\//);
  });

  test('an installation that lets nobody in is told of at once, in one sentence', async () => {
    const ended = await runWithin(['console', '--port', '0', '--endpoint', api.url], { environment: { FARLOOP_TOKEN: 'wrong' } });
    expect(ended).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(/^farloop: [^\n]*token[^\n]*\n$/) });
  });
});
