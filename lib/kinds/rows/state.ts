// The state of a workload in one word, as lists, `explain`, `up --apply` and the console show it.

export const STATES = [
  'Pending',
  'Running',
  'BackingOff',
  'Waiting',
  'Suspended',
  'Succeeded',
  'Failed',
  'Terminating',
  'Parked',
  'Orphan',
  'Unknown',
  'Unreadable',
] as const;
export type State = (typeof STATES)[number];

/** By its word, whatever the case of its letters. */
export const findState = (word: string): State | undefined => STATES.find((state) => state.toLowerCase() === word.trim().toLowerCase());

/** The states that a reason may have. */
export type ReasonState = Extract<State, 'Pending' | 'Running' | 'BackingOff' | 'Waiting'>;

export interface Standing {
  state: State;
  /**
   * For Succeeded and Failed: the condition's reason. For Parked: the required action. For Waiting and BackingOff: a code of the closed
   * list, or the cluster's own word for its pods' state, such as `Unschedulable` or `ImagePullBackOff`. For Running: how many pods cannot, if any.
   */
  reason?: string;
}
