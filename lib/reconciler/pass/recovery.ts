// What follows when a plan could not be carried out whole: planned again from what there is now, or later.
import type { Ports } from '../../ports/ports.ts';
import type { Refusal, Stop } from './actions.ts';
import { turnOf } from '../cluster/budget.ts';
import type { Ending } from './commit.ts';
import { ForeignNamesakeError } from './creates.ts';
import { HELD_MS, backoffMs, parkedEnding, refusalEvent, requiredEvent, roomTaken } from './parking.ts';
import type { Pass } from './pass.ts';
import { statusDigestOf, type PassState } from '../head/pass-state.ts';
import { settle, settleCreates } from './settle.ts';
import { UNKNOWN_OUTCOME_AGAIN_MS } from './trouble.ts';

/** @returns how the pass ends, or that it is to plan again */
export async function afterStop(ports: Pick<Ports, 'clock' | 'telemetry'>, pass: Pass, stop: Stop): Promise<Ending | 'again'> {
  switch (stop.kind) {
    case 'conflict':
      if (stop.error instanceof ForeignNamesakeError) pass.events.push(refusalEvent(pass, stop.during, stop.error));
      // Somebody else was first: the owner and what is to be counted are read live, then planned again (R18).
      await lookAnew(pass);
      pass.state = { ...pass.state, statusDigest: statusDigestOf(pass.owner?.status) };
      return 'again';
    case 'refused': {
      if (stop.during === 'status' && stop.error.code === 403) throw stop.error;
      if (stop.during === 'status') {
        // Twice in a row: one that was taken in between shows that it was not the same that is refused.
        if (pass.wasRefused && !pass.wroteStatus)
          return parkedEnding(ports, pass, `the API server refuses its status: ${stop.error.message}`);
        // It may have been planned from what is no longer so: once more from what there is, before a person is asked.
        pass.wasRefused = true;
        await lookAnew(pass);
        return 'again';
      }
      const required = stop.refusals.find(({ ifRefused }) => ifRefused);
      if (required?.ifRefused) {
        const { problem, event } = required.ifRefused;
        if (event) pass.events.push(requiredEvent(pass, event, required.error));
        return parkedEnding(ports, pass, `${problem}: ${required.error.message}`);
      }
      const held = stop.refusals.map(heldBy).find((verb) => verb !== undefined);
      // A pod's patch, or the owner's end: once more with what else there is to do, and then later and later.
      if (!held && pass.wasHindered)
        return { outcome: 'failed', againInMs: backoffMs(pass.attempt, HELD_MS), attempt: pass.attempt, error: stop.error };
      // Of a finalizer that stays on, or a pod that is not adopted, the reference tells nothing.
      const told = stop.refusals.filter(({ during }) => during !== 'patch');
      pass.events.push(...told.map(({ during, error }) => refusalEvent(pass, during, error)));
      await settle(pass);
      // All else goes on: the plan leaves out what was refused while it is held.
      if (held) pass.state = { ...pass.state, hold: holdOf(ports, pass, held) };
      else pass.wasHindered = true;
      return 'again';
    }
    case 'unansweredCreates': {
      const missing = await settleCreates(pass, stop.creates);
      // What is not there counts as refused; where it comes into being after all, a later create collides with it (R5).
      pass.events.push(...missing.map(({ error }) => refusalEvent(pass, 'create', error)));
      if (missing.length > 0) pass.state = { ...pass.state, hold: holdOf(ports, pass, 'create') };
      return 'again';
    }
    case 'throttled':
      return { outcome: 'throttled', ...turnOf(pass, stop.retryAfterMs, ports.clock) };
    case 'unknown':
    case 'notDone':
      return { outcome: stop.kind, againInMs: UNKNOWN_OUTCOME_AGAIN_MS, error: stop.error };
  }
}

/** A pod whose finalizer may not come off first is not deleted, as if that were refused. */
function heldBy({ during, keepsDelete }: Refusal): 'create' | 'delete' | undefined {
  if (keepsDelete) return 'delete';
  return during === 'create' || during === 'delete' ? during : undefined;
}

function holdOf({ clock }: Pick<Ports, 'clock'>, pass: Pass, verb: 'create' | 'delete'): PassState['hold'] {
  const failures = (pass.state.hold?.failures ?? 0) + 1;
  const untilMs = (pass.live?.dateMs ?? clock.nowMs() + pass.offsetMs) + backoffMs(failures, HELD_MS);
  return { failures, untilMs, generation: pass.owner?.metadata.generation ?? 0, verb, room: roomTaken(pass) };
}

async function lookAnew(pass: Pass): Promise<void> {
  await pass.readOwner();
  await pass.listChildren();
  await settle(pass);
}
