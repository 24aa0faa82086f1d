// The providers of registered clusters, as functions reach them: where they are not reached at all, and what they are shown.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, describe, expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { isForbiddenProvider, problemOfDistantProvider } from '../../../lib/adapters/cluster-record/registered-access.ts';
import { putProviderTokens } from '../../../lib/adapters/credentials/provider-tokens.ts';
import { providersOf } from '../../../lib/adapters/providers/registered-providers.ts';
import type { RemoteProvider } from '../../../lib/objects/placement/remote-provider.ts';
import type { ClusterRecord } from '../../../lib/ports/clusters.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';
import { aCluster } from '../../contracts/clusters.ts';
import { registered } from '../../onboarding/registered.ts';

const FAR = { wallMs: Number.MAX_SAFE_INTEGER, monotonicMs: Number.MAX_SAFE_INTEGER };
const wayTo = (address: string): RemoteProvider => ({ protocol: 'http', address });
const RECORD: ClusterRecord = { ...aCluster('west'), version: 1 };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Secrets Manager that holds this text, or nothing. */
function secretsWith(text: string | undefined): { client: () => Promise<SecretsManagerClient>; asked: string[]; puts: string[] } {
  const asked: string[] = [];
  const puts: string[] = [];
  const client = new SecretsManagerClient({ region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  client.middlewareStack.add(
    () => async (given) => {
      const { SecretId, SecretString } = given.input as { SecretId: string; SecretString?: string };
      if (SecretString !== undefined) {
        puts.push(SecretString);
        return { output: { $metadata: {} }, response: {} };
      }
      asked.push(SecretId);
      if (text === undefined) throw Object.assign(new Error('none'), { name: 'ResourceNotFoundException' });
      return { output: { SecretString: text, $metadata: {} }, response: {} };
    },
    { step: 'initialize', priority: 'high' },
  );
  return { client: async () => client, asked, puts };
}
const providers = (client: () => Promise<SecretsManagerClient>, allowLoopback = true): ReturnType<typeof providersOf> =>
  providersOf({ client, prefix: 'farloop/prod/clusters/', clock: new SystemClock(), allowLoopback });

test.each([
  { what: 'none before', before: undefined, holds: { edge: 'new' } },
  {
    what: 'another node keeps its own',
    before: '{"edge":"old","far":"its","gone":"x","":"all"}',
    holds: { far: 'its', '': 'all', edge: 'new' },
  },
  { what: 'what holds no tokens is replaced', before: 'hunter2', holds: { edge: 'new' } },
])('a token that is exchanged: $what', async ({ before, holds }) => {
  const { client, puts } = secretsWith(before);
  await putProviderTokens(await client(), { name: 's', nodes: ['edge', 'far'], tokens: { edge: 'new' } });
  expect(puts.map((text) => JSON.parse(text) as unknown)).toEqual([holds]);
});

test('the plan of a registration names the secret of the tokens, and holds none', () => {
  const plan = registered({ providerTokens: { edge: 'hunter2' } });
  expect(plan.providersSecret).toBe('farloop/prod/clusters/far/providers');
  expect(JSON.stringify(plan)).not.toContain('hunter2');
  expect(registered().providersSecret).toBeUndefined();
});

describe('R15: addresses that functions do not send to', () => {
  test.each([
    'http://provider.example',
    'https://10.0.0.7:9000',
    'https://172.31.255.1',
    'https://192.168.1.1/',
    'https://100.64.0.1',
    'https://169.254.169.254/latest/meta-data',
    'https://127.0.0.1:9000',
    'https://localhost',
    'https://[::1]',
    'https://[fd00:ec2::254]',
    'https://[fc00::1]',
    'https://[::ffff:10.0.0.7]',
    'https://[64:ff9b::a00:7]',
  ])('%s', async (address) => {
    expect(problemOfDistantProvider(address, { allowLoopback: false })).toEqual(expect.stringContaining(JSON.stringify(address)));
    const { client, asked } = secretsWith('{"edge":"t"}');
    expect(() => providers(client, false)(RECORD, 'edge', wayTo(address))).toThrow(TerminalError);
    expect(asked).toEqual([]);
  });

  test.each(['https://provider.example:9000', 'https://8.8.8.8', 'https://[2606:4700::1]'])('%s is one', (address) => {
    expect(problemOfDistantProvider(address, { allowLoopback: false })).toBeUndefined();
  });

  test('a name is judged by what it resolves to when it is dialled', () => {
    const resolved = ['10.1.2.3', '127.0.0.1', 'fe80::1', '::ffff:192.168.0.1'];
    expect(resolved.filter((address) => !isForbiddenProvider(address, { allowLoopback: false }))).toEqual([]);
  });
});

describe('tokens', () => {
  async function shownTo(text: string | undefined, node = 'edge'): Promise<{ authorization: string | undefined; asked: string[] }> {
    let authorization: string | undefined;
    server = createServer((request, response) => {
      ({ authorization } = request.headers);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[]}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { client, asked } = secretsWith(text);
    const provider = providers(client)(RECORD, node, wayTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    await provider?.health(FAR);
    await provider?.health(FAR);
    return { authorization, asked };
  }

  test('each node shows its own, or the one for all others; the secret is read once', async () => {
    const tokens = JSON.stringify({ edge: 'of-edge', '': 'of-others' });
    expect(await shownTo(tokens)).toEqual({ authorization: 'Bearer of-edge', asked: ['farloop/prod/clusters/west/providers'] });
    expect(await shownTo(tokens, 'far')).toMatchObject({ authorization: 'Bearer of-others' });
  });

  test('a registration without tokens shows none', async () => {
    expect((await shownTo(undefined)).authorization).toBeUndefined();
  });

  test('a secret that holds something else is told by its name, and by nothing that it holds', async () => {
    await expect(shownTo('{"edge":17}')).rejects.toThrow(/the secret farloop\/prod\/clusters\/west\/providers holds no tokens: (?!.*17)/);
  });
});

test('where no address is known, there is no provider; each look comes again in time', () => {
  const { client } = secretsWith(undefined);
  expect(providers(client)(RECORD, 'edge', undefined)).toBeUndefined();
  expect(providers(client)(RECORD, 'edge', wayTo('https://provider.example'))?.lookAgainSeconds).toBe(10);
});
