// When to write a status that says little. Counts of running pods change all the time, so a write of such counts alone is debounced.
import type { Action } from '../../kinds/rows/plan.ts';
import type { Pass } from '../pass/pass.ts';
import { statusDigestOf } from '../head/pass-state.ts';

/** The most pods that a planner creates in one pass. A plan of this size has more to come. */
const WHOLE_WAVE = 500;
/** Between waves, successes reach the status no later than this. */
const WAVES_STATUS_EVERY_MS = 2_000;

export interface Timing {
  /** By the cluster's clock. */
  nowMs: number;
  /** A status in which only such counts differ is written at most this often. */
  everyMs: number;
}

/**
 * If the only writes are a status in which only debounced fields differ, and patches that wait with it: how long they may wait, in
 * milliseconds; else 0.
 */
export function debouncedWaitMs(pass: Pass, writes: readonly Action[], timing: Timing): number {
  const mayWait = writes.every((action) =>
    action.verb === 'status'
      ? differsIn(pass, action.status, pass.row.status.debouncedFields)
      : action.verb === 'patch' && action.isDebounced === true,
  );
  return mayWait && writes.length > 0 ? leftToWaitMs(pass, timing) : 0;
}

/**
 * In the middle of many creates: the actions without a status that the next wave's status would repeat. Otherwise a workload of ten
 * thousand pods would write its status once per wave, or once per pass that the budget cuts short.
 */
export function withoutHurriedStatus(pass: Pass, actions: readonly Action[], nowMs: number): readonly Action[] {
  const creates = actions.reduce((count, { verb }) => count + (verb === 'create' ? 1 : 0), 0);
  const isAmidCreates = creates >= WHOLE_WAVE || pass.pending.state.createsLast === true;
  if (!isAmidCreates || leftToWaitMs(pass, { nowMs, everyMs: WAVES_STATUS_EVERY_MS }) === 0) return actions;
  const { owner } = pass.known;
  const { amidCreates } = pass.row.status;
  if (!owner || !amidCreates) return actions;
  const timingOf = amidCreates.timing(owner);
  const now: Action[] = [];
  for (const action of actions) {
    if (action.verb === 'create' || action.verb === 'event' || action.verb === 'call') now.push(action);
    else if (action.verb === 'status') {
      if (!differsIn(pass, action.status, amidCreates.fields)) return actions;
    } else {
      const timing = timingOf(action, pass.known.view.children.get(action.uid)?.child);
      if (timing === 'withStatus') return actions;
      if (timing === 'now') now.push(action);
    }
  }
  return now;
}

function differsIn(pass: Pass, wanted: object, fields: readonly string[]): boolean {
  const digestOf = (status: object): string =>
    statusDigestOf(Object.fromEntries(Object.entries(status).filter(([field]) => !fields.includes(field))));
  return digestOf(wanted) === digestOf(pass.known.owner?.status ?? {});
}

/** Never longer than `everyMs`, even if a clock jumped (R12). */
function leftToWaitMs(
  {
    pending: {
      state: { statusWrittenAtMs },
    },
  }: Pass,
  { nowMs, everyMs }: Timing,
): number {
  return statusWrittenAtMs === undefined ? 0 : Math.min(Math.max(statusWrittenAtMs + everyMs - nowMs, 0), everyMs);
}
