// A run as a story: processes drive it, are killed and come again, until it is over. Records and tasks outlive them all.
import { setImmediate } from 'node:timers/promises';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { EmbeddedRuns } from '../../../lib/adapters/embedded/runs.ts';
import { SimulatedProvider } from '../../../lib/adapters/providers/simulated.ts';
import type { RunOptions } from '../../../lib/kinds/run-once/options.ts';
import { summaryOf, type RunSummary } from '../../../lib/kinds/run-once/results.ts';
import { isOver, readRun, type RunState } from '../../../lib/kinds/run-once/run.ts';
import { advance, cancelRun } from '../../../lib/reconciler/runs/advance.ts';
import { beginRun } from '../../../lib/reconciler/runs/begin-run.ts';
import { drive } from '../../../lib/reconciler/runs/drive.ts';
import type { Cluster } from '../../../lib/ports/cluster.ts';
import type { Provider } from '../../../lib/ports/provider.ts';
import { hashOf } from '../../../lib/reconciler/runs/mirror-pod.ts';
import { RunCluster } from '../../../lib/reconciler/runs/run-cluster.ts';
import type { RunPorts } from '../../../lib/reconciler/runs/run-ports.ts';
import { aNode } from '../../kinds/run-once/run-world.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { driveByMessages } from './run-functions.ts';
import { PodsOfNode, type CalledCluster } from './pods-of-node.ts';
import { KilledError, ProcessCalls, type CallLine, type Fault } from './run-calls.ts';

export interface Story {
  name: string;
  pods: readonly Pod[];
  options?: Partial<RunOptions>;
  /** Seconds after the start at which somebody cancels it. */
  cancelAfterSeconds?: number;
  /** The outcome of each pod: `ok`, or a piece of its error. */
  ends: Readonly<Record<string, string>>;
  /** Pods whose command may not run at all, as the run may be cancelled first. */
  mayNotRun?: true;
  /** Of the node's cluster, which only processes reach. */
  cluster?: { pods: readonly Pod[]; evicts: readonly string[] };
  /** Most tasks that a pod has had; 1 unless its task is lost on purpose. */
  tasks?: number;
}

export interface StoryFaults {
  seed?: number;
  faultAt?: (at: number, call: string) => Fault | undefined;
  /** `messages`: no process lasts longer than an invocation. */
  by?: 'process' | 'messages';
  /** Whether the next change of a task reaches the process. */
  reports?: () => boolean;
}

export interface Told {
  calls: CallLine[];
  run: RunState;
  summary: RunSummary;
  violations: string[];
  seconds: number;
  /** Of functions. */
  invocations: number;
}

const MOST_PROCESSES = 300;
const TURNS = 3;
const MOST_TIMERS = 20_000;

