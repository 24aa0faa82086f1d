// A critical pod of a run waits until its victims have ended. They are pods of the node's cluster, and their own passes end them.
import type { Pod } from '../../objects/kubernetes.ts';
import { killWaitSeconds } from '../preemption/node/kill-wait.ts';
import { isDue, type PodStep } from './pod-step.ts';
import type { Victim } from './run.ts';
import type { RunSeen } from './step-words.ts';
import { wasEvicted } from './texts.ts';

const LOOK_AGAIN_MS = 1_000;
/** An eviction that was lost on its way is repeated: it names the victim's uid. */
const EVICT_AGAIN_MS = 5_000;

export function waitFor({ state, run, now }: PodStep, victims: readonly Pod[]): void {
  state.phase = 'room';
  state.victims = victims.map((pod) => {
    const { uid = '', namespace = '', name = '' } = pod.metadata;
    run.warnings.push(wasEvicted({ uid, namespace, name }, state));
    return { uid, namespace, name, untilMs: now.getTime() + killWaitSeconds(pod) * 1_000 };
  });
}

/** A list that shows a victim no more, or its latest moment, ends the wait for it. */
export function takeList({ state, now }: PodStep, others: RunSeen['others']): void {
  if (state.phase !== 'room') return;
  // Without the cluster's own list the others are the provider's tasks, and a victim need not be among them (R19).
  const listed = others && 'pods' in others && others.evictable ? new Set(others.pods.map(({ metadata }) => metadata.uid)) : undefined;
  const left = (state.victims ?? []).filter(({ uid, untilMs }) => now.getTime() < untilMs && (listed?.has(uid) ?? true));
  if (left.length > 0) {
    state.victims = left;
    if (others) state.dueAtMs = Math.min(now.getTime() + LOOK_AGAIN_MS, ...left.map(({ untilMs }) => untilMs));
    return;
  }
  delete state.victims;
  delete state.dueAtMs;
  state.phase = 'queued';
}

/** Evictions, and a list of all that the node runs, which one pod orders for all. */
export function orderRoom(step: PodStep): void {
  const { state, actions, index, now } = step;
  if (!isDue(step)) return;
  for (const victim of state.victims ?? [])
    if (isToBeOrdered(victim, now)) {
      victim.orderedAtMs = now.getTime();
      const { uid, namespace, name } = victim;
      actions.push({ verb: 'evict', index, victim: { uid, namespace, name }, why: `it makes room for ${state.namespace}/${state.name}` });
    }
  if (!actions.some(({ verb }) => verb === 'list')) actions.push({ verb: 'list', why: 'victims may have ended' });
}

const isToBeOrdered = ({ orderedAtMs }: Victim, now: Date): boolean =>
  orderedAtMs === undefined || now.getTime() - orderedAtMs >= EVICT_AGAIN_MS;
