// Random stories of a node: pods arrive, end, are deleted, and critical ones ask for room, at times two at once. What happens in one of them is over
// before the next thing happens, so that one answer is right.
import { seededRandom } from '../../../../lib/adapters/embedded/seeded-chance.ts';
import { NODE_OPTIONS } from '../../../../lib/kinds/virtual-pod/node-options.ts';
import type { KubernetesObject, Node, Pod } from '../../../../lib/objects/kubernetes.ts';
import { NODES, PODS } from '../../../../lib/objects/resources.ts';
import type { SimApiServer } from '../../api-server.ts';
import type { Violation } from '../../checks.ts';
import type { Scenario } from '../../scenario.ts';
import { Simulation } from '../../simulation.ts';
import { boundPod, NODE, remove, story } from './stories.ts';

const STEP_MS = 30_000;
const FIRST_MS = 3_000;
/** After an arrival: whoever waits for room has it by then. */
const ENDS_AFTER_MS = 12_000;
const DELETED_AFTER_MS = 20_000;
const FOR_EVER_SECONDS = 1_000_000;

interface Arrival {
  name: string;
  step: number;
  body: object;
  /** The step after whose arrivals it ends by itself. */
  endsIn?: number;
}

export interface NodeStory {
  seed: number;
  arrivals: readonly Arrival[];
  /** Names of pods that somebody deletes after the arrivals of this step. */
  deleted: ReadonlyMap<number, string>;
  steps: number;
  options: Readonly<Record<string, string>>;
}

export interface Played extends NodeStory {
  node: Node;
  /** By name, as the API server stored them when they arrived. */
  stored: ReadonlyMap<string, Pod>;
  /** By name, at the end. */
  ended: ReadonlyMap<string, Pod>;
  violations: readonly Violation[];
}

const CPUS = ['200m', '300m', '500m', '500m', '700m', '1', '1500m'] as const;
const MEMORIES = ['100Mi', '200Mi', '300Mi', '500Mi'] as const;
const CLASSES = ['bestEffort', 'burstable', 'burstable', 'guaranteed'] as const;

/** Whole numbers below a bound, choices and chances, of one seed. */
function drawsOf(seed: number) {
  const next = seededRandom(Math.imul(seed, 0x9e3779b1) ^ 0x51ab);
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    below,
    happens: (chance: number): boolean => next() < chance,
    pick: <T>(list: readonly T[]): T => list[below(list.length)] as T,
  };
}
type Draws = ReturnType<typeof drawsOf>;

function resourcesOf({ pick }: Draws): object {
  const requests = { cpu: pick(CPUS), memory: pick(MEMORIES) };
  const wanted = pick(CLASSES);
  if (wanted === 'bestEffort') return {};
  return wanted === 'burstable' ? { requests } : { requests, limits: { ...requests } };
}

interface About {
  name: string;
  step: number;
  /** Of the story. */
  steps: number;
  isOfTwo: boolean;
}

function arrivalOf(draws: Draws, { name, step, steps, isOfTwo }: About): Arrival {
  const { below, happens, pick } = draws;
  const isCritical = isOfTwo || happens(0.3);
  const endsIn = happens(0.35) ? step + below(4) : steps;
  const isEnding = endsIn < steps;
  const runSeconds = isEnding ? ((endsIn - step) * STEP_MS + ENDS_AFTER_MS) / 1000 : FOR_EVER_SECONDS;
  const resources = resourcesOf(draws);
  const priority = pick([0, 0, 0, 5, 1000]);
  const script = { 'run-seconds': String(runSeconds), ...(happens(0.3) && { 'ignore-stop': String(1 + below(8)) }) };
  const body = boundPod(name, { resources, priority, isCritical, script, graceSeconds: pick([0, 1, 3, 5]) });
  return { name, step, body, ...(isEnding && { endsIn }) };
}

/** The story of a seed: always the same. */
export function nodeStory(seed: number): NodeStory {
  const draws = drawsOf(seed);
  const { below, happens, pick } = draws;
  const steps = 5 + below(6);
  const arrivals: Arrival[] = [];
  const deleted = new Map<number, string>();
  for (let step = 0; step < steps; step++) {
    const isOfTwo = step > 1 && happens(0.25);
    for (let twin = 0; twin < (isOfTwo ? 2 : 1); twin++)
      arrivals.push(arrivalOf(draws, { name: `pod-${String(arrivals.length).padStart(2, '0')}`, step, steps, isOfTwo }));
    if (happens(0.25)) deleted.set(step, pick(arrivals).name);
  }
  const options = {
    [NODE_OPTIONS.node]: `${NODE}=simulated`,
    [NODE_OPTIONS.cpu]: `${NODE}=2`,
    [NODE_OPTIONS.memory]: `${NODE}=${pick(['500Mi', '1Gi', '4Gi'])}`,
    [NODE_OPTIONS.pods]: `${NODE}=${pick([3, 4, 6, 20])}`,
  };
  return { seed, arrivals, deleted, steps, options };
}

const podsIn = (api: SimApiServer): Map<string, Pod> => new Map(api.pods().map((pod) => [pod.metadata.name ?? '', pod]));

/** Through the loop, without faults. */
export async function playNodeStory(told: NodeStory, access?: 'relayed'): Promise<Played> {
  const { seed, arrivals, deleted, steps, options } = told;
  const stored = new Map<string, Pod>();
  let ended = new Map<string, Pod>();
  let node: KubernetesObject | undefined;
  const arrive = async (api: SimApiServer, { name, body }: Arrival): Promise<void> => {
    const status = await api.as('POST', PODS, { body });
    const pod = podsIn(api).get(name);
    if (!pod) throw new Error(`seed ${seed}: ${name} was not stored (${status})`);
    stored.set(name, pod);
  };
  const lastMs = FIRST_MS + steps * STEP_MS;
  const scenario: Scenario = {
    ...story({
      name: `random-node-${seed}`,
      options,
      acts: [
        ...arrivals.map((arrival) => ({ atMs: FIRST_MS + arrival.step * STEP_MS, act: (api: SimApiServer) => arrive(api, arrival) })),
        ...[...deleted].map(([step, name]) => ({ atMs: FIRST_MS + step * STEP_MS + DELETED_AFTER_MS, act: remove(name) })),
        {
          atMs: lastMs,
          act: (api) => {
            ended = podsIn(api);
            node = api.objects(NODES.plural).find(({ metadata }) => metadata.name === NODE);
            return Promise.resolve();
          },
        },
      ],
      ends: {},
      withinMs: lastMs + STEP_MS,
    }),
    kind: 'VirtualPod',
  };
  const { violations } = await new Simulation({
    scenario,
    seed,
    plan: [],
    jitter: false,
    limitMs: lastMs + 3_600_000,
    ...(access && { access }),
  }).simulate();
  if (!node) throw new Error(`seed ${seed}: the story has no node at its end`);
  return { ...told, node: node as unknown as Node, stored, ended, violations };
}
