// The end of a workload whose owner is gone: its children are released, then it is forgotten.
import type { Ports } from '../../ports/ports.ts';
import type { Head } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import type { AfterOwner } from '../../kinds/rows/plan.ts';
import { act } from '../acting/actions.ts';
import { intend } from '../acting/intending.ts';
import { readSights } from '../live/sights.ts';
import { unseenOf } from '../live/wanted.ts';
import type { Ending } from '../pass/ending.ts';
import type { Execution } from '../pass/execution.ts';
import type { Pass } from '../pass/pass.ts';
import { backoffMs, HELD_MS } from '../planning/parking.ts';
import { writeRemoval } from '../summary/pass-summary.ts';
import { keepOf } from './wake-others.ts';

/** When to look again at what an owner that is gone left behind. */
const LEFT_AGAIN_MS = 60_000;

/** Releases the children by removing orphan finalizers. After that there is nothing left to know. */
export async function releaseChildren(execution: Execution): Promise<Ending> {
  const { pass } = execution;
  await pass.known.children.list();
  const { actions, isDone, kept, tells = [], requeueAfterSeconds, why } = await leftOver(execution);
  pass.decided.why.push(why ?? 'the owner is gone: its pods are released');
  keepOf(pass, { head: kept ? { kept } : {}, tells });
  if (tells.length > 0 || kept) await intend({ store: execution.ports.store, clock: execution.clock }, pass, []);
  if (actions.length > 0) {
    const stop = await act(execution, actions);
    // A refusal may last, so the pass comes back with a back-off.
    if (stop) return { outcome: 'waiting', againInMs: backoffMs(pass.attempt, HELD_MS), attempt: pass.attempt };
  }
  const againInMs = requeueAfterSeconds === undefined ? LEFT_AGAIN_MS : requeueAfterSeconds * 1000;
  return isDone ? { outcome: 'gone' } : { outcome: 'waiting', againInMs };
}

/** The planner's answer about it, with the sights that this rests on. */
async function leftOver({ pass, ports, clock }: Execution): Promise<AfterOwner> {
  const answer = (): AfterOwner =>
    pass.row.planner.afterOwner({
      key: pass.key,
      pods: [...pass.known.pods],
      children: pass.known.children.living,
      kept: pass.pending.state.kept,
      sights: pass.known.sights,
      options: pass.record.options,
      nowMs: pass.known.live?.dateMs ?? clock.nowMs() + pass.offsetMs,
    });
  const first = answer();
  const unseen = unseenOf(pass, first.wants);
  if (unseen.length === 0) return first;
  await readSights(ports, pass, unseen);
  return answer();
}

/**
 * A pass does not forget its workload while a wake is on its way: that wake's pass does. Without the head the next change would send a
 * second wake (R9).
 */
export async function forget(ports: Pick<Ports, 'store' | 'clock' | 'telemetry'>, pass: Pass): Promise<void> {
  const { store } = ports;
  try {
    await store.forget(pass.key, pass.fence);
    await writeRemoval(ports, pass);
  } catch (error) {
    const current = error instanceof StaleWriteError ? (error.current as Head | undefined) : undefined;
    if (current?.fence !== pass.fence) throw error;
  }
}
