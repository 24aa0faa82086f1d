// API servers behind a proxy: which proxy, what it reads, what it says when it lets nobody through.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ClusterAccess } from '../../../lib/adapters/kubernetes/access.ts';
import { Connection } from '../../../lib/adapters/kubernetes/connection.ts';
import { openJsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import { proxyAt, proxyOfEnvironment } from '../../../lib/adapters/kubernetes/proxy-choice.ts';
import type { ConnectProxy } from './connect-proxy.ts';
import { startConnectProxy } from './connect-proxy.ts';
import type { ScriptedServer } from './scripted-server.ts';
import { says, startScriptedServer } from './scripted-server.ts';

let server: ScriptedServer;
let proxy: ConnectProxy;
beforeAll(async () => {
  server = await startScriptedServer();
});
beforeEach(async () => {
  proxy = await startConnectProxy(() => server.port);
});
afterEach(async () => await proxy.stop());
afterAll(async () => await server.stop());

const behind = (access: Partial<ClusterAccess> = {}, address = `http://${proxy.host}`): ClusterAccess => ({
  // A name that only the proxy knows, and a certificate for another one.
  server: 'https://api.cluster.invalid:6443',
  tlsServerName: 'cluster.invalid',
  insecureSkipTls: true,
  proxy: proxyAt(address, 'proxy-url'),
  auth: { kind: 'token', token: 'secret' },
  ...access,
});
const opened = (access: ClusterAccess, timeoutMs = 5_000): Connection =>
  new Connection(access, { connections: 4, timeoutMs, answerBytesMax: 100_000 });
const get = { method: 'GET', path: '/version', isTooLate: () => false } as const;

describe('through a proxy', () => {
  test('calls share kept connections, a watch has its own, and only the server reads the token', async () => {
    const seen: (string | undefined)[] = [];
    server.answer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}\n');
    });
    const client = openJsonClient(behind());
    for (let call = 0; call < 3; call += 1)
      expect(await client.request({ method: 'GET', path: '/version' })).toEqual({ status: 200, body: { a: 1 } });
    const lines: unknown[] = [];
    for await (const line of client.watch({ path: '/watch', signal: new AbortController().signal })) lines.push(line);
    client.close();
    expect(lines).toEqual([{ a: 1 }]);
    expect(seen).toEqual(Array.from({ length: 4 }, () => 'Bearer secret'));
    expect(proxy.targets).toEqual(['api.cluster.invalid:6443', 'api.cluster.invalid:6443']);
    expect(proxy.authorizations).toEqual([undefined, undefined]);
  });

  test('the certificate is still the server’s to show', async () => {
    const connection = opened(behind({ insecureSkipTls: false }));
    await expect(connection.call(get)).rejects.toMatchObject({
      name: 'NotDoneError',
      message: expect.stringContaining('its certificate is not from the authority given'),
    });
    connection.close();
    server.answer(says(200, '{}'));
    const address = { server: `https://127.0.0.1:${server.port}`, caPem: server.caPem, insecureSkipTls: false };
    const { tlsServerName: _, ...access } = behind(address);
    const trusting = opened(access);
    expect(await trusting.call(get)).toMatchObject({ status: 200 });
    trusting.close();
  });

  test('a name and a password go to the proxy alone', async () => {
    server.answer(says(200, '{}'));
    const connection = opened(behind({}, `http://us%40er:pass@${proxy.host}`));
    await connection.call(get);
    connection.close();
    expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('us@er:pass').toString('base64')}`]);
  });

  test.each([
    [407, 'wants a name and a password (407)'],
    [403, 'does not let anybody through to api.cluster.invalid:6443 from here (403)'],
    [502, 'did not reach api.cluster.invalid:6443 (502)'],
    [405, 'does not do CONNECT (405)'],
  ])('an answer %i is said in a sentence without a password, and nothing was sent', async (status, sentence) => {
    proxy.answer(status);
    const connection = opened(behind({}, `http://user:hidden@${proxy.host}`));
    const fault: unknown = await connection.call(get).catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: 'NotDoneError', message: expect.stringContaining(sentence) });
    expect(String(fault)).toContain(`the proxy http://${proxy.host} (proxy-url)`);
    expect(String(fault)).not.toContain('hidden');
    connection.close();
  });

  test('one that does not listen, and one that keeps silent', async () => {
    const nowhere = opened(behind({}, 'http://127.0.0.1:9'));
    await expect(nowhere.call(get)).rejects.toThrow(/the proxy http:\/\/127\.0\.0\.1:9 \(proxy-url\): nothing listens there/);
    nowhere.close();
    proxy.answer('silence');
    const silent = opened(behind(), 100);
    // Whichever notices first: the call, or the tunnel that it waits for.
    await expect(silent.call(get)).rejects.toMatchObject({
      name: 'NotDoneError',
      message: expect.stringMatching(/no answer within 0\.1 s|did not answer in time/),
    });
    silent.close();
  });

  test('a call that was given up while its tunnel was made leaves the next one alone', async () => {
    server.answer(says(200, '{}'));
    const connection = opened(behind());
    const givingUp = new AbortController();
    const given = connection.call({ ...get, signal: givingUp.signal });
    givingUp.abort(new Error('given up'));
    await expect(given).rejects.toMatchObject({ name: 'NotDoneError' });
    expect(await connection.call(get)).toMatchObject({ status: 200 });
    connection.close();
  });

  test('plain http does not go through one', () => {
    expect(() => opened(behind({ server: 'http://127.0.0.1:8080' }))).toThrow(/a proxy would read the credentials/);
  });
});

