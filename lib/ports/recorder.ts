// The flight recorder keeps for 7 days what each pass saw, decided and did.
import type { WorkloadKey } from '../objects/workload.ts';

export interface PassRecord {
  key: WorkloadKey;
  /** The pass's fence. */
  passId: string;
  startedAtMs: number;
  durationMs: number;
  /** The person who did it, and not a pass. */
  by?: string;
  /** acted, waiting, converged, parked, notOurs; or how it stopped: overtaken, unreachable, gone, putOff, failed. */
  outcome: string;
  why: string[];
  /** The pass's input, as numbers and digests. Never objects. */
  saw: Record<string, string | number | boolean>;
  /** One line per action, neighbours joined. */
  actions: {
    verb: string;
    target: string;
    why: string;
    result: 'done' | 'refused' | 'notDone' | 'unknown';
    detail?: string;
    count?: number;
  }[];
  /** When the next delayed wake is due, if the pass sent one. */
  nextWakeAtMs?: number;
  error?: string;
}

/** One pass as recorded. */
export interface RecordedPass {
  pass: PassRecord;
  /** Its planner's input and decision, packed (lib/wire/snapshot.ts). Absent if it was not kept. */
  snapshot?: Uint8Array;
}

export interface Recorder {
  /** It writes to the same log as the telemetry, so the loop need not log the pass a second time. */
  readonly isInLog?: boolean;
  /**
   * @param snapshot packs what the planner saw and decided. The recorder calls it at most once, and only if it keeps the snapshot. It
   *   returns undefined for a workload that is too large.
   */
  append(pass: PassRecord, snapshot?: () => Uint8Array | undefined): Promise<void>;
  /** Newest first. @param limit 1 to 1,000 */
  passes(key: Pick<WorkloadKey, 'cluster' | 'kind' | 'namespace' | 'name'>, limit: number): Promise<PassRecord[]>;
  /** @returns undefined if it was never recorded, or is not kept any more */
  pass(passId: string): Promise<RecordedPass | undefined>;
}
