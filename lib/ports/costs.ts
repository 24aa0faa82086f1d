// The cost of workloads by the billing rules of AWS, in counted amounts; prices are the API's.

export interface Spent {
  passes: number;
  passMs: number;
  /** Actions that passes sent to the cluster. */
  writes: number;
  /** To the table and to the queues. */
  requests: number;
  /** With those of indexes. */
  writeUnits: number;
  readUnits: number;
  fifoRequests: number;
  fairRequests: number;
  standardRequests: number;
  /** Batches handed to functions. */
  wakesBatches: number;
  eventsBatches: number;
  timersBatches: number;
  /** Billed time by function, where the bill is known: then no time is reckoned from passes and batches. */
  billedMs?: Partial<Record<'ingest' | 'reconcile' | 'timers' | 'sweep', number>>;
}

/** Of a workload; of a cluster as a whole, where kind and name are empty; of all clusters together, where the cluster is, too. */
export interface Payer {
  cluster: string;
  kind: string;
  namespace: string;
  name: string;
}

export interface SpentSince {
  /** Each payer once. */
  rows: (Payer & Spent)[];
  /** Bytes of a log that were read for this answer, and are paid for. */
  scannedBytes?: number;
  /** There are more payers than one answer has. The amounts of the others stand in the row of all clusters. */
  isCut?: boolean;
}

export interface Costs {
  /** Nothing from before is known. Unix milliseconds. */
  readonly sinceMs: number;
  /** Each question takes seconds and costs money: only a person's is worth it, and no list that is polled. */
  readonly isPaidByQuestion?: boolean;
  /**
   * @param fromMs a ledger counts by the hour in which it lies
   * @param fields that distinguish payers; the others may read `*`. Absent: all
   * @throws NotDoneError not known in time; ThrottledError; TerminalError the installation may not ask, and why
   */
  spentSince(fromMs: number, fields?: readonly (keyof Payer)[]): Promise<SpentSince>;
}
