// Answers to a plan's questions about tasks of a provider, the provider's state, and what other workloads keep.
import { sightKeyOf, type ProviderState, type SightWant, type WorkloadName } from '../../kinds/rows/plan.ts';
import type { Task, TaskName } from '../../objects/task.ts';
import { isFields } from '../../objects/values/untyped-fields.ts';
import type { Deadline } from '../../ports/clock.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { NotDoneError } from '../../ports/errors.ts';
import { nodeKindOf } from '../../kinds/settings.ts';
import type { Ports } from '../../ports/ports.ts';
import { taskPages, type Provider } from '../../ports/provider.ts';
import { endpointOf } from '../cluster/heartbeats.ts';
import { decodeState } from '../head/pass-state.ts';
import type { Pass } from '../pass/pass.ts';

type SightPorts = Pick<Ports, 'store' | 'providerOf' | 'nodeEndpointOf'>;

/** A node takes 1,000 pods at most. Of one that lists more, or without an end, nothing is believed. */
const MOST_TASKS = 20_000;

/** @throws NotDoneError this process has no provider for that node: another one may */
export function providerFor({ providerOf }: Pick<Ports, 'providerOf'>, record: ClusterRecord, node: string): Provider {
  const provider = providerOf?.(record, node, nodeKindOf(record)?.nodes.remoteOf(record, node));
  if (!provider) throw new NoProviderError(`no provider is set up here for the virtual node ${node}`);
  return provider;
}

/** The trouble is the node's, not the cluster's. */
export class NoProviderError extends NotDoneError {}

/** A provider's answer did not come, or was none. Says nothing about the cluster. */
export class UnansweredSightError extends NotDoneError {}

/** Of a provider that is said to be silent no tasks are told: null. @throws the first error of the other wants */
export async function readSights(ports: SightPorts, pass: Pass, wants: readonly SightWant[]): Promise<void> {
  const { sights } = pass.known;
  const answers = await Promise.allSettled(wants.map(async (want) => await readSight(ports, pass, want)));
  for (const [at, want] of wants.entries()) {
    const answer = answers[at];
    if (answer?.status === 'fulfilled') sights.set(sightKeyOf(want), answer.value ?? null);
  }
  for (const [at, want] of wants.entries()) {
    const answer = answers[at];
    if (answer?.status !== 'rejected') continue;
    const state =
      want.sight === 'tasks' ? (sights.get(sightKeyOf({ sight: 'provider', node: want.node })) as ProviderState | undefined) : undefined;
    if (state?.isSilent !== true) throw answer.reason;
    sights.set(sightKeyOf(want), null);
  }
}

async function readSight(ports: SightPorts, pass: Pass, want: SightWant): Promise<unknown> {
  const { record, deadline } = pass;
  if (want.sight === 'workloads') return await keptOfAll(ports, pass, want.workloads);
  const provider = providerFor(ports, record, want.node);
  try {
    switch (want.sight) {
      case 'task':
        return asked(want, (await provider.look([{ uid: want.uid, attempt: want.attempt }], deadline))[0]);
      case 'tasks':
        return await allTasks(provider, deadline);
      case 'provider': {
        const [state, endpoint] = await Promise.all([stateOf(provider, deadline), endpointOf(ports, record.name, want.node)]);
        return { ...state, ...(endpoint && { endpoint }) };
      }
    }
  } catch (error) {
    throw new UnansweredSightError(
      `the provider of ${want.node} does not answer: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** Characters of JSON that a task's state may have. */
const MOST_CHARACTERS = 65_536;

/** @throws Error for an answer that is none: about another task, without a status, or far too long */
function asked({ uid, attempt }: TaskName, task: Task | undefined): Task | undefined {
  if (task === undefined) return undefined;
  if (task.uid !== uid || task.attempt !== attempt)
    throw new Error(`it was asked for task ${uid}-${attempt} and answers for ${task.uid}-${task.attempt}`);
  return usable(task);
}

/** @throws Error */
function usable(task: Task): Task {
  const name = `task ${task.uid}-${task.attempt}`;
  if (typeof task.uid !== 'string' || task.uid === '') throw new Error('one of its tasks names no pod');
  if (!isFields(task.status) || typeof task.hasEnded !== 'boolean') throw new Error(`its answer for ${name} has no status`);
  if (JSON.stringify(task).length > MOST_CHARACTERS) throw new Error(`its answer for ${name} is longer than ${MOST_CHARACTERS} characters`);
  return task;
}

/** Heads of one read. */
const HEADS_AT_ONCE = 100;

/** By uid what each keeps, as far as the pass wants it; null: it has no head. */
async function keptOfAll(
  { store }: Pick<Ports, 'store'>,
  { key: { cluster, uid: asking }, row }: Pass,
  names: readonly WorkloadName[],
): Promise<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at += HEADS_AT_ONCE) {
    const some = names.slice(at, at + HEADS_AT_ONCE);
    const heads = await store.readHeads(some.map(({ kind, namespace, name, uid }) => ({ cluster, kind, namespace, name, uid })));
    for (const [place, { uid }] of some.entries()) {
      const head = heads[place];
      const all = head && keptIn(uid, head.state);
      kept[uid] = all ? (row.heardOf?.(all, asking) ?? all) : null;
    }
  }
  return kept;
}

/** Of states that were read last, by uid: all pods of a node read the node's. */
const readLately = new Map<string, { text: string; kept: object }>();
const MOST_REMEMBERED = 64;

function keptIn(uid: string, text: string): object {
  const known = readLately.get(uid);
  if (known?.text === text) return known.kept;
  const kept = decodeState(text)?.kept ?? {};
  readLately.delete(uid);
  readLately.set(uid, { text, kept });
  const [oldest] = readLately.keys();
  if (readLately.size > MOST_REMEMBERED && oldest !== undefined) readLately.delete(oldest);
  return kept;
}

/** @throws Error for a list that is none: without an end, or with a task that is not usable */
export async function allTasks(provider: Provider, deadline: Deadline): Promise<Task[]> {
  const all: Task[] = [];
  for await (const page of taskPages(provider, () => deadline)) {
    for (const task of page) all.push(usable(task));
    if (all.length > MOST_TASKS) throw new Error(`it lists more than ${MOST_TASKS} tasks`);
  }
  return all;
}

/** A provider that gives no answer is not well. */
async function stateOf(provider: Provider, deadline: Deadline): Promise<ProviderState> {
  const { lookAgainSeconds, sharesTasks } = provider;
  const more = {
    cannot: provider.limits().cannot,
    ...(lookAgainSeconds !== undefined && { lookAgainSeconds }),
    ...(sharesTasks && { sharesTasks }),
  };
  try {
    return { ...(await provider.health(deadline)), ...more };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), isSilent: true, ...more };
  }
}