export async function tell(
  story: Story,
  { seed = 1, by = 'process', faultAt = () => undefined, reports = () => true }: StoryFaults = {},
): Promise<Told> {
  const clock = new VirtualClock({ seed });
  const startMs = clock.nowMs();
  const runs = EmbeddedRuns.open();
  const simulated = SimulatedProvider.open({
    clock,
    later: (ms, run) => {
      const cancel = new AbortController();
      void clock.wait(ms, cancel.signal).then(() => !cancel.signal.aborted && run());
      return () => cancel.abort();
    },
  });
  const provider = simulated.of('edge');
  const podsOfNode = story.cluster && new PodsOfNode(clock, story.cluster.pods);
  const clusterBy = (calling?: ProcessCalls): Pick<RunPorts, 'cluster'> => {
    if (!podsOfNode) return {};
    const cluster = calling?.cluster(podsOfNode) ?? (podsOfNode as CalledCluster as Cluster);
    return { cluster: new RunCluster({ cluster, node: 'edge', clock, report: () => {} }) };
  };
  const early: string[] = [];
  /** A victim still takes the room that was to be made. */
  const watched: Provider = {
    ...provider,
    start: async (...given) => {
      if (clock.nowMs() - startMs < EVICTED_WITHIN_MS) early.push(...victimsLeft(story, podsOfNode));
      await provider.start(...given);
    },
  };
  const plain: RunPorts = { runs, clock, providerOf: () => watched, ...clusterBy() };
  const calls: CallLine[] = [];
  const id = 'story';
  const given = { id, provider: 'simulated', node: aNode('64'), pods: story.pods, ...(story.options && { options: story.options }) };
  const newProcess = (): ProcessCalls =>
    new ProcessCalls({
      calls,
      faultAt,
      overtake: async () => void (await advance(id, plain)),
      pause: async () => await clock.wait(2_000),
    });
  const process = (): RunPorts => {
    const own = newProcess();
    return { runs: own.runs(runs), clock, providerOf: () => own.provider(watched), ...clusterBy(own) };
  };
  let timers = 0;
  const settled = async <Value>(work: Promise<Value>): Promise<Value> => {
    let isSettled = false;
    const done = work.finally(() => (isSettled = true));
    done.catch(() => {});
    for (; timers < MOST_TIMERS; timers += 1) {
      // A process that is killed on the way must not let time pass.
      for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
      if (isSettled) break;
      if (!(await clock.advanceToNextTimer())) throw new Error(`the story ${story.name} waits for nothing`);
    }
    if (!isSettled) throw new Error(`the story ${story.name} does not end`);
    return await done;
  };
  if (story.cancelAfterSeconds !== undefined)
    void clock.wait(story.cancelAfterSeconds * 1_000).then(async () => {
      // A slow process may not have begun it yet.
      while ((await cancelRun(id, plain)) === undefined) await clock.wait(1_000);
    });
  const onChange = (listener: (change: { uid: string }) => void): (() => void) => {
    let isHeard = true;
    simulated.onChange((change) => isHeard && reports() && listener(change));
    return () => (isHeard = false);
  };
  let invocations = 0;
  if (by === 'messages') {
    const begin = async (own: RunPorts['runs']): Promise<void> => void (await beginRun(given, { runs: own, clock }));
    invocations = await settled(driveByMessages({ id, clock, runs, provider, newProcess, begin }));
  }
  for (let processes = 0; processes < (by === 'process' ? MOST_PROCESSES : 0); processes += 1) {
    const ports = process();
    try {
      await settled(
        (async () => {
          await beginRun(given, ports);
          return await drive(id, ports, { onChange });
        })(),
      );
      break;
    } catch (error) {
      if (!(error instanceof KilledError)) throw error;
    }
  }
  const record = await runs.get(id);
  const run = readRun(record?.state ?? 'null');
  const again = await settled(advance(id, plain));
  const violations = violationsOf(story, {
    run,
    again: again?.run,
    simulated,
    podsOfNode,
    early,
    keptManifest: await runs.readPart(id, `manifest-${run.manifestHash}-end`),
  });
  simulated.close();
  runs.close();
  return { calls, run, summary: summaryOf(run), violations, seconds: (clock.nowMs() - startMs) / 1_000, invocations };
}

interface Found {
  run: RunState;
  again: RunState | undefined;
  simulated: SimulatedProvider;
  podsOfNode: PodsOfNode | undefined;
  /** Victims that were there still when a pod was started. */
  early: readonly string[];
  keptManifest: string | undefined;
}

