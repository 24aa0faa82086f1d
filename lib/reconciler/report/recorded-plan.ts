// The last plan of a pass for the flight recorder, and a replay of its input by today's planner.
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { PlannerRow } from '../../kinds/rows/planner-row.ts';
import { factsFor } from '../../kinds/facts.ts';
import { plannerRowFor } from '../../kinds/planners.ts';
import { resourceKeyOf } from '../../objects/child-state.ts';
import type { Action, Plan, Snapshot } from '../../kinds/rows/plan.ts';
import { PodSet } from '../../kinds/rows/pod-set.ts';
import type { Planned } from '../pass/pass.ts';
import type { Decided, RecordedPlan, SnapshotKind } from '../../wire/snapshot.ts';
import { packSnapshot, unpackSnapshot } from '../../wire/snapshot.ts';
import { UndecodableMessageError } from '../../wire/words/undecodable.ts';

/** Packing a larger workload would cost more than the pass. */
export const CHILDREN_IN_SNAPSHOT = 1_000;

/**
 * @param kind.factsOf of the kind: they are recorded unless its row says what else
 * @returns undefined if there are more children than `CHILDREN_IN_SNAPSHOT`, or if the plan rests on reads, which no snapshot holds
 * @throws UnrecordableError
 */
export function snapshotOf(
  planned: Planned,
  {
    factsOf,
    recordedFactsOf = factsOf,
    recordedTexts,
    planner,
  }: Pick<KindFacts, 'factsOf'> & Pick<PlannerRow, 'recordedFactsOf' | 'recordedTexts' | 'planner'>,
): Uint8Array | undefined {
  const { given, nowMs, plan } = planned;
  const { owner, pods, ended = [], head, manages, options, kept, held, sights } = given;
  const listed = [...pods];
  const children = given.children && [...given.children.values()].flat();
  if (listed.length + ended.length + (children?.length ?? 0) > CHILDREN_IN_SNAPSHOT || restsOnReads(planned, planner)) return undefined;
  const { create, delete: deleted, strip } = head.expectations;
  const plainHead = { ...head, expectations: { create: [...create], delete: [...deleted], strip: [...strip] } };
  const recorded: RecordedPlan = {
    owner: recordedFactsOf(owner),
    pods: listed,
    ...(ended.length > 0 && { ended }),
    ...(children && { children }),
    head: plainHead,
    ...(kept && { kept }),
    ...(held && held.size > 0 && { held: Object.fromEntries(held) }),
    ...(sights && sights.size > 0 && { sights: Object.fromEntries(sights) }),
    manages,
    ...(options && Object.keys(options).length > 0 && { options }),
    nowMs,
    decided: decidedIn(plan),
  };
  return packSnapshot(recorded, recordedTexts);
}

/** How snapshots of this kind are read. @throws Error for a kind that this build does not know */
export const snapshotKindOf = (kind: string): SnapshotKind => ({
  texts: plannerRowFor(kind).recordedTexts,
  faultOf: (owner) => factsFor(kind).faultOf(owner),
});

/** A replay gets no reads: where the same is not decided without them, it would tell differences that are none. */
function restsOnReads({ given, nowMs, plan }: Planned, planner: PlannerRow['planner']): boolean {
  if ((given.read?.size ?? 0) === 0) return false;
  const { read: _read, ...unread } = given;
  return !isDeepStrictEqual(decidedIn(planner.plan(unread, new Date(nowMs))), decidedIn(plan));
}

export interface Replayed {
  recorded: Decided;
  today: Decided;
  /** One line each, `-` only in the recorded plan, `+` only in today's; empty if both decide the same. */
  differences: string[];
}

/** @throws UndecodableMessageError; any error of today's planner */
export function replay(kind: string, snapshot: Uint8Array): Replayed {
  const recorded = unpackSnapshot(snapshot, snapshotKindOf(kind));
  const { planner } = plannerRowFor(kind);
  const [given, now] = [givenIn(kind, recorded), new Date(recorded.nowMs)];
  const first = planner.plan(given, now);
  // As the pass did: the recorded owner is what the planner got in the end.
  const wantsOwner = first.wants?.some((want) => 'owner' in want) ?? false;
  const today = decidedIn(wantsOwner ? planner.plan({ ...given, isWhole: true }, now) : first);
  return { recorded: recorded.decided, today, differences: differencesOf(recorded.decided, today) };
}

/** The planner's input, as far as a snapshot holds it. @throws UndecodableMessageError */
function givenIn(
  kind: string,
  { owner, pods, ended, children = [], head, kept, held, sights, manages, options }: RecordedPlan,
): Snapshot<WorkloadObject> {
  const rows = factsFor(kind).children.filter(({ isUsed }) => isUsed?.({ options }) ?? true);
  const byResource = new Map(
    rows.map(({ resource }) => [resourceKeyOf(resource), children.filter((child) => child.resource === resourceKeyOf(resource))]),
  );
  return {
    owner,
    pods: PodSet.byPlace(pods),
    ...(ended && { ended }),
    ...(factsFor(kind).children.length > 0 && { children: byResource }),
    head,
    ...(kept && { kept: readableKept(kind, kept) }),
    ...(held && { held: new Map(Object.entries(held)) }),
    ...(sights && { sights: new Map(Object.entries(sights)) }),
    manages,
    options,
  };
}

/** @throws UndecodableMessageError */
function readableKept(kind: string, kept: object): object {
  const schema = plannerRowFor(kind).kept?.schema;
  const read = schema && v.safeParse(schema, kept);
  if (!read?.success) throw new UndecodableMessageError(`what ${kind} keeps in the head has another form in this build`);
  return read.output;
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
    case 'call':
      return { verb: `provider.${action.call}`, target: action.node, why };
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
