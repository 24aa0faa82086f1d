// How a pass ends.

export interface Ending {
  outcome: string;
  /** When to look again, from now. */
  againInMs?: number | undefined;
  attempt?: number;
  error?: unknown;
}

/** A later pass has acquired the head, so this one may not write any more (R8). */
export class OvertakenError extends Error {}
