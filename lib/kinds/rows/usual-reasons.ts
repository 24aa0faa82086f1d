// Why a workload stands where it stands, for a kind that says nothing of its own: from its circumstances, its conditions and its pods.
import type { Condition, WorkloadObject } from '../../objects/kubernetes.ts';
import { isActive } from '../../objects/pods/pod-facts.ts';
import { fieldsOf, listOf } from '../../objects/values/untyped-fields.ts';
import type { KindFacts } from './kind.ts';
import { isReadLive } from './owner-facts.ts';
import type { Snapshot } from './plan.ts';
import { lostReasons, podReasons } from './pod-states.ts';
import { LEAVING, obstaclesOf, refusedReason, type Circumstances, type CommonReason, type Reason } from './reasons.ts';
import type { Standing } from './state.ts';

/** The condition of this type that is True, if there is one. */
export const trueCondition = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type && condition.status === 'True');

const STANDINGS = [
  ['Complete', 'Succeeded'],
  ['Succeeded', 'Succeeded'],
  ['Failed', 'Failed'],
  ['Suspended', 'Suspended'],
] as const;

/** By the conditions that say how an owner ended, or that it is suspended; else by `spec.suspend`. */
export function usualStandingOf({ spec, status }: WorkloadObject): Standing | undefined {
  const conditions = listOf(fieldsOf(status)['conditions']) as unknown as Condition[];
  for (const [type, state] of STANDINGS) {
    const condition = trueCondition(conditions, type);
    if (condition) return { state, ...(condition.reason !== undefined && state !== 'Suspended' && { reason: condition.reason }) };
  }
  return fieldsOf(spec)['suspend'] === true ? { state: 'Suspended' } : undefined;
}

type Given = Snapshot<WorkloadObject>;
type Reasons = Reason<CommonReason>[];

/** All that hold, most important first; never empty. */
export function usualReasonsOf(
  facts: Pick<KindFacts, 'kind' | 'isFinished' | 'isManaged' | 'managerOf' | 'hasStarted'>,
  given: Given,
  now: Date,
  circumstances: Circumstances,
): Reasons {
  const { owner, manages } = given;
  if (facts.isFinished(owner)) {
    const end: Reasons = [{ code: 'EndedOtherwise', text: endText(owner) }];
    return circumstances.isLeaving ? [...end, LEAVING] : [...end, ...obstaclesOf({ ...circumstances, isDrained: false })];
  }
  if (!facts.isManaged(owner, manages)) {
    const manager = facts.managerOf(owner) ?? 'somebody else';
    return [{ code: 'ManagedBySomebodyElse', text: `it is managed by ${manager}; Farloop does nothing about it` }];
  }
  const obstacles = obstaclesOf(facts.hasStarted(owner) ? { ...circumstances, isDrained: false } : circumstances);
  if (isReadLive(owner))
    return [
      ...obstacles,
      { code: 'TooLargeForView', text: 'its spec, labels or status are too large to be kept: each pass reads them live' },
    ];
  const living = livingReasons(facts.kind, given, now.getTime(), circumstances.refusal);
  if (obstacles.length + living.length > 0) return [...obstacles, ...living];
  return facts.hasStarted(owner)
    ? [{ code: 'AboutToStartPods', text: 'nothing holds it up: the next pass goes on with it' }]
    : [{ code: 'NotYetSeen', text: 'no pass has looked at it yet' }];
}

function endText(owner: WorkloadObject): string {
  const standing = usualStandingOf(owner);
  const how = standing?.state === 'Succeeded' ? 'it completed' : standing?.state === 'Failed' ? 'it failed' : 'it has ended';
  return standing?.reason === undefined ? how : `${how}: ${standing.reason}`;
}

function livingReasons(kind: string, { owner, pods, head }: Given, nowMs: number, refusal: string | undefined): Reasons {
  const own = [...pods].filter(({ controller }) => controller?.uid === owner.metadata.uid);
  const states = [
    ...lostReasons({ terminating: own.filter(({ deletedAt }) => deletedAt !== undefined) }, nowMs),
    ...podReasons({ active: own.filter(isActive) }),
  ];
  if (owner.metadata.deletionTimestamp !== undefined)
    return [{ code: 'BeingDeleted', text: `the ${kind} itself is being deleted, and all that it owns with it` }, ...states];
  const createMs = (head.holdUntilMs ?? 0) - nowMs;
  const heldMs = Math.max(createMs, (head.deleteHoldUntilMs ?? 0) - nowMs);
  const why = refusal === undefined ? '; its events say why' : `: ${refusal}`;
  const held = heldMs > 0 ? [refusedReason(`refused to ${createMs > 0 ? 'create' : 'delete'} a pod`, why, heldMs)] : [];
  const suspended: Reasons =
    usualStandingOf(owner)?.state === 'Suspended' ? [{ code: 'Suspended', text: 'it is suspended: it goes on when it no longer is' }] : [];
  return [...held, ...suspended, ...states];
}
