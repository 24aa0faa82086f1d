// Kubernetes Events about a workload, limited as the reference limits them: 25 at once, then one per 5 minutes. Ten and more of one kind in
// one pass are nine and a combined one.
import { createHash } from 'node:crypto';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { timeOf } from '../../objects/pod-facts.ts';
import { EVENTS } from '../../objects/resources.ts';
import { NotDoneError, ThrottledError } from '../../ports/errors.ts';
import { inParallel } from '../parallel.ts';
import type { EventAction, Execution } from '../pass/actions.ts';
import type { PassState } from '../head/pass-state.ts';

const BURST = 25;
const ONE_MORE_EVERY_MS = 300_000;
const LONGEST_MESSAGE = 1_024;
/** From this one on, similar events are told by one. */
const COMBINED_FROM = 10;

/** What is told but once, such as the end of a workload, waits in its head for so long. Passes come for it 1 s, 2 s, 4 s … after each other. */
const MOST_UNTOLD = 2;
const UNTOLD_FOR_MS = 60_000;
const UNTOLD_AGAIN_MS = 1_000;

/** When the next pass should come for their sake. */
export const untoldInMs = ({ untold }: PassState, nowMs: number): number | undefined =>
  untold && UNTOLD_AGAIN_MS + Math.min(...untold.map(({ atMs }) => Math.max(nowMs - atMs, 0)));

/**
 * Best effort, as everywhere in Kubernetes: an Event that cannot be written is left out, never a reason to stop. Where nothing may be
 * written just now, what is told only once is told by one of the next passes.
 */
export async function writeEvents({ pass, budget, clock, parallelism }: Execution, events: readonly EventAction[]): Promise<void> {
  const nowMs = clock.nowMs();
  const { component, repeatedReasons } = pass.facts;
  const { untold = [], ...state } = pass.state;
  pass.state = state;
  const told: ToldEvent[] = [...untold.map((event) => ofOwner(pass, event, nowMs)), ...combined(withinLimit(pass, nowMs, events))];
  if (told.length === 0) return;
  const { granted } = await budget.take(pass.record, told.length);
  const putOff = new Set(told.slice(granted));
  await inParallel(told.slice(0, granted), parallelism, async (event, at) => {
    try {
      await pass.cluster.create(
        EVENTS,
        eventObject(event, {
          component,
          // One of an earlier pass keeps its name, and is not told twice; what happens once more is told once more.
          id: event.atMs === undefined ? `${pass.fence} ${at}` : `${event.atMs} ${event.reason} ${event.message}`,
          atMs: event.atMs ?? clock.nowMs(),
          resourceVersion: pass.owner?.metadata.resourceVersion,
        }),
        pass.deadline,
      );
    } catch (error) {
      // The next pass has other things to say; that the API server wants rest counts for all (R14).
      if (error instanceof ThrottledError || error instanceof NotDoneError) putOff.add(event);
      if (error instanceof ThrottledError) await budget.close(pass.record, error.retryAfterSeconds);
    }
  });
  const kept = told
    .filter((event) => putOff.has(event) && !repeatedReasons.has(event.reason) && nowMs - (event.atMs ?? nowMs) < UNTOLD_FOR_MS)
    .slice(-MOST_UNTOLD)
    .map(({ type, reason, message, atMs = nowMs }) => ({ type, reason, message: message.slice(0, LONGEST_MESSAGE), atMs }));
  if (kept.length > 0) pass.state = { ...pass.state, untold: kept };
}

function ofOwner({ facts, key }: Execution['pass'], event: NonNullable<PassState['untold']>[number], nowMs: number): ToldEvent {
  const { apiVersion, kind } = facts.resource;
  const { namespace, name, uid } = key;
  const regarding = { apiVersion, kind, namespace, name, uid };
  // Our clock may have been set back: it waits no longer for that.
  return { verb: 'event', ...event, atMs: Math.min(event.atMs, nowMs), regarding, why: 'an earlier pass could not tell it' };
}

/** Spends of the workload's allowance, kept in its state. */
function withinLimit(pass: Execution['pass'], nowMs: number, events: readonly EventAction[]): EventAction[] {
  const { left, atMs } = pass.state.events ?? { left: BURST, atMs: nowMs };
  const regained = Math.floor((nowMs - atMs) / ONE_MORE_EVERY_MS);
  const available = Math.min(BURST, left + Math.max(regained, 0));
  // The end of a workload is worth more than its hundredth pod.
  const ranked = events.toSorted((a, b) => rankIn(pass, a) - rankIn(pass, b)).slice(0, available);
  if (ranked.length > 0)
    pass.state = { ...pass.state, events: { left: available - ranked.length, atMs: regained > 0 || !pass.state.events ? nowMs : atMs } };
  return ranked;
}

interface ToldEvent extends EventAction {
  /** Of one that an earlier pass could not tell: when it happened. */
  atMs?: number;
  /** Of a combined one: how many it speaks for. */
  combines?: number;
}

/** As the reference combines them: the last one of many of one type and reason speaks for all beyond the ninth. */
function combined(events: readonly EventAction[]): ToldEvent[] {
  const told: ToldEvent[] = [];
  const similar = new Map<string, { count: number; last: ToldEvent }>();
  for (const event of events) {
    const kind = `${event.type} ${event.reason}`;
    const known = similar.get(kind);
    if (known && known.count >= COMBINED_FROM) {
      known.last.combines = (known.last.combines ?? 0) + 1;
      known.last.message = combinedMessage(event);
      continue;
    }
    const count = (known?.count ?? 0) + 1;
    const last = count < COMBINED_FROM ? event : { ...event, message: combinedMessage(event), combines: 1 };
    similar.set(kind, { count, last });
    told.push(last);
  }
  return told;
}

const combinedMessage = ({ message }: EventAction): string => `(combined from similar events): ${message}`;

const rankIn = ({ facts }: Execution['pass'], { type, reason }: EventAction): number =>
  type === 'Normal' && facts.repeatedReasons.has(reason) ? 1 : 0;

function eventObject(
  { type, reason, message, regarding, combines }: ToldEvent,
  { component, id, atMs, resourceVersion }: { component: string; id: string; atMs: number; resourceVersion: string | undefined },
): KubernetesObject & Record<string, unknown> {
  const time = timeOf(Math.floor(atMs / 1000));
  const { apiVersion, kind, namespace, name, uid } = regarding;
  // A repeated write of the same pass meets its own name.
  const suffix = createHash('sha256').update(`${uid} ${id}`).digest('hex').slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name.slice(0, 230)}.${suffix}`, namespace },
    involvedObject: { apiVersion, kind, namespace, name, uid, ...(resourceVersion !== undefined && { resourceVersion }) },
    type,
    reason,
    message: message.slice(0, LONGEST_MESSAGE),
    source: { component },
    // The reference's combined ones say nothing of it.
    reportingComponent: combines === undefined ? component : '',
    reportingInstance: '',
    firstTimestamp: time,
    lastTimestamp: time,
    count: combines ?? 1,
  };
}
