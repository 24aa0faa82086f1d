// What became of one action.
import type { Action } from '../../kinds/plan.ts';
import type { Pass } from './pass.ts';

export type WriteAction = Exclude<Action, { verb: 'event' }>;
export type DeleteAction = Extract<Action, { verb: 'delete' }>;
export type PatchAction = Extract<Action, { verb: 'patch' }>;

/** The owner's own delete. A child may be of the owner's kind: its uid tells them apart. */
export const isOwnerDelete = ({ key }: Pick<Pass, 'key'>, action: Action): boolean => action.verb === 'delete' && action.uid === key.uid;

export interface Result {
  action: WriteAction;
  error?: unknown;
  /** It is as it was wanted to be, or need not be any more, by no doing of this call: nobody is told that it was done. */
  changedNothing?: true;
  /** Of a finalizer that is refused to come off: the delete of its pod was not sent. */
  keepsDelete?: true;
}
