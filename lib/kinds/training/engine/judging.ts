// Judges each slot's pod: counts, failures to handle, slots that are done.
import type { Counts, Tally } from '../terms/framework.ts';
import { failuresOf } from '../status/backoff.ts';
import type { JobCondition } from '../terms/job-types.ts';
import { failuresIn, type Kept } from '../memory/kept.ts';
import { slotSetIn, slotText } from '../memory/slot-sets.ts';
import { COMPLETED_SLOTS } from '../names/slots.ts';
import type { PodFacts } from '../../../objects/pods/pod-facts.ts';
import type { Judged, Judgement, Situation } from './situation.ts';
import { presentIn } from '../objects/present-pods.ts';
import { countsOf } from '../status/replica-statuses.ts';
import { answerToFailure, exitCodeOf } from '../status/restarts.ts';
import { numberOfSlot } from '../names/slots.ts';
import { isFromBefore } from './suspension.ts';

/** @param conditions with a resumption of this pass @param startedAt Unix seconds */
export function judge(
  situation: Situation,
  { kept, conditions, startedAt }: { kept: Kept; conditions: readonly JobCondition[] | undefined; startedAt: number | undefined },
): Judgement {
  const { given, terms, present } = situation;
  const { container } = terms.framework;
  const isLeftover = (pod: PodFacts): boolean => isFromBefore(pod, { conditions, startedAt, suspendedAt: kept.suspendedAt });
  const slots = new Map<number, Judged>();
  for (const [slot, placed] of present.pods) {
    if (isLeftover(placed.pod)) continue;
    const code = exitCodeOf(placed.pod.containers, container);
    const isFailed = placed.pod.phase === 'Failed';
    slots.set(slot, { ...placed, code, ...(isFailed && { answer: answerToFailure(placed.replicas.restartPolicy, code) }) });
  }
  const pods = new Map([...slots].map(([slot, { pod }]) => [slot, pod]));
  const failures = failuresOf(pods, (slot) => slots.get(slot)?.answer === 'restart', failuresIn(kept));
  const told = slotSetIn(kept.restarting);
  const failed = [...slots.values()].filter(({ pod }) => hasFailed(pod, !terms.framework.status.runsUntilEnded));
  const restarting = new Set(failed.filter(({ replicas }) => replicas.restartPolicy !== 'Never').map(({ slot }) => slot));
  const ended = (given.ended ?? []).filter(({ createdAt, deletedAt = createdAt, ...pod }) => !isLeftover({ ...pod, createdAt, deletedAt }));
  const leader = terms.framework.leader ? slots.get(0)?.pod.phase : undefined;
  const isLeaderOver = leader === 'Succeeded' || leader === 'Failed';
  const completion = completedSlots(situation, { kept, slots, ended });
  return {
    slots,
    failures,
    ...completion,
    counts: countsFor(situation, {
      slots,
      completed: completion.completed,
      isLeaderOver,
      isTold: (slot) => told.has(slot) || slots.get(slot)?.answer === 'restart',
    }),
    restarting,
    isLeaderOver,
  };
}

/** @param terminatingFails whether a running pod that is being deleted has */
const hasFailed = ({ phase, deletedAt }: PodFacts, terminatingFails: boolean): boolean =>
  phase === 'Failed' || (terminatingFails && phase === 'Running' && deletedAt !== undefined);

/** A slot that has succeeded once is not run again, even if a person removes its pod. */
function completedSlots(
  { given, terms }: Situation,
  { kept, slots, ended }: { kept: Kept; slots: ReadonlyMap<number, Judged>; ended: readonly PodFacts[] },
): Pick<Judgement, 'completed' | 'toRemember'> {
  const annotation = given.owner.metadata.annotations?.[COMPLETED_SLOTS];
  const written = slotSetIn(annotation);
  const completed = new Set<number>();
  const gone: number[] = [];
  const before = new Set([...written, ...slotSetIn(kept.succeeded), ...presentIn(terms, ended).pods.keys()]);
  for (const { role, wanted } of terms.replicas)
    for (let index = 0; index < wanted; index += 1) {
      const slot = numberOfSlot(role, index);
      const pod = slots.get(slot)?.pod;
      const isDone = pod ? pod.phase === 'Succeeded' : before.has(slot);
      if (!isDone) continue;
      completed.add(slot);
      if (!pod || pod.deletedAt !== undefined || written.has(slot)) gone.push(slot);
    }
  const text = slotText(gone);
  return { completed, ...(text !== slotText(written) && { toRemember: text }) };
}

function countsFor(
  { terms }: Situation,
  {
    slots,
    completed,
    isLeaderOver,
    isTold,
  }: Pick<Judgement, 'slots' | 'completed' | 'isLeaderOver'> & { isTold: (slot: number) => boolean },
): Counts {
  const terminatingFails = !terms.framework.status.runsUntilEnded;
  const byType = Map.groupBy(slots.values(), ({ replicas }) => replicas.type);
  const tallies = new Map<string, Tally>();
  for (const { type, role, wanted } of terms.replicas) {
    const own = isLeaderOver && role > 0 ? [] : (byType.get(type) ?? []);
    const counts = countsOf(
      own.map(({ pod }) => pod),
      { terminatingFails },
    );
    let gone = 0;
    const looked = isLeaderOver && role > 0 ? 0 : wanted;
    for (let index = 0; index < looked; index += 1) {
      const slot = numberOfSlot(role, index);
      if (completed.has(slot) && !slots.has(slot)) gone += 1;
    }
    const newlyFailed = own.filter(({ pod, slot }) => hasFailed(pod, terminatingFails) && !isTold(slot)).length;
    tallies.set(type, { ...counts, succeeded: counts.succeeded + gone, newlyFailed });
  }
  const none: Tally = { active: 0, succeeded: 0, failed: 0, newlyFailed: 0 };
  const slotOf = (type: string, index: number): number =>
    numberOfSlot(terms.replicas.find((replicas) => replicas.type === type)?.role ?? 0, index);
  return {
    terms,
    of: (type) => tallies.get(type) ?? none,
    podOf: (type, index) => slots.get(slotOf(type, index))?.pod,
    isCompleted: (type, index) => completed.has(slotOf(type, index)),
  };
}
