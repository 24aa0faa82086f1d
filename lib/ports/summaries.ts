// Summaries of workloads: what a list shows of each, kept ready beside the heads. A log by cluster and time, in which the latest entry of a
// workload counts. Like the heads, it may be dropped at any moment (R1). docs/decisions/0016-summaries.md
import type { WorkloadKey } from '../objects/workload.ts';

export interface SummaryEntry {
  key: WorkloadKey;
  /** Unix milliseconds. Of one workload, each entry is later than the one before. */
  atMs: number;
  /** Opaque to the store; at most 8 KB. */
  body: string;
}

export interface SummaryChange extends SummaryEntry {
  /** When the entry was written that is removed in the same request; absent: none is. */
  replacesAtMs?: number | undefined;
  /** The store may drop the entry after this moment. Absent: half a year after it was written. */
  keptUntilMs?: number;
}

export interface SummaryPage {
  /** Of at least this moment, and all later ones. */
  fromMs: number;
  /** An earlier page's `next`. */
  after?: string;
}

export interface Summaries {
  /** One request. Writing an entry again changes nothing. @throws TerminalError larger than an entry may be */
  putSummary(change: SummaryChange): Promise<void>;
  /**
   * Oldest first, by a strong read. An entry that was replaced may still be among them, and one that cannot be read is left out.
   * @param page at most a megabyte is read for it
   */
  summaries(cluster: string, page: SummaryPage): Promise<{ entries: SummaryEntry[]; next?: string }>;
}
