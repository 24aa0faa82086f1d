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

export interface Recorder {
  append(pass: PassRecord): Promise<void>;
  /** Newest first. @param limit 1 to 1,000 */
  passes(key: Pick<WorkloadKey, 'cluster' | 'kind' | 'namespace' | 'name'>, limit: number): Promise<PassRecord[]>;
}
