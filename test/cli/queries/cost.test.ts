// `farloop cost` on a running instance: a row for each group, in the words of the API; refused where nothing counts.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../claims.ts';
import { FarloopProcess, runWithin, temporaryFolder } from '../farloop-process.ts';

const folder = temporaryFolder();
const farloop = new FarloopProcess(['up', '--state', folder.path, '--port', '0', '--apply', 'examples/job.yaml']);

beforeAll(async () => {
  await farloop.says('job/demo Succeeded', 100_000);
}, 120_000);

afterAll(async () => {
  await farloop.destroy();
  folder.remove();
});

const cost = async (...args: string[]): Promise<{ exitCode: number | null; stdout: string; stderr: string }> =>
  await runWithin(['cost', ...args, '--state', folder.path]);

test('each group has its row, and all groups have one sum', async () => {
  const { exitCode, stdout, stderr } = await cost('--by', 'workload', '--since', '24h');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(
    /^CLUSTER +KIND +NAMESPACE +NAME +PASSES +WRITES +REQUESTS +WRITE UNITS +READ UNITS +DOLLARS\nlocal +Job +default +demo +\d+ +\d+ +\d+ +\d+ +\d+ +\S*\$0\.\d+\n/,
  );
  expect(stdout).toMatch(/\n\S*\$0\.\d+ by workload since \S+Z, at list prices of \S+ in us-east-1\n$/);
  await until(
    'two groups have one sum, as nothing goes on any more',
    async () => {
      const sums = await Promise.all(
        ['cluster', 'kind'].map(async (by) => {
          const told: { dollars: number; items: { passes: number }[] } = JSON.parse((await cost('--by', by, '-o', 'json')).stdout);
          return JSON.stringify(told.items.map(({ passes }) => passes));
        }),
      );
      return sums[0] === sums[1];
    },
    30_000,
  );
}, 120_000);

test('what cannot be asked, and a place where nothing counts, are said in one sentence', async () => {
  expect(await cost('--by', 'pod')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/Allowed choices are cluster, namespace, kind, workload/),
  });
  expect(await cost('--since', '30d')).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/Expected a span of 7 days at most/) });
  const amounts = { passes: 2, writes: 1, requests: 9, writeUnits: 8, readUnits: 3, dollars: 0.01 };
  const list = { asOf: '2026-11-01', region: 'us-east-1', since: '2026-05-01T10:00:00Z', dollars: 0.01, leftOut: 0 };
  const onAws = {
    ...list,
    counted: true,
    by: 'kind',
    items: [{ kind: 'Job', ...amounts }],
    isCut: true,
    scannedBytes: 2_500_000_000,
    scannedDollars: 0.0125,
  };
  const server = createServer(({ url = '' }, response) =>
    response.end(JSON.stringify(url.includes('by=kind') ? onAws : { counted: false, items: [] })),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const elsewhere = await runWithin(['cost', '--endpoint', `http://127.0.0.1:${port}`], { environment: { FARLOOP_TOKEN: 't' } });
  expect(elsewhere).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^farloop: cost is not counted there: deploy the stack again /),
  });
  const scanned = await runWithin(['cost', '--by', 'kind', '--endpoint', `http://127.0.0.1:${port}`], {
    environment: { FARLOOP_TOKEN: 't' },
  });
  expect(scanned).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      /\nJob +2 .*\nand more than one query tells apart: .*\n\$0\.01 by kind since .*\nsummed up from 2\.5 GB of logs, for \$0\.0125\n$/,
    ),
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}, 60_000);
