// A provider and a clock for one run, played from its pure step: what the cases of its specification are told in.
import type { Node, Pod, PodStatus } from '../../../lib/objects/kubernetes.ts';
import type { Task } from '../../../lib/objects/task.ts';
import { newRun, podsToRun } from '../../../lib/kinds/run-once/new-run.ts';
import type { RunOptions } from '../../../lib/kinds/run-once/options.ts';
import { summaryOf, type RunSummary } from '../../../lib/kinds/run-once/results.ts';
import type { RunState } from '../../../lib/kinds/run-once/run.ts';
import { stepOf, type RunStep } from '../../../lib/kinds/run-once/step.ts';
import type { CallOutcome, Look, OthersOnNode, RunAction, RunSeen } from '../../../lib/kinds/run-once/step-words.ts';

export const START_MS = Date.parse('2026-05-01T10:00:00Z');

export const aNode = (cpu = '1'): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'edge', labels: { 'kubernetes.io/os': 'linux' } },
  status: { allocatable: { cpu, memory: '10Gi', pods: '110' } },
});

export const aPod = (name: string, { uid = name, namespace = 'ns', ...spec }: Record<string, unknown> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: String(namespace), uid: String(uid) },
  spec: { containers: [{ name: 'bar', image: 'i' }], ...spec },
});

/** The fixture of the worked cases. */
export const foo = (spec: Record<string, unknown> = {}): Pod => aPod('foo', { namespace: 'new', uid: '12345678', ...spec });

export const asking = (cpu: string): { containers: object[] } => ({
  containers: [{ name: 'bar', image: 'i', resources: { requests: { cpu } } }],
});

const runningState = { running: { startedAt: '2026-05-01T10:00:00Z' } };
export const statusWith = (states: Record<string, object>, phase = 'Running', more: PodStatus = {}): PodStatus => ({
  phase,
  containerStatuses: Object.entries(states).map(([name, state]) => ({ name, state })),
  ...more,
});
export const RUNNING = statusWith({ bar: runningState });
export const running = (...names: string[]): PodStatus => statusWith(Object.fromEntries(names.map((name) => [name, runningState])));
export const exitedWith = (exitCode: number, more: PodStatus = {}): PodStatus =>
  statusWith({ bar: { terminated: { exitCode } } }, exitCode === 0 ? 'Succeeded' : 'Failed', more);

export interface Behaviour {
  /** @param check from 1; @param seconds since the start. Undefined: the provider knows no task; a text: the error of the look */
  look?: (check: number, seconds: number) => PodStatus | string | undefined;
  hasEnded?: boolean | ((seconds: number) => boolean);
  /** @param sync from 1. A text: the error of the start */
  sync?: (sync: number) => string | undefined;
}

export interface Played {
  run: RunState;
  summary: RunSummary;
  /** Results as `name ok` or `name: error`. */
  results: string[];
  checks: Record<string, number>;
  syncs: Record<string, number>;
  starts: string[];
  /** Seconds of each wait, by pod. */
  waits: Record<string, number[]>;
  events: string[];
  mirrors: number;
  /** Uids with the seconds of each order. */
  evictions: string[];
  seconds: number;
}

export interface WorldGiven {
  pods: readonly Pod[] | undefined;
  behaviours?: Record<string, Behaviour>;
  options?: Partial<RunOptions>;
  node?: Node;
  others?: readonly Pod[];
  /** Those of them that may be evicted, by uid. */
  evictable?: readonly string[];
  /** Whether an evicted pod is still there. */
  stays?: (uid: string, seconds: number) => boolean;
}

