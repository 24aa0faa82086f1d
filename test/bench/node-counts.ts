// What a virtual node and its pods cost, as rows of `npm run bench counts`: the life of a pod, and an hour in which nothing happens.
import { NODE_OPTIONS } from '../../lib/kinds/virtual-pod/node-options.ts';
import { NodesWorld } from '../world/virtual-node.ts';
import { QueueCounter } from './queue-counter.ts';
import { bound, breakdown, figuresOf, misses, since, unitsByOperation } from './counting.ts';

const PODS = 20;
const HOUR_SECONDS = 3_600;
const NODE_PASSES_AN_HOUR = 12;
/** Each minute the relay's digest is compared with the heads that it is of: a read. */
const DIGESTS_AN_HOUR = 60;
/** A sweep sends a look at ten nodes, and the look an ask to keep their leases. */
const LOOKS_AN_HOUR = 60;

const ONE_NODE = { [NODE_OPTIONS.node]: 'edge=simulated', [NODE_OPTIONS.pods]: `edge=${PODS}` };

/** Messages are those that are received. Requests: to the table and the queues, and invocations. */
interface Idle {
  messages: number;
  requests: number;
}

/** @param mostPasses of the node: it compares its pods with its provider's tasks every five minutes, while it has some */
async function idleHour(world: NodesWorld, what: string, mostPasses: number): Promise<Idle> {
  const queues = new QueueCounter(world);
  const requestsBefore = world.store.meter.requests;
  const before = figuresOf(world);
  const unitsBefore = unitsByOperation(world);
  const passesBefore = world.passes.length;
  await world.elapse(HOUR_SECONDS, { play: false });
  const { apiWrites, writeUnits, eventObjects } = since(before, figuresOf(world));
  const passes = world.passes.slice(passesBefore);
  console.log(
    `  an hour at rest, ${what.padEnd(23)} ${apiWrites} writes, ${passes.length} passes (at most ${mostPasses}), ${writeUnits} write units: ${breakdown(unitsByOperation(world, unitsBefore), 1)}`,
  );
  if (apiWrites + eventObjects > 0) misses.push(`${what}: a virtual node at rest writes to its cluster`);
  if (passes.length > mostPasses) misses.push(`${what}: ${passes.length} passes > ${mostPasses}`);
  return {
    messages: Object.values(queues.messages).reduce((sum, count) => sum + count, 0),
    requests: world.store.meter.requests - requestsBefore + queues.sent + queues.polls + queues.invocations,
  };
}

/** Beyond an hour of a cluster without a node. */
const more = ({ messages, requests }: Idle, without: Idle): string =>
  `    ... beside a cluster without a node      ${messages - without.messages} messages, ${requests - without.requests} AWS requests more`;

async function node(): Promise<void> {
  console.log('virtual node');
  const bare = await NodesWorld.open({ options: {}, manages: ['all-jobs'] });
  await bare.elapse(60, { play: false });
  const without = await idleHour(bare, 'without a node', 0);
  bare.close();
  const world = await NodesWorld.open({ options: ONE_NODE });
  await world.elapse(60, { play: false });
  const empty = await idleHour(world, 'no pod on it', 0);
  console.log(more(empty, without));
  if (empty.messages - without.messages > LOOKS_AN_HOUR || empty.requests - without.requests > DIGESTS_AN_HOUR + 2 * LOOKS_AN_HOUR)
    misses.push('a virtual node without pods costs more than the comparison of its digest, and a look and an ask a minute');

  const before = figuresOf(world);
  const names = Array.from({ length: PODS }, (_, at) => `p${at}`);
  for (const name of names) await world.bind(name, { node: 'edge', script: { 'run-seconds': '1000000' } });
  const haveAll = async (phase: string): Promise<boolean> =>
    (await world.pods()).filter(({ status }) => status?.phase === phase).length === PODS;
  await world.waitUntil(() => haveAll('Running'));
  const running = since(before, figuresOf(world));
  console.log(`  from bound to running, a pod             ${bound('virtual pod API writes', running.apiWrites / PODS, 2, 2)} API writes`);
  console.log(
    `  ... and                                  ${bound('virtual pod write units', running.writeUnits / PODS, 12, 2)} write units, ${(running.passes / PODS).toFixed(2)} passes, ${(running.eventObjects / PODS).toFixed(2)} Events`,
  );
  await world.elapse(60, { play: false });
  console.log(more(await idleHour(world, `${PODS} pods on it`, NODE_PASSES_AN_HOUR), without));

  const ending = figuresOf(world);
  for (const name of names) await world.remove(name);
  await world.waitUntil(async () => (await world.pods()).length === 0);
  await world.elapse(60, { play: false });
  const gone = since(ending, figuresOf(world));
  console.log(
    `  from deleted to gone, a pod              ${bound('deleted virtual pod API writes', gone.apiWrites / PODS, 4, 2)} API writes, ${(gone.writeUnits / PODS).toFixed(2)} write units, ${(gone.passes / PODS).toFixed(2)} passes`,
  );
  world.close();
}

/** Parts of `npm run bench counts`. */
export const NODE_PARTS: Record<string, () => Promise<void>> = { 'virtual-node': node };
