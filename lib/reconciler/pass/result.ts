// What became of one action.
import type { Action } from '../../kinds/plan.ts';

export type WriteAction = Exclude<Action, { verb: 'event' }>;

export interface Result {
  action: WriteAction;
  error?: unknown;
  /** It is as it was wanted to be, or need not be any more, by no doing of this call: nobody is told that it was done. */
  changedNothing?: true;
  /** Of a finalizer that is refused to come off: the delete of its pod was not sent. */
  keepsDelete?: true;
}
