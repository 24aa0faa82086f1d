// Carries out the actions of a run's step at its provider. A failure is an answer too: the next step decides what it means.
import { podTaking } from '../../kinds/preemption/node/room.ts';
import type { RunState } from '../../kinds/run-once/run.ts';
import type { CallOutcome, Look, Problem, RunAction, RunSeen } from '../../kinds/run-once/step-words.ts';
import type { PodAddresses } from '../../objects/environment/downward-fields.ts';
import { resolved } from '../../objects/environment/environment.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import type { Task } from '../../objects/task.ts';
import { deadlineIn, type Clock } from '../../ports/clock.ts';
import { NotDoneError, NotFoundError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';
import { MOST_TASKS_OF_A_LOOK, taskPages, type Provider } from '../../ports/provider.ts';
import { hasEnded as isOver } from '../../objects/placement/schedulable.ts';
import { inParallel } from '../invocation/parallel.ts';
import type { RunCluster } from './run-cluster.ts';

/** Each call of a provider is given up after so long. */
const CALL_MS = 10_000;
const CALLS_AT_ONCE = 20;

export interface Acting {
  run: RunState;
  pods: readonly Pod[];
  provider: Provider;
  clock: Clock;
  /** Of the run's node, where it is in reach. */
  cluster?: RunCluster | undefined;
  /** Whether there is time for another call. What is not called has no answer, and is ordered again. */
  hasTime: () => boolean;
}

type OfVerb<Verb extends RunAction['verb']> = Extract<RunAction, { verb: Verb }>;
const withVerb = <Verb extends RunAction['verb']>(actions: readonly RunAction[], verb: Verb): OfVerb<Verb>[] =>
  actions.filter((action): action is OfVerb<Verb> => action.verb === verb);

/** @returns the answers, each in the order in which it came */
export async function answersTo(actions: readonly RunAction[], acting: Acting): Promise<RunSeen> {
  const looks = new Map<number, Look>();
  const syncs = new Map<number, CallOutcome>();
  const stops = new Map<number, CallOutcome>();
  const asked = withVerb(actions, 'look');
  const batches = Array.from({ length: Math.ceil(asked.length / MOST_TASKS_OF_A_LOOK) }, (_, at) =>
    asked.slice(at * MOST_TASKS_OF_A_LOOK, (at + 1) * MOST_TASKS_OF_A_LOOK),
  );
  const calls: (() => Promise<void>)[] = [
    ...batches.map((batch) => async () => await look(batch, acting, looks)),
    ...withVerb(actions, 'sync')
      .filter(({ starts }) => starts)
      .map((action) => async () => void syncs.set(action.index, await start(action, acting))),
    ...withVerb(actions, 'stop').map((action) => async () => void stops.set(action.index, await stop(action, acting))),
    ...ofCluster(actions, acting),
  ];
  const isListed = actions.some(({ verb }) => verb === 'list');
  await inParallel(calls, CALLS_AT_ONCE, async (call) => (acting.hasTime() ? await call() : undefined));
  return { looks, syncs, stops, ...(isListed && { others: await othersOn(acting, new Set(acting.run.pods.map(({ uid }) => uid))) }) };
}

async function look(batch: readonly OfVerb<'look'>[], acting: Acting, looks: Map<number, Look>): Promise<void> {
  const { provider, clock } = acting;
  try {
    const tasks = await provider.look(
      batch.map(({ task }) => task),
      deadlineIn(clock, CALL_MS),
    );
    for (const [at, { index }] of batch.entries()) {
      looks.set(index, { task: tasks[at] });
      await mirrorTask(index, tasks[at], acting);
    }
  } catch (error) {
    for (const { index } of batch) looks.set(index, { problem: problemOf(error) });
  }
}

async function start({ index, task }: OfVerb<'sync'>, { provider, pods, run, clock }: Acting): Promise<CallOutcome> {
  const pod = pods[index];
  if (!pod) return { problem: { message: 'its manifest is not there any more' } };
  const resolution = environmentOf(pod, run, provider.addressesOf?.(task));
  if ('problem' in resolution) return { problem: { message: resolution.problem } };
  return await outcomeOf(async () => await provider.start(task, resolution.pod, deadlineIn(clock, CALL_MS)));
}

/** Without an API server no pod has services, config maps, secrets or tokens. */
export const environmentOf = (pod: Pod, { node }: Pick<RunState, 'node'>, addresses?: PodAddresses): ReturnType<typeof resolved> =>
  resolved(pod, {
    services: [],
    ...(addresses && { addresses }),
    allocatable: (node.status?.allocatable ?? {}) as Record<string, string>,
    sourceOf: () => ({ absent: true }),
    tokenOf: () => ({ absent: true }),
  });

const stop = async ({ task, graceSeconds }: OfVerb<'stop'>, { provider, clock }: Acting): Promise<CallOutcome> =>
  await outcomeOf(async () => await provider.stop(task, { graceSeconds }, deadlineIn(clock, CALL_MS)));

/** A provider that keeps tasks which have ended need not keep those that were deleted. */
export async function forgetStopped({ pods }: RunState, provider: Provider, clock: Clock): Promise<void> {
  const stopped = pods.filter(({ stop: deleted }) => deleted?.isOver);
  await inParallel(stopped, CALLS_AT_ONCE, async ({ uid, attempt }) => {
    await provider.forget?.({ uid, attempt }, deadlineIn(clock, CALL_MS));
  });
}

async function outcomeOf(call: () => Promise<void>): Promise<CallOutcome> {
  try {
    await call();
    return {};
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/** Calls of the cluster. They have no answer: a later step orders again what did not come about, and a run needs no API server. */
function ofCluster(actions: readonly RunAction[], { cluster, pods }: Acting): (() => Promise<void>)[] {
  if (!cluster) return [];
  const mirrored = withVerb(actions, 'mirror').flatMap(({ index }) => pods[index] ?? []);
  return [
    ...mirrored.map((pod) => async () => await cluster.createMirror(pod)),
    ...withVerb(actions, 'evict').map(
      ({ victim }) =>
        async () =>
          await cluster.evict(victim),
    ),
  ];
}

async function mirrorTask(index: number, task: Task | undefined, { cluster, run, pods }: Acting): Promise<void> {
  const pod = pods[index];
  if (cluster && pod && task && run.options.mirror) await cluster.show(pod, task);
}

/** As the tasks stand at the end: the last change may not have reached the API server, and nobody looks again. Of a deleted task its provider shows no more. */
export async function mirrorEnds(acting: Pick<Acting, 'run' | 'pods' | 'provider' | 'clock' | 'cluster'>): Promise<void> {
  const { run, pods, provider, clock, cluster } = acting;
  if (!cluster || !run.options.mirror) return;
  const kept: OfVerb<'look'>[] = [];
  for (const [index, { uid, attempt, isSeen, stop: deleted }] of run.pods.entries()) {
    const pod = pods[index];
    if (pod && deleted?.isOver) await cluster.show(pod, undefined);
    else if (isSeen) kept.push({ verb: 'look', index, task: { uid, attempt }, why: 'the run is over' });
  }
  for (let at = 0; at < kept.length; at += MOST_TASKS_OF_A_LOOK)
    await look(kept.slice(at, at + MOST_TASKS_OF_A_LOOK), { run, pods, provider, clock, cluster, hasTime: () => true }, new Map());
}

/**
 * Tasks that have not ended, as pods that take their room; with the node's cluster in reach, its pods as they are, of which some may be evicted.
 * @param own uids of the pods that ask for room
 */
export async function othersOn(
  { provider, clock, cluster }: Pick<Acting, 'provider' | 'clock' | 'cluster'>,
  own: ReadonlySet<string>,
): Promise<NonNullable<RunSeen['others']>> {
  const tasks: Task[] = [];
  try {
    for await (const page of taskPages(provider, () => deadlineIn(clock, CALL_MS)))
      tasks.push(...page.filter(({ uid, hasEnded }) => !hasEnded && !own.has(uid)));
    const running = new Set(tasks.map(({ uid }) => uid));
    // A final phase says that nothing of it runs; what its provider shows counts all the same.
    const listed = await cluster?.pods();
    const ofNode = (listed ?? []).filter((pod) => !isOver(pod) || running.has(pod.metadata.uid ?? ''));
    const known = new Set(ofNode.map(({ metadata: { uid = '' } }) => uid));
    const unknown = tasks.filter(({ uid }) => !known.has(uid));
    const pods = [...ofNode, ...unknown.map((task) => podTaking(task, { requests: task.requests ?? {} }))];
    return { pods, ...(listed && { evictable: known }) };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function problemOf(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof NotFoundError) return { message, isNotFound: true };
  if (error instanceof TerminalError) return { message };
  if (error instanceof ThrottledError) return { message, passes: true, againInMs: error.retryAfterSeconds * 1_000 };
  if (error instanceof NotDoneError) return { message, passes: true };
  if (error instanceof UnknownOutcomeError) return { message, passes: true, isUnknown: true };
  throw error;
}
