// The flight recorder: what each pass saw, decided and did; kept 7 days.
import type { WorkloadKey } from '../objects/workload.ts';

export interface PassRecord {
  key: WorkloadKey;
  /** The pass's fence. */
  passId: string;
  startedAtMs: number;
  durationMs: number;
  /** acted, waiting, converged, parked, notOurs; or how it stopped: overtaken, unreachable, gone, putOff, failed. */
  outcome: string;
  why: string[];
  /** What was seen, in numbers and digests; never objects. */
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
  /** When the next wake is due, if one was set. */
  nextWakeAtMs?: number;
  error?: string;
}

/** What was recorded of one pass. */
export interface RecordedPass {
  pass: PassRecord;
  /** What its planner saw and decided, packed (lib/wire/snapshot.ts); absent where it was not kept. */
  snapshot?: Uint8Array;
}

export interface Recorder {
  /** What it appends are lines of the log that the telemetry writes to: nothing need be said there twice. */
  readonly isInLog?: boolean;
  /**
   * @param snapshot packs what the planner saw and decided; called at most once, and only where the recorder keeps it. It answers
   *   undefined for a workload that is too large for one.
   */
  append(pass: PassRecord, snapshot?: () => Uint8Array | undefined): Promise<void>;
  /** Newest first. @param limit 1 to 1,000 */
  passes(key: Pick<WorkloadKey, 'cluster' | 'kind' | 'namespace' | 'name'>, limit: number): Promise<PassRecord[]>;
  /** @returns undefined when it is not there any more, or never was */
  pass(passId: string): Promise<RecordedPass | undefined>;
}
