// Goes on after a plan that could not be carried out completely: the pass plans again from the current state, or ends and comes back later.
import type { Ports } from '../../ports/ports.ts';
import { PODS } from '../../objects/resources.ts';
import type { Refusal, Stop } from '../pass/result.ts';
import { turnOf } from './turn.ts';
import type { Ending } from '../pass/ending.ts';
import { ForeignNamesakeError } from '../acting/child-writes.ts';
import { HELD_MS, backoffMs, parkedEnding, refusalEvent, requiredEvent, roomTaken } from '../planning/parking.ts';
import type { Pass } from '../pass/pass.ts';
import { statusDigestOf, type PassState } from '../head/pass-state.ts';
import { lowestFreeNumber, settle, settleCreates } from '../live/settle.ts';
import { UNKNOWN_OUTCOME_AGAIN_MS } from './trouble.ts';

/** @returns how the pass ends, or that it plans again */
export async function afterStop(ports: Pick<Ports, 'clock' | 'telemetry'>, pass: Pass, stop: Stop): Promise<Ending | 'again'> {
  switch (stop.kind) {
    case 'conflict':
      if (stop.error instanceof ForeignNamesakeError)
        pass.pending.events.push(refusalEvent(pass, { during: stop.during, resource: PODS }, stop.error));
      // Another writer was first. Read the owner and the pods to count live, then plan again (R18).
      await lookAnew(pass);
      pass.pending.state = { ...pass.pending.state, statusDigest: statusDigestOf(pass.known.owner?.status) };
      return 'again';
    case 'refused': {
      if (stop.during === 'status' && stop.error.code === 403) throw stop.error;
      if (stop.during === 'status') {
        // Park after two refusals in a row. A status that was accepted in between shows that a different one is refused now.
        if (pass.decided.wasRefused && !pass.decided.wroteStatus)
          return parkedEnding(ports, pass, `the API server refuses its status: ${stop.error.message}`);
        // The plan may rest on outdated state. Plan once more from the current state before a person is asked.
        pass.decided.wasRefused = true;
        await lookAnew(pass);
        return 'again';
      }
      const required = stop.refusals.find(({ ifRefused }) => ifRefused);
      if (required?.ifRefused) {
        const { problem, event } = required.ifRefused;
        if (event) pass.pending.events.push(requiredEvent(pass, event, required.error));
        return parkedEnding(ports, pass, `${problem}: ${required.error.message}`);
      }
      const held = stop.refusals.map((refusal) => heldBy(pass, refusal)).find((verb) => verb !== undefined);
      // A pod's patch or the owner's delete was refused. It is tried once more together with the rest of the work, then with a back-off.
      if (!held && pass.decided.wasHindered)
        return { outcome: 'failed', againInMs: backoffMs(pass.attempt, HELD_MS), attempt: pass.attempt, error: stop.error };
      // Upstream sends no event about a finalizer that stays on or a pod that is not adopted.
      const told = stop.refusals.filter(({ during }) => during !== 'patch');
      pass.pending.events.push(...told.map((refusal) => refusalEvent(pass, refusal, refusal.error)));
      await settle(pass);
      // Everything else goes on: plans leave out the refused verb while it is held.
      if (held) pass.pending.state = { ...pass.pending.state, hold: holdOf(ports, pass, held) };
      else pass.decided.wasHindered = true;
      return 'again';
    }
    case 'hindered': {
      const told = stop.troubles.filter(({ during }) => during !== 'patch');
      pass.pending.events.push(...told.map((trouble) => refusalEvent(pass, trouble, trouble.error)));
      await settle(pass);
      return { outcome: 'failed', againInMs: backoffMs(pass.attempt, HELD_MS), attempt: pass.attempt, error: stop.troubles[0]?.error };
    }
    case 'unansweredCreates': {
      const missing = await settleCreates(pass, stop.creates);
      // A create whose pod is missing counts as refused. If the pod appears after all, a later create collides with it (R5).
      pass.pending.events.push(...missing.map(({ error }) => refusalEvent(pass, { during: 'create', resource: PODS }, error)));
      if (missing.length > 0) pass.pending.state = { ...pass.pending.state, hold: holdOf(ports, pass, 'create') };
      return 'again';
    }
    case 'call':
      pass.known.failedCall = stop.failed;
      return 'again';
    case 'throttled':
      return { outcome: 'throttled', ...turnOf(pass, stop.retryAfterMs, ports.clock) };
    case 'unknown':
    case 'notDone':
      return { outcome: stop.kind, againInMs: UNKNOWN_OUTCOME_AGAIN_MS, error: stop.error };
  }
}

/**
 * If a pod's finalizer cannot come off first, its delete is not sent. It is held as if the delete had been refused.
 */
function heldBy({ known: { children } }: Pass, { during, resource, keepsDelete }: Refusal): 'create' | 'delete' | undefined {
  if (keepsDelete) return 'delete';
  if (!resource || !children.isCounted(resource)) return undefined;
  return during === 'create' || during === 'delete' ? during : undefined;
}

function holdOf({ clock }: Pick<Ports, 'clock'>, pass: Pass, verb: 'create' | 'delete'): PassState['hold'] {
  const failures = (pass.pending.state.hold?.failures ?? 0) + 1;
  const untilMs = (pass.known.live?.dateMs ?? clock.nowMs() + pass.offsetMs) + backoffMs(failures, HELD_MS);
  return { failures, untilMs, generation: pass.known.owner?.metadata.generation ?? 0, verb, room: roomTaken(pass.known) };
}

async function lookAnew(pass: Pass): Promise<void> {
  await pass.known.readOwner();
  // A second list of one pass removes the tombstones of the first: take over the numbers of vanished pods before (R5).
  pass.pending.state = { ...pass.pending.state, ordinal: lowestFreeNumber(pass) };
  await pass.known.children.list();
  await pass.known.children.readStrayed();
  await settle(pass);
}
