// Login commands: what they are told, how long their credentials are kept, what renews them.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExecPlugin } from '../../../lib/adapters/kubernetes/exec-plugin.ts';
import { openJsonClient } from '../../../lib/adapters/kubernetes/json-client.ts';
import { startScriptedServer } from './scripted-server.ts';

const V1 = 'client.authentication.k8s.io/v1';
const NOW_MS = Date.parse('2026-01-01T00:00:00Z');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farloop-plugin-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

/** A command whose n-th run gives the token `n`, ending as `expires` says; each run adds a line to the file. */
async function counting(expires = ''): Promise<{ exec: object; runs: () => Promise<string[]> }> {
  const file = await mkdtemp(join(folder, 'runs-'));
  const status = `\\"token\\":\\"$n\\"${expires === '' ? '' : `,\\"expirationTimestamp\\":\\"${expires}\\"`}`;
  const script = `echo "$KUBERNETES_EXEC_INFO $EXTRA" >> ${file}/runs; n=$(wc -l < ${file}/runs | tr -d ' '); echo "{\\"status\\":{${status}}}"`;
  const exec = {
    apiVersion: V1,
    command: '/bin/sh',
    args: ['-c', script],
    env: [{ name: 'EXTRA', value: 'extra' }],
    provideClusterInfo: true,
  };
  return { exec, runs: async () => (await readFile(`${file}/runs`, 'utf8')).trim().split('\n') };
}

const pluginOf = (exec: object, nowMs: () => number): ExecPlugin =>
  new ExecPlugin({ exec, environment: process.env, cluster: { server: 'https://c' }, folder, nowMs });

describe('credentials of a login command', () => {
  test('one run for all requests at once, told whom it is for', async () => {
    const { exec, runs } = await counting();
    const plugin = pluginOf(exec, () => NOW_MS);
    const all = await Promise.all(Array.from({ length: 8 }, () => plugin.credentials()));
    expect(new Set(all.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer 1']));
    const told = await runs();
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/ extra$/);
    expect(JSON.parse(told[0]?.replace(/ extra$/, '') ?? '')).toEqual({
      apiVersion: V1,
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://c' } },
    });
  });

  test('kept until shortly before they end, then renewed', async () => {
    let nowMs = NOW_MS;
    const plugin = pluginOf((await counting('2026-01-01T00:15:00Z')).exec, () => nowMs);
    expect(await plugin.credentials()).toEqual({ authorization: 'Bearer 1' });
    nowMs += 14 * 60_000;
    expect(await plugin.credentials()).toEqual({ authorization: 'Bearer 1' });
    nowMs += 55_000;
    expect(await plugin.credentials()).toEqual({ authorization: 'Bearer 2' });
  });

  test('refused ones are renewed, those of a moment ago are not', async () => {
    let nowMs = NOW_MS;
    const plugin = pluginOf((await counting()).exec, () => nowMs);
    const first = await plugin.credentials();
    plugin.refused(first);
    expect(await plugin.credentials()).toBe(first);
    nowMs += 60_000;
    plugin.refused(first);
    const second = await plugin.credentials();
    expect(second).toEqual({ authorization: 'Bearer 2' });
    // An answer that was late speaks of the old ones.
    nowMs += 60_000;
    plugin.refused(first);
    expect(await plugin.credentials()).toBe(second);
  });

  test('a failed run is no end: the next request runs it again', async () => {
    const marker = join(folder, 'ready');
    const exec = { apiVersion: V1, command: '/bin/sh', args: ['-c', `test -f ${marker} || exit 1; echo '{"status":{"token":"late"}}'`] };
    const plugin = pluginOf(exec, () => NOW_MS);
    await expect(plugin.credentials()).rejects.toThrow('gave no credentials: it said nothing');
    await writeFile(marker, '');
    expect(await plugin.credentials()).toEqual({ authorization: 'Bearer late' });
  });

  test.each([
    [
      { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'x' },
      /speaks client\.authentication\.k8s\.io\/v1alpha1, which is not supported/,
    ],
    [{ apiVersion: V1 }, /an exec plugin without a command/],
    [{ apiVersion: V1, command: '/bin/echo', args: ['{"status":{}}'] }, /printed neither status\.token nor a certificate/],
  ])('%j is refused in a sentence', async (exec, says) => {
    await expect(pluginOf(exec, () => NOW_MS).credentials()).rejects.toThrow(says);
  });
});

test('a client goes on with new credentials once the server has refused the old ones', async () => {
  const server = await startScriptedServer();
  let nowMs = NOW_MS;
  const plugin = pluginOf((await counting()).exec, () => nowMs);
  const client = openJsonClient({
    server: server.url,
    caPem: server.caPem,
    auth: { kind: 'dynamic', credentials: async () => await plugin.credentials(), refused: (refused) => plugin.refused(refused) },
  });
  let good = 'Bearer 1';
  server.answer(({ headers }, response) => response.writeHead(headers.authorization === good ? 200 : 401).end());
  const status = async (): Promise<number> => (await client.request({ method: 'GET', path: '/' })).status;
  try {
    expect(await status()).toBe(200);
    nowMs += 3_600_000;
    good = 'Bearer 2';
    expect([await status(), await status()]).toEqual([401, 200]);
  } finally {
    client.close();
    await server.stop();
  }
});
