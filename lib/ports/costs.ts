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
}

/** Of a workload; of a cluster as a whole, where kind and name are empty; of all clusters together, where the cluster is, too. */
export interface Payer {
  cluster: string;
  kind: string;
  namespace: string;
  name: string;
}

export interface Costs {
  /** Nothing from before is known. Unix milliseconds. */
  readonly sinceMs: number;
  /** Each payer once. @param fromMs counted by the hour in which it lies */
  spentSince(fromMs: number): Promise<(Payer & Spent)[]>;
}
