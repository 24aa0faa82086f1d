// The end of a workload whose owner is gone: its children are released, then it is forgotten.
import type { Ports } from '../../ports/ports.ts';
import type { Head } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { act } from '../acting/actions.ts';
import type { Ending } from '../pass/ending.ts';
import type { Execution } from '../pass/execution.ts';
import type { Pass } from '../pass/pass.ts';
import { backoffMs, HELD_MS } from '../planning/parking.ts';

/** When to look again at what an owner that is gone left behind. */
const LEFT_AGAIN_MS = 60_000;

/** Releases the children by removing orphan finalizers. After that there is nothing left to know. */
export async function releaseChildren(execution: Execution): Promise<Ending> {
  const { pass } = execution;
  await pass.known.children.list();
  const { actions, isDone } = pass.row.planner.afterOwner({
    pods: [...pass.known.pods],
    children: pass.known.children.living,
    kept: pass.pending.state.kept,
  });
  pass.decided.why.push('the owner is gone: its pods are released');
  if (actions.length > 0) {
    const stop = await act(execution, actions);
    // A refusal may last, so the pass comes back with a back-off.
    if (stop) return { outcome: 'waiting', againInMs: backoffMs(pass.attempt, HELD_MS), attempt: pass.attempt };
  }
  return isDone ? { outcome: 'gone' } : { outcome: 'waiting', againInMs: LEFT_AGAIN_MS };
}

/**
 * A pass does not forget its workload while a wake is on its way: that wake's pass does. Without the head the next change would send a
 * second wake (R9).
 */
export async function forget({ store }: Pick<Ports, 'store'>, pass: Pass): Promise<void> {
  try {
    await store.forget(pass.key, pass.fence);
  } catch (error) {
    const current = error instanceof StaleWriteError ? (error.current as Head | undefined) : undefined;
    if (current?.fence !== pass.fence) throw error;
  }
}
