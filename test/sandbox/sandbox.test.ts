// The sandbox as people start it: HTTPS, a kubeconfig, a state folder, a port.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import type { Sandbox } from '../../lib/sandbox/sandbox.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'farloop-sandbox-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function ask(
  { url, caPem, token }: Pick<Sandbox, 'url' | 'caPem' | 'token'>,
  path: string,
  { method = 'GET', body = '' }: { method?: string; body?: string } = {},
): Promise<{ status: number; date: string; text: string }> {
  return new Promise((done, failed) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(new URL(path, url), { method, ca: caPem, agent: false, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => done({ status: answer.statusCode ?? 0, date: answer.headers.date ?? '', text }));
    });
    sent.on('error', failed);
    sent.end(body);
  });
}

test('the certificate, the token and the objects outlive a restart, kube-system keeps its uid', async () => {
  const first = await startSandbox({ folder });
  const path = '/api/v1/namespaces/default/configmaps';
  const made = await ask(first, path, { method: 'POST', body: '{"metadata":{"name":"kept"}}' });
  expect(made.status).toBe(201);
  const before = await ask(first, '/api/v1/namespaces/kube-system');
  await first.stop();
  const second = await startSandbox({ folder, port: first.port });
  expect([second.token, second.caPem, second.url]).toEqual([first.token, first.caPem, first.url]);
  expect((await ask(second, `${path}/kept`)).text).toBe(made.text);
  expect((await ask(second, '/api/v1/namespaces/kube-system')).text).toBe(before.text);
  await second.stop();
  expect(statSync(join(folder, 'credentials.json')).mode & 0o077).toBe(0);
});

test('the kubeconfig names the server, its certificate and the token', async () => {
  const sandbox = await startSandbox();
  expect(load(sandbox.kubeconfig)).toMatchObject({
    'current-context': 'farloop',
    clusters: [{ cluster: { server: sandbox.url, 'certificate-authority-data': Buffer.from(sandbox.caPem).toString('base64') } }],
    users: [{ user: { token: sandbox.token } }],
  });
  await sandbox.stop();
});

test('answers carry the time of the clock given', async () => {
  const sandbox = await startSandbox({ clock: () => Date.parse('2030-01-02T03:04:05Z') });
  const { date } = await ask(sandbox, '/version');
  expect(date).toBe('Wed, 02 Jan 2030 03:04:05 GMT');
  await sandbox.stop();
});

test('a used port and a used folder are each said in one sentence', async () => {
  const sandbox = await startSandbox({ folder });
  await expect(startSandbox({ port: sandbox.port })).rejects.toThrow(`port ${sandbox.port} on 127.0.0.1 is already in use`);
  await expect(startSandbox({ folder })).rejects.toThrow(/in use by another running sandbox/);
  await sandbox.stop();
  const again = await startSandbox({ folder });
  await again.stop();
});

test('a body beyond 3 MiB is refused before it is read, and the server lives on', async () => {
  const sandbox = await startSandbox();
  const body = JSON.stringify({ metadata: { name: 'large' }, data: { k: 'x'.repeat(4 * 1024 * 1024) } });
  const { status, text } = await ask(sandbox, '/api/v1/namespaces/default/configmaps', { method: 'POST', body });
  expect([status, JSON.parse(text).reason]).toEqual([413, 'RequestEntityTooLarge']);
  expect((await ask(sandbox, '/healthz')).text).toBe('ok');
  await sandbox.stop();
});

test('a wrong token is 401, of any length', async () => {
  const sandbox = await startSandbox();
  for (const token of ['', 'x', 'x'.repeat(sandbox.token.length)]) {
    expect((await ask({ ...sandbox, token }, '/api/v1/namespaces')).status).toBe(401);
  }
  await sandbox.stop();
});
