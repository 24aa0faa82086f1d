// The last plan of a pass for the flight recorder, and a replay of its input by today's planner.
import { isDeepStrictEqual } from 'node:util';
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { PlannerRow } from '../../kinds/planner-row.ts';
import { plannerRowFor } from '../../kinds/planners.ts';
import type { Action, Plan, Snapshot } from '../../kinds/plan.ts';
import { PodSet } from '../../kinds/pod-set.ts';
import type { Decided, RecordedPlan } from '../../wire/snapshot.ts';
import { packSnapshot, unpackSnapshot } from '../../wire/snapshot.ts';

/** The input of a planner, and its plan. */
export interface Planned {
  given: Snapshot<WorkloadObject>;
  nowMs: number;
  plan: Plan<object>;
}

/** Packing a larger workload would cost more than the pass. */
export const PODS_IN_SNAPSHOT = 1_000;

/** @returns undefined if there are more pods than `PODS_IN_SNAPSHOT`, or if the plan rests on reads, which no snapshot holds */
export function snapshotOf(
  { given, nowMs, plan }: Planned,
  { recordedFactsOf }: Pick<PlannerRow, 'recordedFactsOf'>,
): Uint8Array | undefined {
  const { owner, pods, head, manages } = given;
  const listed = [...pods];
  if (listed.length > PODS_IN_SNAPSHOT || restsOnReads(given, plan)) return undefined;
  const { create, delete: deleted, strip } = head.expectations;
  const plainHead = { ...head, expectations: { create: [...create], delete: [...deleted], strip: [...strip] } };
  return packSnapshot({
    owner: recordedFactsOf(owner) as RecordedPlan['owner'],
    pods: listed,
    head: plainHead,
    manages,
    nowMs,
    decided: decidedIn(plan),
  });
}

/**
 * A step towards a wanted state, or a refusal because of objects that were read. Without those reads a replay would plan something else.
 */
const restsOnReads = ({ read }: Snapshot<WorkloadObject>, { continues, outcome }: Plan<object>): boolean =>
  (read?.size ?? 0) > 0 && (continues === true || outcome === 'parked');

export interface Replayed {
  recorded: Decided;
  today: Decided;
  /** One line each, `-` only in the recorded plan, `+` only in today's; empty if both decide the same. */
  differences: string[];
}

/** @throws UndecodableMessageError; any error of today's planner */
export function replay(kind: string, snapshot: Uint8Array): Replayed {
  const { owner, pods, head, manages, nowMs, decided: recorded } = unpackSnapshot(snapshot);
  const today = decidedIn(plannerRowFor(kind).planner.plan({ owner, pods: PodSet.byPlace(pods), head, manages }, new Date(nowMs)));
  return { recorded, today, differences: differencesOf(recorded, today) };
}

/** As plain JSON, so that a recorded plan and a new one can be compared. */
const decidedIn = (plan: Plan<object>): Decided => {
  const { outcome, why, actions, requeueAfterSeconds, status } = plan;
  const plainStatus: Record<string, unknown> = JSON.parse(JSON.stringify(status));
  return {
    outcome,
    why: [...why],
    actions: actions.map(decidedAction),
    ...(requeueAfterSeconds !== undefined && { requeueAfterSeconds }),
    status: plainStatus,
  };
};

function decidedAction(action: Action): Decided['actions'][number] {
  const { why } = action;
  switch (action.verb) {
    case 'create':
      return { verb: 'create', target: action.object.metadata.name ?? '', why };
    case 'patch':
      return { verb: action.purpose, target: action.name, why };
    case 'delete':
      return { verb: 'delete', target: action.name, why };
    case 'status':
      return { verb: 'status', target: 'status', why };
    case 'event':
      return { verb: 'event', target: `${action.reason}: ${action.message}`, why };
  }
}

function differencesOf(recorded: Decided, today: Decided): string[] {
  const lines = [
    ...setDifferences([`outcome ${recorded.outcome}`], [`outcome ${today.outcome}`]),
    ...setDifferences(recorded.why.map(becauseText), today.why.map(becauseText)),
    ...setDifferences(recorded.actions.map(actionText), today.actions.map(actionText)),
    ...setDifferences([againText(recorded)], [againText(today)]),
  ];
  for (const field of new Set([...Object.keys(recorded.status), ...Object.keys(today.status)])) {
    const [was, is] = [recorded.status[field], today.status[field]];
    if (!isDeepStrictEqual(was, is)) lines.push(`- status.${field} ${textOf(was)}`, `+ status.${field} ${textOf(is)}`);
  }
  return lines;
}

const becauseText = (why: string): string => `because: ${why}`;
const actionText = ({ verb, target, why }: Decided['actions'][number]): string => `${verb} ${target}: ${why}`;
const againText = ({ requeueAfterSeconds }: Decided): string =>
  requeueAfterSeconds === undefined ? 'looks again when something happens' : `looks again in ${requeueAfterSeconds} s`;
const textOf = (value: unknown): string => (value === undefined ? '(not set)' : JSON.stringify(value));

/** The lines that are in only one of the two lists; a repeated line counts twice. */
function setDifferences(recorded: readonly string[], today: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of today) left.set(line, (left.get(line) ?? 0) + 1);
  const lines: string[] = [];
  for (const line of recorded) {
    const count = left.get(line) ?? 0;
    if (count === 0) lines.push(`- ${line}`);
    else left.set(line, count - 1);
  }
  for (const [line, count] of left) for (let time = 0; time < count; time++) lines.push(`+ ${line}`);
  return lines;
}
