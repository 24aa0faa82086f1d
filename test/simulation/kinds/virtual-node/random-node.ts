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
import { makeNode, NODE } from './stories.ts';

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

/** The story of a seed: always the same. */
export function nodeStory(seed: number): NodeStory {
  const next = seededRandom(Math.imul(seed, 0x9e3779b1) ^ 0x51ab);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const steps = 5 + Math.floor(next() * 6);
  const arrivals: Arrival[] = [];
  const deleted = new Map<number, string>();
  for (let step = 0; step < steps; step++) {
    const areTwo = step > 1 && next() < 0.25;
    for (let twin = 0; twin < (areTwo ? 2 : 1); twin++) {
      const isCritical = areTwo || next() < 0.3;
      const endsIn = next() < 0.35 ? step + Math.floor(next() * 4) : steps;
      const runSeconds = endsIn < steps ? ((endsIn - step) * STEP_MS + ENDS_AFTER_MS) / 1000 : FOR_EVER_SECONDS;
      const requests = { cpu: pick(CPUS), memory: pick(MEMORIES) };
      const wanted = pick(CLASSES);
      const resources = wanted === 'bestEffort' ? {} : wanted === 'burstable' ? { requests } : { requests, limits: { ...requests } };
      const priority = pick([0, 0, 0, 5, 1000]);
      const name = `pod-${String(arrivals.length).padStart(2, '0')}`;
      arrivals.push({
        name,
        step,
        ...(endsIn < steps && { endsIn }),
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {
            name,
            annotations: {
              'sim.farloop.dev/run-seconds': String(runSeconds),
              ...(next() < 0.3 && { 'sim.farloop.dev/ignore-stop': String(1 + Math.floor(next() * 8)) }),
            },
          },
          spec: {
            nodeName: NODE,
            restartPolicy: 'Never',
            terminationGracePeriodSeconds: pick([0, 1, 3, 5]),
            ...(isCritical ? { priorityClassName: 'system-node-critical', priority: 2_000_001_000 } : { priority }),
            containers: [{ name: 'main', image: 'none', resources }],
          },
        },
      });
    }
    if (next() < 0.25) deleted.set(step, pick(arrivals).name);
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
export async function playNodeStory(story: NodeStory, access?: 'relayed'): Promise<Played> {
  const stored = new Map<string, Pod>();
  let ended = new Map<string, Pod>();
  let node: KubernetesObject | undefined;
  const arrive = async (api: SimApiServer, { name, body }: Arrival): Promise<void> => {
    const status = await api.as('POST', PODS, { body });
    const pod = podsIn(api).get(name);
    if (!pod) throw new Error(`seed ${story.seed}: ${name} was not stored (${status})`);
    stored.set(name, pod);
  };
  const lastMs = FIRST_MS + story.steps * STEP_MS;
  const scenario: Scenario = {
    name: `random-node-${story.seed}`,
    kind: 'VirtualPod',
    clusters: ['west'],
    virtualNode: NODE,
    options: story.options,
    fateOf: () => ({ startsAfterMs: 0, runsMs: 0, exitCode: undefined }),
    acts: [
      { atMs: 300, act: makeNode(story.options) },
      ...story.arrivals.map((arrival) => ({
        atMs: FIRST_MS + arrival.step * STEP_MS,
        act: (api: SimApiServer) => arrive(api, arrival),
      })),
      ...[...story.deleted].map(([step, name]) => ({
        atMs: FIRST_MS + step * STEP_MS + DELETED_AFTER_MS,
        act: (api: SimApiServer) => api.as('DELETE', PODS, { name, body: { kind: 'DeleteOptions', apiVersion: 'v1' } }),
      })),
      {
        atMs: lastMs,
        act: (api: SimApiServer) => {
          ended = podsIn(api);
          node = api.objects(NODES.plural).find(({ metadata }) => metadata.name === NODE);
          return Promise.resolve();
        },
      },
    ],
    ends: {},
    withinMs: lastMs + STEP_MS,
  };
  const { violations } = await new Simulation({
    scenario,
    seed: story.seed,
    plan: [],
    jitter: false,
    limitMs: lastMs + 3_600_000,
    ...(access && { access }),
  }).simulate();
  if (!node) throw new Error(`seed ${story.seed}: the story has no node at its end`);
  return { ...story, node: node as unknown as Node, stored, ended, violations };
}