describe('which proxy the environment names', () => {
  const cases: { server?: string; environment: Record<string, string>; proxy?: string; source?: string }[] = [
    { environment: {} },
    { environment: { HTTPS_PROXY: 'http://p:3128' }, proxy: 'http://p:3128/', source: 'HTTPS_PROXY' },
    { environment: { https_proxy: 'https://p' }, proxy: 'https://p/', source: 'https_proxy' },
    { environment: { HTTPS_PROXY: 'p:3128' }, proxy: 'http://p:3128/' },
    { environment: { HTTP_PROXY: 'http://p:3128' } },
    { environment: { HTTPS_PROXY: 'http://p', NO_PROXY: '*' } },
    { environment: { HTTPS_PROXY: 'http://p', NO_PROXY: 'other.org, example.com' } },
    { environment: { HTTPS_PROXY: 'http://p', no_proxy: '.example.com' } },
    { environment: { HTTPS_PROXY: 'http://p', NO_PROXY: '*.example.com' } },
    { environment: { HTTPS_PROXY: 'http://p', NO_PROXY: 'api.example.com:6443' } },
    { environment: { HTTPS_PROXY: 'http://p', NO_PROXY: 'api.example.com:443' }, proxy: 'http://p/' },
    { environment: { HTTPS_PROXY: 'http://p', NO_PROXY: '.api.example.com' }, proxy: 'http://p/' },
    { environment: { HTTPS_PROXY: 'http://p', NO_PROXY: 'ample.com' }, proxy: 'http://p/' },
    { server: 'https://10.1.2.3', environment: { HTTPS_PROXY: 'http://p', NO_PROXY: '10.0.0.0/8' } },
    { server: 'https://10.1.2.3', environment: { HTTPS_PROXY: 'http://p', NO_PROXY: '10.1.2.3' } },
    { server: 'https://11.1.2.3', environment: { HTTPS_PROXY: 'http://p', NO_PROXY: '10.0.0.0/8,10.1.2.3,.2.3' }, proxy: 'http://p/' },
    { server: 'https://[fd00::1]:6443', environment: { HTTPS_PROXY: 'http://p', NO_PROXY: 'fd00::/16' } },
    { server: 'https://127.0.0.1:6443', environment: { HTTPS_PROXY: 'http://p' } },
    { server: 'https://localhost:6443', environment: { HTTPS_PROXY: 'http://p' } },
    { server: 'http://127.0.0.1:8080', environment: { HTTPS_PROXY: 'http://p' } },
  ];
  test.each(cases)('$server $environment → $proxy', ({ server: address = 'https://api.example.com:6443', environment, ...want }) => {
    const found = proxyOfEnvironment(address, environment);
    expect(found?.url.href).toBe(want.proxy);
    if (want.source !== undefined) expect(found?.source).toBe(want.source);
  });

  test('one that is none', () => {
    expect(() => proxyOfEnvironment('https://a', { HTTPS_PROXY: 'socks5://p' })).toThrow(/has the scheme socks5, which is not supported/);
    expect(() => proxyOfEnvironment('https://a', { HTTPS_PROXY: '%%' })).toThrow(/is not the address of a proxy/);
  });
});
