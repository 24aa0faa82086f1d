// The one word for where a workload stands: what lists, `explain`, `up --apply` and the console show.

export const STATES = [
  'Pending',
  'Running',
  'BackingOff',
  'Waiting',
  'Suspended',
  'Complete',
  'Failed',
  'Terminating',
  'Parked',
  'Orphan',
  'Unknown',
  'Unreadable',
] as const;
export type State = (typeof STATES)[number];

/** The states that a reason may mean. */
export type ReasonState = Extract<State, 'Pending' | 'Running' | 'BackingOff' | 'Waiting'>;

export interface Standing {
  state: State;
  /**
   * Of Complete and Failed the condition's reason, of Parked what a person must do; of Waiting and BackingOff what for: a code of the
   * closed list, or the cluster's own word for what its pods wait for, such as `Unschedulable` or `ImagePullBackOff`.
   */
  reason?: string;
}
