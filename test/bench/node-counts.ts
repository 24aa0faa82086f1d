// What a virtual node and its pods cost, as rows of `npm run bench counts`: the life of a pod, and an hour in which nothing happens.
import { NODE_OPTIONS } from '../../lib/kinds/virtual-pod/node-options.ts';
import { NodesWorld } from '../world/virtual-node.ts';
import { bound, breakdown, figuresOf, misses, since, unitsByOperation } from './counting.ts';

const PODS = 20;
const HOUR_SECONDS = 3_600;
const NODE_PASSES_AN_HOUR = 12;

const open = async (): Promise<NodesWorld> =>
  await NodesWorld.open({ options: { [NODE_OPTIONS.node]: 'edge=simulated', [NODE_OPTIONS.pods]: `edge=${PODS}` } });

/** @param mostPasses of the node: it compares its pods with its provider's tasks every five minutes, while it has some */
async function idleHour(world: NodesWorld, what: string, mostPasses: number): Promise<void> {
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
}

async function node(): Promise<void> {
  const world = await open();
  console.log('virtual node');
  await world.elapse(60, { play: false });
  await idleHour(world, 'no pod on it', 0);

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
  await idleHour(world, `${PODS} pods on it`, NODE_PASSES_AN_HOUR);

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