/** Claims that hold for every run, whatever happens. */
function violationsOf(story: Story, { run, again, simulated, podsOfNode, early, keptManifest }: Found): string[] {
  const wrong: string[] = [];
  if (!isOver(run)) wrong.push('the run is not over');
  if (JSON.stringify(again) !== JSON.stringify(run)) wrong.push('a further pass changes a run that is over');
  if (keptManifest !== undefined) wrong.push('the manifest is kept after the end');
  const { results, error } = summaryOf(run);
  for (const {
    metadata: { name = '' },
  } of story.pods) {
    const result = results.find(({ pod }) => pod.name === name);
    const end = story.ends[name] ?? 'ok';
    if (!result) wrong.push(`${name} has no result`);
    else if (end === 'ok' ? result.error !== undefined : !(result.error ?? 'ok').includes(end))
      wrong.push(`${name} ended with ${JSON.stringify(result.error)}, expected ${end}`);
  }
  const hasFailed = results.some((result) => result.error !== undefined);
  if (hasFailed !== (error !== undefined)) wrong.push(`error of the run is ${JSON.stringify(error)} and a pod has failed: ${hasFailed}`);
  const numbers = run.pods.flatMap(({ completion }) => completion ?? []).toSorted((one, other) => one - other);
  if (numbers.join() !== numbers.map((_, at) => at + 1).join()) wrong.push(`completion numbers are ${numbers.join()}`);
  for (const [task, starts] of simulated.starts) if (starts > 1) wrong.push(`the task ${task} was started ${starts} times`);
  for (const { uid, name, rejected } of run.pods) {
    const tasks = [...simulated.starts.keys()].filter((task) => task.startsWith(`${uid}-`)).length;
    const least = rejected || story.mayNotRun ? 0 : 1;
    const most = rejected ? 0 : (story.tasks ?? 1);
    if (tasks < least || tasks > most) wrong.push(`${name} has had ${tasks} tasks, expected ${least} to ${most}`);
  }
  const deletes = run.stage === 'cancelled' ? run.options.cleanup !== 'keep' : run.options.cleanup === 'always';
  const running = simulated.tasksOn('edge').filter(({ hasEnded }) => !hasEnded);
  if (early.length > 0) wrong.push(`a pod was started while ${early.join()} still took its room`);
  if (podsOfNode) wrong.push(...wrongInCluster(story, podsOfNode, { run, simulated }));
  if (deletes && running.length > 0) wrong.push(`${running.map(({ name }) => name).join()} runs after the end`);
  return wrong;
}

/** A single loss delays an eviction by 5 s, and the victims of the stories have a grace of 2 s: the latest moment is longer than both. */
const EVICTED_WITHIN_MS = 9_000;

const victimsLeft = ({ cluster }: Story, podsOfNode: PodsOfNode | undefined): string[] =>
  (podsOfNode?.all ?? []).flatMap(({ metadata: { uid = '' } }) => (cluster?.evicts.includes(uid) ? [uid] : []));

/** Pods of the cluster that are none of the run's, and its mirror pods. */
function wrongInCluster(story: Story, podsOfNode: PodsOfNode, { run, simulated }: Pick<Found, 'run' | 'simulated'>): string[] {
  const { pods = [], evicts = [] } = story.cluster ?? {};
  const wrong: string[] = [];
  const expected = pods.map(({ metadata: { uid = '' } }) => (evicts.includes(uid) ? `${uid}-next` : uid));
  const others = podsOfNode.all.filter((pod) => hashOf(pod) === undefined);
  const left = others.map(({ metadata }) => `${metadata.uid}${metadata.deletionTimestamp === undefined ? '' : ' being deleted'}`);
  if (left.toSorted().join() !== expected.toSorted().join())
    wrong.push(`pods of the cluster are ${left.join()}, expected ${expected.join()}`);
  const phases = new Map(simulated.tasksOn('edge').map(({ uid, status }) => [uid, status.phase]));
  const wanted = run.options.mirror ? run.pods.flatMap(({ uid }) => (phases.has(uid) ? [`${uid} ${phases.get(uid)}`] : [])) : [];
  const shown = podsOfNode.all.flatMap((pod) => (hashOf(pod) === undefined ? [] : [`${hashOf(pod)} ${pod.status?.phase}`]));
  if (shown.toSorted().join() !== wanted.toSorted().join()) wrong.push(`mirror pods are ${shown.join()}, expected ${wanted.join()}`);
  return wrong;
}
