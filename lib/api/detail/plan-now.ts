// What a pass would do now: the planner, on the view as it is, without any effect.
import { factsFor } from '../../kinds/facts.ts';
import { plannerRowFor } from '../../kinds/planners.ts';
import { explainPlan } from '../../kinds/planning/plan-text.ts';
import type { Action, Plan, Snapshot, Want } from '../../kinds/rows/plan.ts';
import { PodSet } from '../../kinds/rows/pod-set.ts';
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { shownData, shownText } from '../../objects/values/shown-text.ts';
import { resourceKeyOf } from '../../objects/child-state.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { planHeadOf } from '../../reconciler/planning/planning.ts';
import { livingIn } from '../../reconciler/view/view.ts';
import { ownerIn, type Known } from './known.ts';

export interface PlanNow {
  outcome: Plan<object>['outcome'];
  why: string[];
  /** In order of execution. */
  actions: { verb: string; target: string; why: string }[];
  /** The status as it would be after it. */
  status: object;
  requeueAfterSeconds?: number;
  /** What the pass would read live first, and might then decide otherwise. */
  reads: string[];
  /** The same for people. */
  text: string;
}

/** Actions of one pass are some hundreds; these are told. */
const MOST_ACTIONS = 500;

/** @returns a sentence where there is nothing to plan with */
export function planNow(known: Known, { record, nowMs }: { record: ClusterRecord; nowMs: number }): PlanNow | string {
  const { head, state, row } = known;
  const { kind, namespace, name } = head.key;
  const owner = ownerIn(known);
  const full = [kind, ...(namespace === '' ? [] : [namespace]), name].join('/');
  if (!owner || !state) return `what is known of ${full} is not enough to plan with: the next pass reads it anew`;
  const planner = plannerRowFor(kind);
  const given = snapshotOf(known, { owner, state, record, nowMs });
  const plan = planner.planner.plan(given, new Date(nowMs));
  const told = { ...plan, actions: plan.actions.slice(0, MOST_ACTIONS) };
  const left = plan.actions.length - told.actions.length;
  const reads = readsOf(plan);
  const text = [
    explainPlan(shownText(full), shownData(told), { shown: row.shown }),
    ...(left > 0 ? [`  and ${left} actions more`] : []),
    ...(reads.length > 0 ? [`  reads first, and may then decide otherwise: ${reads.join(', ')}`] : []),
  ].join('\n');
  return {
    outcome: plan.outcome,
    why: plan.why,
    actions: told.actions.map((action) => ({ verb: action.verb, target: targetOf(action), why: action.why })),
    status: plan.status,
    ...(plan.requeueAfterSeconds !== undefined && { requeueAfterSeconds: plan.requeueAfterSeconds }),
    reads,
    text,
  };
}

function snapshotOf(
  { head: { key }, view, children }: Known,
  { owner, state, record, nowMs }: { owner: WorkloadObject; state: NonNullable<Known['state']>; record: ClusterRecord; nowMs: number },
): Snapshot<WorkloadObject> {
  const pods = PodSet.byPlace(livingIn(view));
  const facts = factsFor(key.kind);
  const rows = facts.children.filter(({ isUsed }) => isUsed?.(record) ?? true);
  const ended = facts.pods?.successOutlivesPod
    ? [...view.children.values()].flatMap(({ presence, child }) =>
        presence !== 'there' && child.phase === 'Succeeded' && child.controller?.uid === key.uid ? [child] : [],
      )
    : [];
  return {
    owner,
    pods,
    ...(ended.length > 0 && { ended }),
    ...(facts.children.length > 0 && {
      children: new Map(
        rows.map(({ resource }) => {
          const part = children.find((each) => each.resource === resourceKeyOf(resource));
          return [
            resourceKeyOf(resource),
            [...(part?.children.values() ?? [])].flatMap(({ presence, child }) => (presence === 'there' ? [child] : [])),
          ];
        }),
      ),
    }),
    head: planHeadOf({ state, owner, pods }, nowMs, plannerRowFor(key.kind).backoff.known(state.backoff, owner)),
    manages: record.manages,
    options: record.options,
    ...(state.kept && { kept: state.kept }),
  };
}

function targetOf(action: Action): string {
  switch (action.verb) {
    case 'create':
      return `${action.object.kind ?? action.resource.kind}/${action.object.metadata.name ?? ''}`;
    case 'delete':
    case 'patch':
      return `${action.kind}/${action.name}`;
    case 'call':
      return `${action.call} at ${action.node}`;
    case 'status':
      return 'status';
    case 'event':
      return `${action.reason}: ${action.message}`;
  }
}

/** The owner is read before anything that cannot be taken back (R10). */
function readsOf({ wants = [], actions }: Plan<object>): string[] {
  const isGrave = actions.some(
    (action) =>
      action.verb === 'create' ||
      action.verb === 'call' ||
      (action.verb === 'delete' && action.active) ||
      (action.verb === 'patch' && !action.canBeTakenBack) ||
      (action.verb === 'status' && action.isFinal === true),
  );
  const wanted = wants.map(wantText);
  return [...new Set([...(isGrave ? ['the owner'] : []), ...wanted])];
}

function wantText(want: Want): string {
  if ('owner' in want) return 'the owner';
  if ('sight' in want) return want.sight === 'workloads' ? 'what other workloads keep' : `${want.sight} of node ${want.node}`;
  return `${want.resource.plural}${want.name === undefined ? '' : `/${want.name}`}`;
}
