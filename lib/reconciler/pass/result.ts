// The outcome of one action.
import type { Action } from '../../kinds/rows/plan.ts';
import type { Pass } from './pass.ts';

export type WriteAction = Exclude<Action, { verb: 'event' }>;
export type DeleteAction = Extract<Action, { verb: 'delete' }>;
export type PatchAction = Extract<Action, { verb: 'patch' }>;
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
