// `npm run bench list [-- --emulator]`: a list of 10,000 workloads of four kinds from summaries in the embedded store, or in an emulator's DynamoDB:
// milliseconds of a page, reads and size of an answer. An emulator
// searches a partition for seconds where DynamoDB goes to the place, so there this process's own time is bounded and the wall's only told. Exits 1 when a bound is missed.
import { performance } from 'node:perf_hooks';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDbStore } from '../../lib/adapters/dynamodb/dynamodb-store.ts';
import { createTableInput } from '../../lib/adapters/dynamodb/table-definition.ts';
import { embeddedPorts } from '../api/embedded-ports.ts';
import { listSummaries, type AskedList } from '../../lib/api/list/list-summaries.ts';
import { STATES } from '../../lib/kinds/rows/state.ts';
import { newHead } from '../../lib/reconciler/head/heads.ts';
import { encodeSummary } from '../../lib/reconciler/summary/summary.ts';
import { wholeNumber } from '../../lib/cli/terminal/arguments.ts';
import { inParallel } from '../../lib/reconciler/invocation/parallel.ts';
import { startMinistack } from '../peers/peer.ts';
import { script } from '../script-options.ts';
import { bound, misses } from './counting.ts';

const KINDS = ['Job', 'PyTorchJob', 'TFJob', 'MPIJob'];
const ROUNDS = 20;

const WRITES_AT_ONCE = 16;
const TABLE = 'farloop-bench';

const { emulator, workloads } = script('npm run bench list --')
  .option('--workloads <number>', 'in the list', wholeNumber({ min: 100, max: 100_000 }), 10_000)
  .option('--emulator', "on an emulator's DynamoDB")
  .parse()
  .opts<{ emulator?: true; workloads: number }>();
const peer = emulator && (await startMinistack());

async function storeOn(endpoint: string): Promise<DynamoDbStore> {
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
  await client.send(new CreateTableCommand(createTableInput(TABLE)));
  return new DynamoDbStore({ client, tableName: TABLE });
}

const embedded = await embeddedPorts('local');
const store = peer ? await storeOn(peer.endpoint) : embedded.store;
const ports = { ...embedded, store };
const record = await ports.clusters.get('local');
if (!record) throw new Error('local is not registered');
const nowMs = Date.now();
await inParallel(Array.from({ length: workloads }).fill(0), WRITES_AT_ONCE, async (_none, at) => {
  const key = {
    cluster: 'local',
    kind: KINDS[at % KINDS.length] ?? '',
    namespace: `team-${at % 20}`,
    name: `work-${at}`,
    uid: `uid-${at}`,
  };
  await ports.store.createHead(newHead(ports, key, record));
  const body = encodeSummary({
    state: STATES[at % 7] ?? 'Running',
    figures: [{ name: 'succeeded', value: at % 10, of: 10 }],
    fields: { startTime: new Date(nowMs - at * 1_000).toISOString() },
    labels: { team: `team-${at % 20}`, tier: at % 2 === 0 ? 'batch' : 'interactive' },
    creationTime: new Date(nowMs - at * 1_000).toISOString(),
    sinceMs: nowMs - at * 1_000,
  });
  await ports.store.putSummary({ key, atMs: nowMs - (workloads - at) * 1_000, body });
});

const beganMs = performance.now();
const page: AskedList = { choice: {}, order: { by: 'age', isReversed: true }, page: { limit: 100 } };
const first = await listSummaries(ports, page);
console.log(
  `first answer of a process${peer ? ', on an emulator' : ''}, ${first.total} workloads   ${(performance.now() - beganMs).toFixed(0)} ms`,
);

const chosen: Record<string, AskedList> = {
  'a page of 100 by age': page,
  'a page by need, of those that need a person': { ...page, choice: { needsPerson: true }, order: { by: 'need', isReversed: false } },
  'a page of a namespace, by state and label': {
    ...page,
    choice: { namespace: 'team-3', states: ['Running', 'Waiting'], labels: (labels) => labels?.['tier'] === 'interactive' },
  },
  'a page of those whose name has 77': { ...page, choice: { text: '77' } },
};
for (const [what, asked] of Object.entries(chosen)) {
  const times: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [startMs, used] = [performance.now(), process.cpuUsage()];
    await listSummaries(ports, asked);
    times.push(performance.now() - startMs);
    const { user, system } = process.cpuUsage(used);
    own.push((user + system) / 1_000);
  }
  const medianOf = (values: number[]): number => values.toSorted((one, other) => one - other)[ROUNDS / 2] ?? 0;
  const inAll = medianOf(times);
  const figure = peer
    ? `${bound(what, medianOf(own), 100, 1)} ms of its own, ${inAll.toFixed(0)} in all`
    : `${bound(what, inAll, 100, 1)} ms`;
  console.log(`${what.padEnd(50)} ${figure}`);
}

store.meter.reset();
const again = await listSummaries(ports, page);
const { requests, readUnits } = store.meter;
console.log(
  `a poll that finds nothing new                      ${bound('reads of a poll', requests, 2, 0)} reads, ${readUnits} read units`,
);
if (JSON.stringify(again) !== JSON.stringify(first)) misses.push('the answer of an unchanged poll differs, so it has another tag');
embedded.close();
await peer?.stop();
if (misses.length > 0) {
  console.error(`missed: ${misses.join('; ')}`);
  process.exitCode = 1;
}
