// Kubernetes Events about a workload, limited as upstream limits them: 25 at once, then one per 5 minutes; ends and suspensions have no limit.
// Ten or more of one kind in one pass become nine and a combined one.
import { createHash } from 'node:crypto';
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { timeOf } from '../../objects/pods/pod-facts.ts';
import { EVENTS } from '../../objects/resources.ts';
import { NotDoneError, ThrottledError } from '../../ports/errors.ts';
import { inParallel } from '../invocation/parallel.ts';
import type { Execution } from '../pass/execution.ts';
import type { EventAction } from '../pass/result.ts';
import type { PassState } from '../head/pass-state.ts';

const BURST = 25;
const ONE_MORE_EVERY_MS = 300_000;
const LONGEST_MESSAGE = 1_024;
/** From this one on, similar events are combined into one. */
const COMBINED_FROM = 10;

/**
 * An event that happens once, such as the end of a workload, waits in the head this long if it cannot be written. Passes retry it after 1
 * s, 2 s, 4 s and so on.
 */
const MOST_UNTOLD = 2;
const UNTOLD_FOR_MS = 60_000;
const UNTOLD_AGAIN_MS = 1_000;

/** When the next pass should come to retry these events. */
export const untoldInMs = ({ untold }: PassState, nowMs: number): number | undefined =>
  untold && UNTOLD_AGAIN_MS + Math.min(...untold.map(({ atMs }) => Math.max(nowMs - atMs, 0)));

/**
 * Best effort, as everywhere in Kubernetes: an Event that cannot be written is left out and never stops a pass. If nothing may be written
 * just now, one of the next passes writes the events that happen only once.
 */
export async function writeEvents({ pass, budget, clock, parallelism }: Execution, events: readonly EventAction[]): Promise<void> {
  const nowMs = clock.nowMs();
  const { repeatedReasons, componentOf } = pass.facts;
  const component = (pass.known.owner && componentOf?.(pass.known.owner)) ?? pass.facts.component;
  const { untold = [], ...state } = pass.pending.state;
  pass.pending.state = state;
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
          // A retried event keeps its name, so it is not written twice. A repeated event gets a new name.
          id: event.atMs === undefined ? `${pass.fence} ${at}` : `${event.atMs} ${event.reason} ${event.message}`,
          atMs: event.atMs ?? clock.nowMs(),
          resourceVersion: pass.known.owner?.metadata.resourceVersion,
        }),
        pass.deadline,
      );
    } catch (error) {
      // After any other error the event is dropped: the next pass has events of its own. A throttling answer applies to all functions
      // (R14).
      if (error instanceof ThrottledError || error instanceof NotDoneError) putOff.add(event);
      if (error instanceof ThrottledError) await budget.close(pass.record, error.retryAfterSeconds);
    }
  });
  const kept = told
    .filter((event) => putOff.has(event) && !repeatedReasons.has(event.reason) && nowMs - (event.atMs ?? nowMs) < UNTOLD_FOR_MS)
    .slice(-MOST_UNTOLD)
    .map(({ type, reason, message, atMs = nowMs }) => ({ type, reason, message: message.slice(0, LONGEST_MESSAGE), atMs }));
  if (kept.length > 0) pass.pending.state = { ...pass.pending.state, untold: kept };
}

function ofOwner({ facts, key }: Execution['pass'], event: NonNullable<PassState['untold']>[number], nowMs: number): ToldEvent {
  const { apiVersion, kind } = facts.resource;
  const { namespace, name, uid } = key;
  const regarding = { apiVersion, kind, namespace, name, uid };
  // Our clock may have been set back. The event must not wait longer because of that.
  return { verb: 'event', ...event, atMs: Math.min(event.atMs, nowMs), regarding, why: 'an earlier pass could not tell it' };
}

/** Takes from the workload's allowance, which its state keeps. */
function withinLimit(pass: Execution['pass'], nowMs: number, events: readonly EventAction[]): EventAction[] {
  const { left, atMs } = pass.pending.state.events ?? { left: BURST, atMs: nowMs };
  const regained = Math.floor((nowMs - atMs) / ONE_MORE_EVERY_MS);
  const available = Math.min(BURST, left + Math.max(regained, 0));
  // The end of a workload matters more than its hundredth pod: it is emitted even after many others, and so is a suspension.
  const ranked = events.toSorted((a, b) => rankIn(pass, a) - rankIn(pass, b)).filter((event, at) => at < available || event.evenUnanswered);
  if (ranked.length > 0)
    pass.pending.state = {
      ...pass.pending.state,
      events: { left: Math.max(available - ranked.length, 0), atMs: regained > 0 || !pass.pending.state.events ? nowMs : atMs },
    };
  return ranked;
}

interface ToldEvent extends EventAction {
  /** When a retried event happened. */
  atMs?: number;
  /** How many events a combined one stands for. */
  combines?: number;
}

/** Combines as upstream does: the last of many events of one type and reason stands for all beyond the ninth. */
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
  // A repeated write by the same pass collides with its own name.
  const suffix = createHash('sha256').update(`${uid} ${id}`).digest('hex').slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    // Events about objects without a namespace lie in this one.
    metadata: { name: `${name.slice(0, 230)}.${suffix}`, namespace: namespace || 'default' },
    involvedObject: { apiVersion, kind, namespace, name, uid, ...(resourceVersion !== undefined && { resourceVersion }) },
    type,
    reason,
    message: message.slice(0, LONGEST_MESSAGE),
    source: { component },
    // Upstream leaves this field empty in combined events.
    reportingComponent: combines === undefined ? component : '',
    reportingInstance: '',
    firstTimestamp: time,
    lastTimestamp: time,
    count: combines ?? 1,
  };
}
