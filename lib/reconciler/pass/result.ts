// The outcomes of actions, one by one and together.
import type { Action, FailedCall, IfRefused } from '../../kinds/rows/plan.ts';
import type { Resource } from '../../objects/resources.ts';
import type { TerminalError, UnknownOutcomeError } from '../../ports/errors.ts';
import type { Child } from '../head/pass-state.ts';
import type { Pass } from './pass.ts';

export type WriteAction = Exclude<Action, { verb: 'event' }>;
export type EventAction = Extract<Action, { verb: 'event' }>;
export type CreateAction = Extract<Action, { verb: 'create' }>;
export type DeleteAction = Extract<Action, { verb: 'delete' }>;
export type PatchAction = Extract<Action, { verb: 'patch' }>;
export type CallAction = Extract<Action, { verb: 'call' }>;
export type StatusAction = Extract<Action, { verb: 'status' }>;

/** The owner's own delete. A child may be of the owner's kind, so compare uids. */
export const isOwnerDelete = ({ key }: Pick<Pass, 'key'>, action: Action): boolean => action.verb === 'delete' && action.uid === key.uid;

export interface Result {
  action: WriteAction;
  error?: unknown;
  /** The wanted state was there already, or is not needed any more. This call did not bring it about, so no event says that it did. */
  changedNothing?: true;
  /** The API server refused to take a finalizer off, so the delete of its pod was not sent. */
  keepsDelete?: true;
}

/** One action that the API server refused. */
export interface Refusal {
  during: WriteAction['verb'] | 'ownerDelete';
  /** Of the object. */
  resource?: Resource;
  error: TerminalError;
  /** The API server refused to take the finalizer off, so the delete of its pod was not sent. */
  keepsDelete?: true;
  /** All other actions depend on the refused one. */
  ifRefused?: IfRefused;
}

/** A write to an object other than the owner and its pods that was refused, or got no answer. It delays only itself. */
export interface OtherTrouble {
  during: WriteAction['verb'];
  resource: Resource;
  error: TerminalError | UnknownOutcomeError;
}

/** How a wave ended before its end. */
export type Stop =
  | {
      kind: 'refused';
      error: TerminalError;
      during: Refusal['during'];
      refusals: Refusal[];
    }
  /** Another writer was first. The current state was read live. */
  | { kind: 'conflict'; during: WriteAction['verb']; error: Error }
  | { kind: 'throttled'; retryAfterMs: number }
  /** Writes to other children failed. Everything else was carried out. */
  | { kind: 'hindered'; troubles: OtherTrouble[] }
  /** Creates whose outcome is unknown. */
  | { kind: 'unansweredCreates'; creates: { child: Child; error: UnknownOutcomeError }[] }
  /** A call of the provider failed: it is planned with again. */
  | { kind: 'call'; failed: FailedCall }
  | { kind: 'unknown' | 'notDone'; error: Error };
