// The cost view: what was counted, at list prices; every price names the page that it stands on.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { LineTelemetry } from '../../lib/adapters/telemetry/line-telemetry.ts';
import { costSoFar } from '../../lib/api/cost.ts';
import { LIST_PRICES, PRICES_AS_OF, PRICES_REGION } from '../../lib/api/list-prices.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import { encodeWake } from '../../lib/wire/messages.ts';
import { embeddedPorts, know, type EmbeddedPorts } from './embedded-ports.ts';

let ports: EmbeddedPorts;
beforeEach(async () => {
  ports = await embeddedPorts('local', 'staging');
});
afterEach(() => ports.close());

test('an instance that counts tells parts, their sum, and the share of each cluster', async () => {
  const telemetry = new LineTelemetry({ write: () => {} });
  const counting = { ...ports, telemetry };
  await know(ports, { name: 'demo' });
  await ports.queue.send('wakes', [{ body: encodeWake({ key: 'k', follows: 'f' }), groupId: 'g', deduplicationId: 'd' }]);
  const [wake] = await ports.queue.receive('wakes', { max: 1, waitSeconds: 0, visibilitySeconds: 10 });
  await ports.queue.delete('wakes', [wake?.receiptHandle ?? '']);
  await ports.queue.send(
    'events',
    Array.from({ length: 11 }, () => ({ body: 'x'.repeat(7_000), groupId: 'local' })),
  );
  for (const cluster of ['local', 'local', 'staging'])
    telemetry.count('ReconcileDuration', 100, 'Milliseconds', { cluster, kind: 'Job', outcome: 'acted' });
  telemetry.count('WritesSent', 4, 'Count', { cluster: 'local' });

  const cost = await costSoFar(counting);
  const amounts = Object.fromEntries(cost.parts.map(({ part, amount }) => [part, amount]));
  expect(amounts).toMatchObject({
    // Sent, received, deleted.
    'requests to the FIFO queue of wakes': 3,
    // Ten messages of 70,000 bytes are two chunks of 64 KB, the eleventh goes in a request of its own.
    'requests to standard queues that are fair by cluster': 3,
    invocations: 1,
    'GB-seconds of functions': 0.3,
  });
  expect(amounts['write units, indexes too']).toBeGreaterThan(0);
  expect(cost.dollars).toBeCloseTo(
    cost.parts.reduce((sum, { amount, unitDollars }) => sum + amount * unitDollars, 0),
    12,
  );
  expect(cost.clusters).toMatchObject([
    { name: 'local', passes: 2, writes: 4 },
    { name: 'staging', passes: 1, writes: 0 },
  ]);
  expect(cost.clusters.reduce((sum, { dollars }) => sum + dollars, 0)).toBeCloseTo(cost.dollars, 12);
});

test('a span without groups is refused, and not passed over', async () => {
  const asked = answerRoute(ports, { method: 'GET', path: ['v1', 'cost'], query: new URLSearchParams({ since: '7d' }), body: undefined });
  await expect(asked).rejects.toThrow('"since" is for sums alone: give "by", too, which is one of cluster, namespace, kind, workload');
});

test('where functions count each for itself nothing is made up', async () => {
  expect(await costSoFar(ports)).toEqual({
    asOf: PRICES_AS_OF,
    region: PRICES_REGION,
    counted: false,
    dollars: 0,
    parts: [],
    clusters: [],
  });
});

test('every price is one of a day, of a region, and names the page that AWS tells it on', () => {
  expect(PRICES_AS_OF).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(PRICES_REGION).toMatch(/^[a-z]+-[a-z]+-\d$/);
  for (const [name, { dollars, per, page }] of Object.entries(LIST_PRICES))
    expect([name, dollars > 0, per.length > 0, page]).toEqual([
      name,
      true,
      true,
      expect.stringMatching(/^https:\/\/aws\.amazon\.com\/[a-z-]+\/pricing\/$/),
    ]);
});
