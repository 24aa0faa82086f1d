// What a virtual node and its pods cost, as rows of `npm run bench counts`: the life of a pod, and an hour in which nothing happens.
import { NODE_OPTIONS } from '../../lib/kinds/virtual-pod/node-options.ts';
import { NodesWorld } from '../world/virtual-node.ts';
import { QueueCounter } from './queue-counter.ts';
import { bound, breakdown, figuresOf, misses, since, unitsByOperation } from './counting.ts';

const PODS = 20;
const HOUR_SECONDS = 3_600;
/** Every five minutes a node's status has a heartbeat, as a kubelet's, and its pods are compared with its provider's tasks. */
const HEARTBEATS_AN_HOUR = 12;
/** A timer, the wake of the node's pass, and the relay's word that the status was written; with the table's requests of that pass. */
const HEARTBEAT: Idle = { messages: 3, requests: 17 };
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

/** @param heartbeats of the node's status: its passes, and their only writes */
async function idleHour(world: NodesWorld, what: string, heartbeats: number): Promise<Idle> {
  const queues = new QueueCounter(world);
  const requestsBefore = world.store.meter.requests;
  const before = figuresOf(world);
  const unitsBefore = unitsByOperation(world);
  const passesBefore = world.passes.length;
  await world.elapse(HOUR_SECONDS, { play: false });
  const { apiWrites, writeUnits, eventObjects } = since(before, figuresOf(world));
  const passes = world.passes.slice(passesBefore);
  console.log(
    `  an hour at rest, ${what.padEnd(23)} ${apiWrites} writes, ${passes.length} passes (at most ${heartbeats}), ${writeUnits} write units: ${breakdown(unitsByOperation(world, unitsBefore), 1)}`,
  );
  if (apiWrites + eventObjects > heartbeats) misses.push(`${what}: ${apiWrites + eventObjects} writes to the cluster > ${heartbeats}`);
  if (passes.length > heartbeats) misses.push(`${what}: ${passes.length} passes > ${heartbeats}`);
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
  const empty = await idleHour(world, 'no pod on it', HEARTBEATS_AN_HOUR);
  console.log(more(empty, without));
  const mostMessages = LOOKS_AN_HOUR + HEARTBEATS_AN_HOUR * HEARTBEAT.messages;
  const mostRequests = DIGESTS_AN_HOUR + 2 * LOOKS_AN_HOUR + HEARTBEATS_AN_HOUR * HEARTBEAT.requests;
  if (empty.messages - without.messages > mostMessages || empty.requests - without.requests > mostRequests)
    misses.push('a virtual node without pods costs more than its digest, a look and an ask a minute, and a heartbeat every five minutes');

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
  console.log(more(await idleHour(world, `${PODS} pods on it`, HEARTBEATS_AN_HOUR), without));

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