/** Plays a run to its end. */
export function play({ pods, behaviours = {}, options, node = aNode(), others = [], evictable, stays }: WorldGiven): Played {
  const given = { id: 'one', provider: 'simulated', node, pods, ...(options && { options }) };
  let run = newRun(given, new Date(START_MS));
  const manifests = podsToRun(given);
  const played: Omit<Played, 'run' | 'summary' | 'results' | 'seconds'> = {
    checks: {},
    syncs: {},
    starts: [],
    waits: {},
    events: [],
    mirrors: 0,
    evictions: [],
  };
  const listed = (seconds: number): OthersOnNode => ({
    pods: others.filter(
      ({ metadata: { uid = '' } }) => !played.evictions.some((each) => each.startsWith(`${uid} `)) || stays?.(uid, seconds),
    ),
    ...(evictable && { evictable: new Set(evictable) }),
  });
  let [nowMs, seen] = [START_MS, {} as RunSeen];
  for (let steps = 0; steps < 1_000; steps += 1) {
    const before = run;
    const step: RunStep = stepOf({ run, pods: manifests, seen }, new Date(nowMs));
    run = step.run;
    for (const [index, { phase, dueAtMs, name }] of run.pods.entries())
      if (phase === 'wait' && before.pods[index]?.phase !== 'wait') (played.waits[name] ??= []).push(((dueAtMs ?? 0) - nowMs) / 1_000);
    if (run.finishedAtMs !== undefined) break;
    if (step.actions.length > 0) seen = answersTo(step.actions, { manifests, behaviours, listed, played, nowMs });
    // Syncs that called nothing were answered within the step.
    else [nowMs, seen] = [step.dueAtMs ?? nowMs, {}];
  }
  const summary = summaryOf(run);
  return {
    ...played,
    run,
    summary,
    results: summary.results.map(({ pod, error }) => (error === undefined ? `${pod.name} ok` : `${pod.name}: ${error}`)),
    seconds: (nowMs - START_MS) / 1_000,
  };
}

interface Answering {
  manifests: readonly Pod[];
  behaviours: Record<string, Behaviour>;
  listed: (seconds: number) => OthersOnNode;
  played: Pick<Played, 'checks' | 'syncs' | 'starts' | 'events' | 'mirrors' | 'evictions'>;
  nowMs: number;
}

function answersTo(actions: readonly RunAction[], { manifests, behaviours, listed, played, nowMs }: Answering): RunSeen {
  const looks = new Map<number, Look>();
  const syncs = new Map<number, CallOutcome>();
  const stops = new Map<number, CallOutcome>();
  const seen: RunSeen = { looks, syncs, stops };
  for (const action of actions) {
    const { metadata } = ('index' in action && manifests[action.index]) || { metadata: { name: '', namespace: '' } };
    const { name = '', namespace = '' } = metadata;
    const behaviour = behaviours[name] ?? { look: () => RUNNING };
    if (action.verb === 'list') seen.others = listed((nowMs - START_MS) / 1_000);
    if (action.verb === 'evict') played.evictions.push(`${action.victim.uid} ${(nowMs - START_MS) / 1_000}`);
    if (action.verb === 'mirror') played.mirrors += 1;
    if (action.verb === 'event') played.events.push(`${action.type} ${action.reason}`);
    if (action.verb === 'stop') stops.set(action.index, {});
    if (action.verb === 'look') {
      const isLast = action.why.startsWith('it has failed');
      const check = isLast ? (played.checks[name] ?? 0) : (played.checks[name] = (played.checks[name] ?? 0) + 1);
      const answer = behaviour.look?.(check, (nowMs - START_MS) / 1_000);
      const shown = (status: PodStatus): Task => ({
        ...action.task,
        namespace,
        name,
        status,
        hasEnded: hasEndedAt(behaviour, (nowMs - START_MS) / 1_000),
      });
      looks.set(
        action.index,
        typeof answer === 'string' ? { problem: { message: answer } } : { task: answer === undefined ? undefined : shown(answer) },
      );
    }
    if (action.verb === 'sync') {
      const sync = (played.syncs[name] = (played.syncs[name] ?? 0) + 1);
      if (!action.starts) continue;
      played.starts.push(`${action.task.uid}-${action.task.attempt}`);
      const error = behaviour.sync?.(sync);
      syncs.set(action.index, error === undefined ? {} : { problem: { message: error } });
    }
  }
  return seen;
}

const hasEndedAt = ({ hasEnded = false }: Behaviour, seconds: number): boolean =>
  typeof hasEnded === 'boolean' ? hasEnded : hasEnded(seconds);
