// The provider of runs, as functions reach it: the one of the deployment, and no other.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, describe, expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { runProvidersOf } from '../../../lib/adapters/providers/registered-providers.ts';
import { TerminalError } from '../../../lib/ports/errors.ts';

const FAR = { wallMs: Number.MAX_SAFE_INTEGER, monotonicMs: Number.MAX_SAFE_INTEGER };
const TASK = { uid: 'u', attempt: 1 };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

interface Shown {
  authorization: (string | undefined)[];
  asked: string[];
}

/** A provider on this machine, and a secret that holds this text. */
async function world(
  text = '{"":"of-others","edge":"of-edge"}',
): Promise<Shown & { address: string; client: () => Promise<SecretsManagerClient> }> {
  const [authorization, asked]: [(string | undefined)[], string[]] = [[], []];
  server = createServer((request, response) => {
    authorization.push(request.headers.authorization);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new SecretsManagerClient({ region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  client.middlewareStack.add(
    () => async (given) => {
      asked.push((given.input as { SecretId: string }).SecretId);
      return { output: { SecretString: text, $metadata: {} }, response: {} };
    },
    { step: 'initialize', priority: 'high' },
  );
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, client: async () => client, authorization, asked };
}

const of = (
  client: () => Promise<SecretsManagerClient>,
  own: string | undefined,
  allowLoopback = true,
): ReturnType<typeof runProvidersOf> => runProvidersOf({ client, prefix: 'farloop/prod/', clock: new SystemClock(), allowLoopback }, own);

describe('the provider of runs', () => {
  test('is shown the token of the secret of runs: that of the node, else the one for all others', async () => {
    const { address, client, authorization, asked } = await world();
    const own = `http:${address}`;
    const providers = of(client, own);
    for (const node of ['edge', 'run-once']) expect(await providers({ provider: own, node }).look([TASK], FAR)).toEqual([undefined]);
    expect(new Set(authorization)).toEqual(new Set(['Bearer of-edge', 'Bearer of-others']));
    expect(asked).toEqual(['farloop/prod/runs/providers']);
  });

  test('R15: a run that was begun with another one is shown nothing of it, and every call fails for good', async () => {
    const { address, client, authorization, asked } = await world();
    for (const [own, provider] of [
      [undefined, `http:${address}`],
      ['http:https://provider.example', `http:${address}`],
    ] as const) {
      const other = of(client, own)({ provider, node: 'edge' });
      for (const call of [
        other.look([TASK], FAR),
        other.start(TASK, {} as never, FAR),
        other.stop(TASK, { graceSeconds: 1 }, FAR),
        other.list({ limit: 1 }, FAR),
      ])
        await expect(call).rejects.toThrow(TerminalError);
    }
    expect([authorization, asked]).toEqual([[], []]);
  });

  test.each(['http:https://10.0.0.7:9000', 'http:https://169.254.169.254', 'http:https://127.0.0.1', 'http:http://provider.example'])(
    'R15: %s is not sent to',
    async (own) => {
      const { client, asked } = await world();
      await expect(of(client, own, false)({ provider: own, node: 'edge' }).look([TASK], FAR)).rejects.toThrow(TerminalError);
      expect(asked).toEqual([]);
    },
  );

  test('a secret that holds something else is told by its name, and by nothing that it holds', async () => {
    const { address, client } = await world('hunter2');
    const own = `http:${address}`;
    await expect(of(client, own)({ provider: own, node: 'edge' }).look([TASK], FAR)).rejects.toThrow(
      /the secret farloop\/prod\/runs\/providers holds no tokens: (?!.*hunter2).*docs\/run-once\.md/,
    );
  });
});
