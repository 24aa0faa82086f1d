// How a pass ends that met an error, and what that means for its cluster: silence, refused credentials, a restored API server, a workload
// that a person must look at.
import type { Ports } from '../../ports/ports.ts';
import { hasPassed } from '../../ports/clock.ts';
import { NotDoneError, TerminalError, ThrottledError, UNREADABLE, UnknownOutcomeError } from '../../ports/errors.ts';
import { StaleWriteError } from '../../ports/store.ts';
import type { WriteBudget } from '../cluster/budget.ts';
import { turnOf } from './turn.ts';
import { OvertakenError, type Ending } from '../pass/ending.ts';
import { OversizedPartError } from '../../kinds/rows/child.ts';
import { RestoredServerError, raiseEra } from '../cluster/era.ts';
import { KeptTooLargeError } from '../head/kept.ts';
import { NoProviderError, UnansweredSightError } from '../live/sights.ts';
import { backoffMs, park, parkUnreadable } from '../planning/parking.ts';
import type { Pass } from '../pass/pass.ts';
import { OwnerGoneError } from '../pass/knowledge.ts';
import { LateError, PlannerFailedError } from '../planning/planning.ts';
import { isUnauthorized, type Reachability } from '../cluster/reachability.ts';

/** How long to wait before an unknown outcome is looked up. */
export const UNKNOWN_OUTCOME_AGAIN_MS = 1_000;
const SILENT_AGAIN_MS = 5_000;
const FORBIDDEN_AGAIN_MS = 60_000;
/** Of a provider that does not answer: its outages last seconds or minutes. */
const PROVIDER_AGAIN_MS = { first: 1_000, most: 60_000 };

export interface TroubleSetup {
  ports: Ports;
  budget: WriteBudget;
  reachability: Reachability;
  /** Releases the children of an owner that is gone. */
  afterOwner: (pass: Pass) => Promise<Ending>;
}

/** @throws errors that pass by themselves; the wake then comes back (ports/errors.ts) */
export async function endingOf(setup: TroubleSetup, pass: Pass, error: unknown): Promise<Ending> {
  const { ports, budget, reachability } = setup;
  if (error instanceof OwnerGoneError)
    try {
      return await setup.afterOwner(pass);
    } catch (second) {
      return await endingOf(setup, pass, second);
    }
  if (error instanceof OvertakenError || error instanceof StaleWriteError) return { outcome: 'overtaken', error };
  if (error instanceof RestoredServerError) {
    await raiseEra(ports, pass.record, error.message);
    return { outcome: 'restored', againInMs: 0, error };
  }
  if (error instanceof ThrottledError) {
    await budget.close(pass.record, error.retryAfterSeconds);
    return { outcome: 'throttled', ...turnOf(pass, error.retryAfterSeconds * 1000, ports.clock), error };
  }
  if (error instanceof UnansweredSightError || error instanceof NoProviderError)
    return { outcome: 'failed', againInMs: backoffMs(pass.attempt, PROVIDER_AGAIN_MS), attempt: pass.attempt, error };
  // The pass ran into its own deadline. That says nothing about the cluster.
  if (error instanceof LateError || (error instanceof NotDoneError && hasPassed(pass.deadline, ports.clock)))
    return { outcome: 'notDone', againInMs: UNKNOWN_OUTCOME_AGAIN_MS, error };
  if (isUnreadable(error)) return parkUnreadable(pass, error, ports);
  if (isForbidden(error)) {
    const againInMs = await reachability.sawForbidden(pass.key, error.message);
    if (againInMs !== undefined) return { outcome: 'forbidden', againInMs, attempt: pass.attempt, error };
    // Rights may come back at any time, so the back-off never exceeds a minute.
    return { outcome: 'parked', againInMs: park(pass, error.message, ports, FORBIDDEN_AGAIN_MS), error };
  }
  if (isSilence(error)) return await endingOfSilence(setup, pass, error);
  // Errors of the store or a queue pass by themselves, so the wake comes back (ports/errors.ts).
  if (!isLasting(error)) throw error;
  // Our own mistake, or a workload that no planner can handle. It must not stop the others (R13).
  const reason = error instanceof Error ? error.message : String(error);
  return { outcome: 'parked', againInMs: park(pass, reason, ports), error };
}

/** One broken connection or one missing answer does not make a cluster silent. Two failures in a row do (R14). */
async function endingOfSilence(setup: TroubleSetup, pass: Pass, error: Error): Promise<Ending> {
  const { reachability } = setup;
  // The credential may have changed since it was read.
  if (error instanceof TerminalError) setup.ports.forgetCredential?.(pass.key.cluster);
  if (!(await reachability.isDown(pass.key.cluster)))
    try {
      await pass.known.readOwner();
      return { outcome: 'unknown', againInMs: UNKNOWN_OUTCOME_AGAIN_MS, error };
    } catch (second) {
      if (!isSilence(second)) return await endingOf(setup, pass, second);
    }
  await reachability.sawSilence(pass.key, error);
  return { outcome: 'unreachable', againInMs: SILENT_AGAIN_MS, attempt: pass.attempt, error };
}

/** The cluster does not answer, or refuses the credentials. That concerns the cluster, not this workload. */
const isSilence = (error: unknown): error is Error =>
  error instanceof NotDoneError || error instanceof UnknownOutcomeError || isUnauthorized(error);

/** It says nothing about the cluster, which answered. */
export const isUnreadable = (error: unknown): error is TerminalError => error instanceof TerminalError && error.reason === UNREADABLE;

/** Refusals of a read or a status. Neither quotas nor pod policies forbid these, so rights are missing. */
const isForbidden = (error: unknown): error is TerminalError => error instanceof TerminalError && error.code === 403;

/** An immediate retry would fail again: a planner's failure, a refusal, a mistake of our own. */
const isLasting = (error: unknown): boolean =>
  [PlannerFailedError, KeptTooLargeError, OversizedPartError, TerminalError, TypeError, RangeError, ReferenceError].some(
    (kind) => error instanceof kind,
  );
