// The runs of `run-once`. Their records are kept beside those of clusters and apart from views and heads: a run's record is its only truth.
import type { Provider } from './provider.ts';

export interface RunRecord {
  id: string;
  /** Of what the caller gave. */
  manifestHash: string;
  createdAtMs: number;
  /** The whole state, as JSON; at most 1 MB. */
  state: string;
  /** Unix milliseconds of the next step. Indexed; absent once the run has finished. */
  dueAtMs?: number;
  /** When a finished run may be dropped. */
  keptUntilMs?: number;
  version: number;
}

/** Most characters of a part: manifests of many pods are several parts. */
export const MOST_PART_CHARACTERS = 300_000;

export interface Runs {
  /** A strong read. */
  get(id: string): Promise<RunRecord | undefined>;
  /** @param expectedVersion 0: there must be no such run. @throws StaleWriteError<RunRecord> */
  put(record: Omit<RunRecord, 'version'>, expectedVersion: number): Promise<RunRecord>;
  /** By id. An index may lag. @param limit 1 to 1,000 */
  list(page: { limit: number; after?: string }): Promise<{ runs: RunRecord[]; next?: string }>;
  /** Ids of open runs, the longest due first. An index may lag, so the caller must read the record. @param limit 1 to 1,000 */
  dueBefore(timeMs: number, limit: number): Promise<string[]>;
  /** Writes or replaces a text that belongs to a run, also before its record. @param text ASCII, at most MOST_PART_CHARACTERS */
  putPart(id: string, name: string, text: string): Promise<void>;
  /** A strong read. */
  readPart(id: string, name: string): Promise<string | undefined>;
  /** Those whose names begin so. Absent ones stay absent. */
  removeParts(id: string, prefix: string): Promise<void>;
  /** Record and parts. Nothing is done where the version is another one. @returns whether the run is gone */
  remove(id: string, version: number): Promise<boolean>;
}

/** Runs that functions drive, each step by a message. */
export interface DrivenRuns {
  records: Runs;
  /** To which new runs are given, as in `http:https://provider.example:9000`. Absent: the deployment names none. */
  provider?: string;
  /** The provider of a run, by its word and its node. One that this deployment does not name refuses every call. */
  providerOf(this: void, run: { provider: string; node: string }): Provider;
}

/** Requests about the runs of an installation, as its API takes them. Answers are JSON. @throws RunRefusedError */
export interface RunHost {
  /** Begins a run, or finds the one that is there under its id. @param body as it came */
  start(body: unknown): Promise<object>;
  list(page: { limit: number; after?: string }): Promise<object>;
  get(id: string): Promise<object>;
  /** Foresees its next step; nothing is done. */
  plan(id: string): Promise<object>;
  /** A run that is over stays as it is. */
  cancel(id: string): Promise<object>;
}

/** A request about a run that cannot be fulfilled: an HTTP status and one sentence. */
export class RunRefusedError extends Error {
  override readonly name = 'RunRefusedError';
  readonly status: 400 | 404 | 409 | 501;
  constructor(status: RunRefusedError['status'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
