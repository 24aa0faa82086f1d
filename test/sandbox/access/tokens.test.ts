// Which bearer tokens the sandbox takes: its own, and those that it gave to a service account that is there, until they are over.
import { afterEach, expect, test } from '@jest/globals';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimsOf, signedToken } from '../../../lib/sandbox/access/signed-token.ts';
import type { Sandbox } from '../../../lib/sandbox/sandbox.ts';
import { startSandbox } from '../../../lib/sandbox/sandbox.ts';
import type { Answer } from '../../contracts/api-server/client.ts';
import { ApiClient } from '../../contracts/api-server/client.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const KEY = 'service-accounts.key';
const HOUR_MS = 3_600_000;

const opened: { sandbox: Sandbox; api: ApiClient }[] = [];
const folders: string[] = [];
let nowMs = Date.parse('2026-06-01T00:00:00Z');

afterEach(async () => {
  for (const { sandbox, api } of opened.splice(0)) {
    api.close();
    await sandbox.stop();
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function open(folder?: string): Promise<ApiClient> {
  const sandbox = await startSandbox({ clock: () => nowMs, ...(folder !== undefined && { folder }) });
  const { url, caPem, token } = sandbox;
  const api = new ApiClient({ url, caPem, token, forgetHistory: () => Promise.resolve(), close: () => Promise.resolve() });
  opened.push({ sandbox, api });
  return api;
}

async function tokenFor(api: ApiClient, spec: object = {}): Promise<string> {
  const answer = await api.create(`${ACCOUNTS}/worker/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec });
  return (answer.status as { token: string }).token;
}

const whoAmI = async (api: ApiClient, token: string): Promise<Answer> =>
  await api.post(SELF, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }, { token });
const statusWith = async (api: ApiClient, token: string): Promise<number> => (await whoAmI(api, token)).status;

test('a token names its account, and is taken until it is over', async () => {
  const api = await open();
  const { metadata } = await api.create(ACCOUNTS, { metadata: { name: 'worker' } });
  const token = await tokenFor(api);
  const { status, body } = await whoAmI(api, token);
  expect({ status, user: body.status }).toMatchObject({
    status: 201,
    user: { userInfo: { username: 'system:serviceaccount:default:worker', uid: metadata.uid } },
  });
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toEqual({
    aud: ['https://kubernetes.default.svc'],
    exp: nowMs / 1000 + 3600,
    iat: nowMs / 1000,
    iss: 'https://kubernetes.default.svc',
    jti: expect.stringMatching(/^[\da-f-]{36}$/),
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'worker', uid: metadata.uid } },
    nbf: nowMs / 1000,
    sub: 'system:serviceaccount:default:worker',
  });
  nowMs += HOUR_MS - 1;
  expect(await statusWith(api, token)).toBe(201);
  nowMs += 1;
  expect(await statusWith(api, token)).toBe(401);
});

test('a token that is forged, changed, for somebody else or of nobody is refused', async () => {
  const api = await open();
  await api.create(ACCOUNTS, { metadata: { name: 'worker' } });
  const token = await tokenFor(api);
  const [header = '', body = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spelled = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const refused = {
    'signed by another': signedToken(claims, privateKey),
    'without a signature': `${header}.${body}.`,
    'of no algorithm': `${spelled({ alg: 'none', typ: 'JWT' })}.${body}.`,
    'with other claims': `${header}.${spelled({ ...claims, exp: 9_999_999_999 })}.${signature}`,
    'with more behind it': `${token}.more`,
    'for somebody else': await tokenFor(api, { audiences: ['sts.example.com'] }),
    'no token': 'token',
  };
  for (const [what, each] of Object.entries(refused)) expect({ what, status: await statusWith(api, each) }).toEqual({ what, status: 401 });
  expect(await statusWith(api, token)).toBe(201);
});

test('a token ends with its account, and one of the same name has others', async () => {
  const api = await open();
  await api.create(ACCOUNTS, { metadata: { name: 'worker' } });
  const free = await tokenFor(api);
  expect(await statusWith(api, free)).toBe(201);
  await api.delete(`${ACCOUNTS}/worker`);
  expect(await statusWith(api, free)).toBe(401);
  await api.create(ACCOUNTS, { metadata: { name: 'worker' } });
  expect(await statusWith(api, free)).toBe(401);
});

test('tokens outlive a restart; the key is its owner’s alone, and a damaged one is made anew', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'farloop-tokens-'));
  folders.push(folder);
  const state = join(folder, 'state');
  const first = await open(state);
  await first.create(ACCOUNTS, { metadata: { name: 'worker' } });
  const token = await tokenFor(first);
  expect(statSync(join(state, KEY)).mode & 0o077).toBe(0);
  expect(claimsOf(token, createPrivateKey(readFileSync(join(state, KEY))))).toMatchObject({ sub: 'system:serviceaccount:default:worker' });
  const again = async (): Promise<ApiClient> => {
    const last = opened.pop();
    last?.api.close();
    await last?.sandbox.stop();
    return await open(state);
  };
  const second = await again();
  expect(await statusWith(second, token)).toBe(201);
  writeFileSync(join(state, KEY), 'damaged');
  const third = await again();
  expect(await statusWith(third, token)).toBe(401);
  expect(await statusWith(third, await tokenFor(third))).toBe(201);
});

test('a token that is bound to a pod ends with the pod', async () => {
  const api = await open();
  await api.create(ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'worker' } });
  const pods = '/api/v1/namespaces/default/pods';
  const { metadata } = await api.create(pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  const boundTo = (bound: object): object => ({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', ...bound } });
  const token = await tokenFor(api, boundTo({ uid: metadata.uid }));
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims).toMatchObject({ 'kubernetes.io': { pod: { name: 'p', uid: metadata.uid } } });
  expect(await statusWith(api, token)).toBe(201);
  await expect(tokenFor(api, boundTo({ uid: 'other' }))).rejects.toThrow('409');
  await expect(tokenFor(api, boundTo({ name: 'q' }))).rejects.toThrow('404');
  await expect(tokenFor(api, boundTo({ kind: 'Secret' }))).rejects.toThrow('400');
  await api.delete(`${pods}/p`, { gracePeriodSeconds: 0 });
  expect(await statusWith(api, token)).toBe(401);
});
