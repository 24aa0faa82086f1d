// The end of a pass: observations go into the view, state goes into the head, and follow-up messages are sent (R7, R9). Then the wake is done.
import { isInScope } from '../../ports/clusters.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { resendIfAnswered } from '../cluster/resend.ts';
import { wakeAnew } from '../head/heads.ts';
import { OvertakenError, type Ending } from '../pass/ending.ts';
import type { Pass } from '../pass/pass.ts';
import { untoldInMs, writeEvents } from '../report/event-objects.ts';
import { reportPass } from '../report/pass-report.ts';
import { rememberEnds } from '../report/remembered-ends.ts';
import { countsOfForgotten } from '../view/view-counts.ts';
import { forget } from './after-owner.ts';
import { commit, saveObservations } from './commit.ts';
import { executionOf, type Loop } from './loop.ts';
import { sendTells } from './wake-others.ts';

/** `done`: follow-up messages are sent. `failed`: the wake must come back. */
export type Answer = 'done' | 'failed';

/** Outcomes of passes without an error. Only these may call the API server, and come back, just to write an Event. */
const UNTROUBLED = new Set(['acted', 'waiting', 'converged']);

/** @param sinceMs since when there was work */
export async function record(loop: Loop, pass: Pass, ended: Ending, sinceMs: number | undefined): Promise<Answer> {
  const { ports } = loop;
  let ending = ended;
  let answer: Answer = 'done';
  let nextWakeAtMs: number | undefined;
  try {
    if (ending.outcome === 'overtaken') throw new OvertakenError('a later pass opened the head', { cause: ending.error });
    const isUntroubled = UNTROUBLED.has(ending.outcome) && isInScope(pass.record, pass.key.namespace);
    for (const event of pass.pending.events) pass.pending.counted.push(...(pass.row.metrics.ofEvent?.(event) ?? []));
    if (pass.pending.events.length > 0 || (pass.pending.state.untold && isUntroubled))
      await writeEvents(executionOf(loop, pass), pass.pending.events);
    await sendTells(ports, pass);
    if (ending.outcome === 'gone') {
      await forget(ports, pass);
      pass.pending.counted.push(...countsOfForgotten(pass.key.kind, pass.known.viewAtStart));
    } else {
      const untoldMs = isUntroubled ? untoldInMs(pass.pending.state, ports.clock.nowMs()) : undefined;
      const againInMs = untoldMs === undefined ? ending.againInMs : Math.min(ending.againInMs ?? untoldMs, untoldMs);
      rememberEnds(pass);
      nextWakeAtMs = await commit(ports, pass, { ...ending, againInMs });
      if (ending.outcome === 'putOff') await resendIfAnswered(ports, loop.reachability, pass.key);
    }
  } catch (error) {
    if (!(error instanceof OvertakenError || error instanceof StaleWriteError)) throw error;
    ending = { ...ending, outcome: 'overtaken', error };
    await saveObservations(ports, pass);
    // The wake comes back for a later pass. If the table was lost, no wake comes back: the work begins anew, and nothing blocks it (R1).
    answer = (await wakeAnew(ports, pass.key, pass.record)) ? 'done' : 'failed';
  }
  await reportPass(ports, pass, { ending, sinceMs, nextWakeAtMs });
  return answer;
}
