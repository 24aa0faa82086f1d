// Carries out a plan's actions: neighbours in parallel under the budget, creates with slow start, every write with its precondition (R8).
// An action that failed or whose outcome is unknown ends the wave. The rest is planned again.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { Resource } from '../../objects/resources.ts';
import { aboutOf, type Action } from '../../kinds/rows/plan.ts';
import { hasPassed } from '../../ports/clock.ts';
import { ConflictError, NotDoneError, NotFoundError, TerminalError, ThrottledError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { WriteBudget } from '../cluster/budget.ts';
import { create, runChain } from './child-writes.ts';
import { callProvider, failedCallOf } from './provider-calls.ts';
import { inParallel } from '../invocation/parallel.ts';
import type { Execution } from '../pass/execution.ts';
import type { Pass } from '../pass/pass.ts';
import {
  isOwnerDelete,
  type CallAction,
  type CreateAction,
  type DeleteAction,
  type EventAction,
  type OtherTrouble,
  type PatchAction,
  type Refusal,
  type Result,
  type StatusAction,
  type Stop,
  type WriteAction,
} from '../pass/result.ts';
import { replaceStatus } from './status-write.ts';
import type { Child } from '../head/pass-state.ts';

type ChildAction = DeleteAction | PatchAction;

/** Creates of one resource other than pods that are refused, until a pass sends no more of that resource. */
const MOST_REFUSED = 5;

/** Not an error: the next pass does the rest. */
export const OUT_OF_TIME = 'the pass ran out of time';

/**
 * Events keep their place: an event follows the actions that stand before it in the plan.
 * @returns undefined when every action was carried out
 */
export async function act(execution: Execution, actions: readonly Action[]): Promise<Stop | undefined> {
  const { pass } = execution;
  pass.decided.wroteStatus = false;
  pass.decided.namesakes = [];
  const troubles: OtherTrouble[] = [];
  const progress: Progress = { done: new Set(), troubles };
  const { done } = progress;
  let stop: Stop | undefined;
  let isStatusUnanswered = false;
  for (const wave of wavesOf(pass, actions)) {
    if (wave.verb === 'event') {
      const { about, evenUnanswered } = wave.action;
      const isCarriedOut = about === undefined ? stop === undefined : done.has(about);
      if (isCarriedOut || (evenUnanswered && isStatusUnanswered)) pass.pending.events.push(wave.action);
    } else if (stop === undefined) {
      stop = await runWave(execution, wave, progress);
      isStatusUnanswered = wave.verb === 'status' && stop?.kind === 'unknown';
      if (
        wave.verb === 'create' &&
        wave.actions.some((action) => isPlaced(pass, action)) &&
        (stop?.kind === 'throttled' || stop?.kind === 'notDone')
      )
        pass.pending.state = { ...pass.pending.state, createsLast: true };
    }
    // An expired owner is deleted even if a finalizer cannot be taken off its pods: upstream does the cleaning up in another controller. A
    // webhook that cannot be called answers as unknown (R6). The events about the pods of a finished owner do not affect its deletion.
    else if (wave.verb === 'owner' && (stop.kind === 'refused' || stop.kind === 'unknown'))
      stop = (await runWave(execution, wave, progress)) ?? stop;
  }
  return stop ?? (troubles.length > 0 ? { kind: 'hindered', troubles } : undefined);
}

interface Progress {
  /** Subjects of the creates and deletes that were carried out, as events name them. */
  done: Set<string>;
  troubles: OtherTrouble[];
}

/** A create that takes a place: an intent (R5). */
const isPlaced = ({ known: { children } }: Pass, action: CreateAction): action is CreateAction & { child: Child } =>
  children.isCounted(action.resource) && action.child !== undefined;

type Wave =
  | { verb: 'create'; actions: CreateAction[] }
  | { verb: 'children'; areCounted: boolean; chains: Map<string, ChildAction[]> }
  | { verb: 'status'; action: StatusAction }
  | { verb: 'owner'; action: DeleteAction }
  | { verb: 'call'; action: CallAction }
  | { verb: 'event'; action: EventAction };

/**
 * Neighbouring creates form a wave. So do neighbouring patches and deletes; those of one object stay in their order. A status, or the
 * owner's delete, is a wave of its own. So are the pods among patches and deletes: what belongs to a pod does not go where the pod's delete is
 * refused, because the pod was seen as it no longer is. Writes with nothing between them but events about one object each are neighbours.
 */
function wavesOf(pass: Pass, actions: readonly Action[]): Wave[] {
  const waves: Wave[] = [];
  let last: Wave | undefined;
  const begin = (wave: Wave): void => {
    waves.push(wave);
    if (wave.verb !== 'event' || wave.action.about === undefined) last = wave;
  };
  const isCounted = ({ resource }: ChildAction): boolean => pass.known.children.isCounted(resource);
  for (const action of actions)
    if (action.verb === 'event') begin({ verb: 'event', action });
    else if (action.verb === 'status') begin({ verb: 'status', action });
    else if (action.verb === 'call') begin({ verb: 'call', action });
    else if (action.verb === 'delete' && isOwnerDelete(pass, action)) begin({ verb: 'owner', action });
    else if (action.verb === 'create') {
      if (last?.verb === 'create') last.actions.push(action);
      else begin({ verb: 'create', actions: [action] });
    } else if (last?.verb === 'children' && last.areCounted === isCounted(action)) {
      const chain = last.chains.get(action.uid);
      if (chain) chain.push(action);
      else last.chains.set(action.uid, [action]);
    } else begin({ verb: 'children', areCounted: isCounted(action), chains: new Map([[action.uid, [action]]]) });
  return waves;
}

async function runWave(execution: Execution, wave: Exclude<Wave, { verb: 'event' }>, progress: Progress): Promise<Stop | undefined> {
  switch (wave.verb) {
    case 'status':
      return await underBudget(execution, [wave.action], { writesEach: 1, progress }, async (action) => [
        await replaceStatus(execution.pass, action),
      ]);
    case 'call': {
      const { error } = await callProvider(execution, wave.action);
      note(execution.pass, wave.action, error);
      if (error === undefined) return undefined;
      const failed = failedCallOf(wave.action, error);
      if (!failed) throw error;
      return { kind: 'call', failed };
    }
    case 'owner':
      return await underBudget(execution, [wave.action], { writesEach: 1, progress }, async (action) => [
        await deleteOwner(execution, action),
      ]);
    case 'create':
      return await runCreates(execution, wave.actions, progress);
    case 'children': {
      const chains = [...wave.chains.values()];
      const writesEach = Math.max(...chains.map((chain) => chain.length));
      return await underBudget(execution, chains, { writesEach, progress }, (chain) => runChain(execution.pass, chain));
    }
  }
}

/** Those that another one needs come first. Where that one made nothing, the pass plans again without it. */
async function runCreates(execution: Execution, creates: readonly CreateAction[], progress: Progress): Promise<Stop | undefined> {
  const free = creates.filter(({ needs }) => needs === undefined);
  const stop = await runFreeCreates(execution, free, progress);
  if (stop || free.length === creates.length) return stop;
  return await runFreeCreates(
    execution,
    creates.filter(({ needs }) => needs !== undefined && progress.done.has(needs)),
    progress,
  );
}

/** Slow start: a quota or a webhook that refuses every create receives few requests. */
function* slowStart(actions: readonly CreateAction[]): Generator<readonly CreateAction[]> {
  for (let at = 0, size = 1; at < actions.length; at += size, size *= 2) yield actions.slice(at, at + size);
}

/** Few at first. Where a refused pod says nothing about the others, these are tried too. */
async function runFreeCreates(execution: Execution, creates: readonly CreateAction[], progress: Progress): Promise<Stop | undefined> {
  const { pass } = execution;
  const { refusedAlone } = pass.facts.pods ?? {};
  let stopped: Extract<Stop, { kind: 'refused' }> | undefined;
  for (const batch of slowStart(refusedAlone ? startingElsewhere(pass, creates) : creates)) {
    // A quota or a webhook that refused several will refuse the next one too. One alone may be refused for its own sake.
    const refused = (resource: Resource): number => progress.troubles.filter((trouble) => trouble.resource === resource).length;
    const isLeft = new Map(
      [...new Set(batch.map(({ resource }) => resource))].map((resource) => [resource, refused(resource) >= MOST_REFUSED]),
    );
    const open = batch.filter(({ resource }) => !isLeft.get(resource));
    const stop = await underBudget(execution, open, { writesEach: 1, progress }, async (action) => [await create(pass, action)]);
    if (!stop) continue;
    if (!refusedAlone || stop.kind !== 'refused' || stop.refusals.some(({ ifRefused }) => ifRefused)) return stop;
    stopped = { ...stop, refusals: [...(stopped?.refusals ?? []), ...stop.refusals] };
    if (stopped.refusals.length >= MOST_REFUSED) break;
  }
  return stopped;
}

/** After tries that ended with too many refusals the next one begins with others, so that every pod has its turn. */
function startingElsewhere({ pending: { state } }: Pass, creates: readonly CreateAction[]): readonly CreateAction[] {
  const first = ((state.hold?.failures ?? 0) * MOST_REFUSED) % Math.max(creates.length, 1);
  return [...creates.slice(first), ...creates.slice(0, first)];
}

/** Runs as many as the budget grants. After a failure the others of this round end, and no later one begins. */
async function underBudget<Item>(
  { pass, budget, clock, parallelism }: Execution,
  items: readonly Item[],
  { writesEach, progress: { done, troubles } }: { writesEach: number; progress: Progress },
  run: (item: Item) => Promise<Result[]>,
): Promise<Stop | undefined> {
  for (let at = 0; at < items.length;) {
    const { granted, retryAfterMs } = await budget.take(pass.record, (items.length - at) * writesEach);
    // At least one: otherwise an item of two writes would never find enough in a small budget.
    const now = granted === 0 ? 0 : Math.max(Math.floor(granted / writesEach), 1);
    if (now === 0) return { kind: 'throttled', retryAfterMs: Math.max(retryAfterMs, 200) };
    if (hasPassed(pass.deadline, clock)) return { kind: 'notDone', error: new NotDoneError(OUT_OF_TIME) };
    const results: Result[] = [];
    let hasFailed = false;
    await inParallel(items.slice(at, at + now), parallelism, async (item) => {
      // After a failure the wave sends nothing more.
      if (hasFailed) return;
      const own = await run(item);
      results.push(...own);
      hasFailed ||= own.some(
        (result) => result.error !== undefined && !(result.error instanceof TerminalError) && !otherTroubleOf(pass, result),
      );
    });
    for (const { action, error, changedNothing } of results) {
      note(pass, action, error);
      if (error !== undefined || changedNothing || (action.verb !== 'create' && action.verb !== 'delete')) continue;
      done.add(aboutOf(action.resource, targetOf(action)));
      // A success ends the hold: the API server no longer refuses this verb as such.
      if (
        pass.known.children.isCounted(action.resource) &&
        pass.pending.state.hold &&
        (pass.pending.state.hold.verb ?? 'create') === action.verb
      )
        pass.pending.state = { ...pass.pending.state, hold: undefined };
    }
    troubles.push(...results.flatMap((result) => otherTroubleOf(pass, result) ?? []));
    const stop = await stopFor(
      pass,
      budget,
      results.filter((result) => !otherTroubleOf(pass, result)),
    );
    if (stop) return stop;
    at += now;
  }
  return undefined;
}

/** Undefined also for an action that all others depend on. */
function otherTroubleOf(pass: Pass, { action, error }: Result): OtherTrouble | undefined {
  if (action.verb === 'status' || action.verb === 'call' || isOfPodOrOwner(pass, action)) return undefined;
  if (!(error instanceof TerminalError || error instanceof UnknownOutcomeError) || ('ifRefused' in action && action.ifRefused))
    return undefined;
  return { during: action.verb, resource: action.resource, error };
}

function note(pass: Pass, action: WriteAction, error: unknown): void {
  const result =
    error === undefined
      ? 'done'
      : error instanceof UnknownOutcomeError
        ? 'unknown'
        : error instanceof NotDoneError || error instanceof ThrottledError
          ? 'notDone'
          : 'refused';
  const last = pass.decided.actions.at(-1);
  const word = action.verb === 'patch' ? action.purpose : action.verb === 'call' ? `provider.${action.call}` : action.verb;
  const verb =
    action.verb === 'status' || action.verb === 'call' || isOfPodOrOwner(pass, action) ? word : `${word} ${action.resource.kind}`;
  if (last && last.verb === verb && last.why === action.why && last.result === result) last.count = (last.count ?? 1) + 1;
  else
    pass.decided.actions.push({
      verb,
      target: targetOf(action),
      why: action.why,
      result,
      ...(error instanceof Error && { detail: error.message }),
    });
}

const isOfPodOrOwner = (pass: Pass, action: CreateAction | ChildAction): boolean =>
  pass.known.children.isCounted(action.resource) || isOwnerDelete(pass, action);

function targetOf(action: WriteAction): string {
  if (action.verb === 'create') return action.object.metadata.name ?? '';
  if (action.verb === 'call') return action.node;
  return action.verb === 'status' ? 'status' : action.name;
}

async function stopFor(pass: Pass, budget: WriteBudget, results: readonly Result[]): Promise<Stop | undefined> {
  const failed = results.filter(({ error }) => error !== undefined);
  const [first] = failed;
  if (!first) return undefined;
  const throttled = failed.find(({ error }) => error instanceof ThrottledError);
  if (throttled?.error instanceof ThrottledError) {
    await budget.close(pass.record, throttled.error.retryAfterSeconds);
    return { kind: 'throttled', retryAfterMs: throttled.error.retryAfterSeconds * 1000 };
  }
  const creates = failed.flatMap(({ action, error }) =>
    action.verb === 'create' && isPlaced(pass, action) && error instanceof UnknownOutcomeError ? [{ child: action.child, error }] : [],
  );
  if (creates.length > 0) return { kind: 'unansweredCreates', creates };
  for (const { error } of failed) if (error instanceof UnknownOutcomeError) return { kind: 'unknown', error };
  for (const { error } of failed) if (error instanceof NotDoneError) return { kind: 'notDone', error };
  const duringOf = (action: WriteAction): Refusal['during'] => (isOwnerDelete(pass, action) ? 'ownerDelete' : action.verb);
  const refusals = failed.flatMap(({ action, error, keepsDelete }) =>
    error instanceof TerminalError
      ? [
          {
            during: duringOf(action),
            ...('resource' in action && { resource: action.resource }),
            error,
            ...(keepsDelete && { keepsDelete }),
            ...('ifRefused' in action && action.ifRefused && { ifRefused: action.ifRefused }),
          },
        ]
      : [],
  );
  const [refusal] = refusals;
  if (refusal) return { kind: 'refused', ...refusal, refusals };
  if (first.error instanceof ConflictError) return { kind: 'conflict', during: first.action.verb, error: first.error };
  throw first.error;
}

/** Sends the uid and the version that were judged (R8). The pass goes on according to whether the object is still there. */
async function deleteOwner({ pass }: Execution, action: DeleteAction): Promise<Result> {
  const { namespace, name, uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = action;
  const target = {
    namespace,
    name,
    uid,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  };
  try {
    const expired = pass.known.owner;
    const { object, dateMs } = await pass.cluster.delete<WorkloadObject>(pass.facts.resource, target, pass.deadline);
    if (expired) pass.pending.counted.push(...(pass.row.metrics.ofOwnerDelete?.(expired, new Date(dateMs)) ?? []));
    if (object) pass.known.observeOwner(object, dateMs);
    else pass.known.gone = true;
    return { action };
  } catch (error) {
    if (!(error instanceof NotFoundError)) return { action, error };
    pass.known.gone = true;
    return { action };
  }
}
