// The metrics that functions publish on AWS: meaning, unit and dimensions of each. Dashboard and alarms are made from this table, and a test
// compares them with the code. CloudWatch bills each set of dimensions as metrics of its own, one per distinct value. So a set is here only
// if a dashboard, an alarm or a page uses it.
import type { MetricUnit } from './telemetry.ts';

export interface MetricDescription {
  unit: MetricUnit;
  /** Every count must give these. `function` is not among them: the adapter adds it. */
  dimensions: readonly string[];
  /** The metric is published once for each set. The empty set is the sum of all. */
  sets: readonly (readonly string[])[];
  tells: string;
}

export const METRICS: Readonly<Record<string, MetricDescription>> = {
  ReconcileDuration: {
    unit: 'Milliseconds',
    dimensions: ['cluster', 'kind', 'outcome'],
    sets: [['kind', 'outcome'], ['cluster']],
    tells: 'how long a pass took; how many there were, by its count',
  },
  EventToWakeLag: {
    unit: 'Milliseconds',
    dimensions: [],
    sets: [[]],
    tells: "from the moment the queue took a relay's message until views knew it and wakes were sent",
  },
  EventToPassLag: {
    unit: 'Milliseconds',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: "from the moment the queue took a relay's message (or a timer was due) to the pass it led to; EventToWakeLag is its first part",
  },
  EventToActionLag: {
    unit: 'Milliseconds',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: 'from the same moment to the end of a pass that acted',
  },
  WritesSent: { unit: 'Count', dimensions: ['cluster'], sets: [['cluster']], tells: "actions carried out, of the cluster's write budget" },
  BudgetExhausted: {
    unit: 'Count',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: 'passes that had to leave work, for the budget of their cluster was spent or its API server asked for patience',
  },
  FailedPasses: { unit: 'Count', dimensions: ['kind'], sets: [[]], tells: 'wakes that came back, for their pass ended with an error' },
  ParkedWorkloads: {
    unit: 'Count',
    dimensions: ['cluster', 'kind'],
    sets: [[], ['cluster'], ['kind']],
    tells: 'passes that ended with "a person must look at this workload"',
  },
  UnreadableObjects: {
    unit: 'Count',
    dimensions: ['cluster'],
    sets: [['cluster']],
    tells: 'workloads parked because an object of theirs cannot be read: when that begins, and when it is tried again in vain',
  },
  UnreadableMessages: { unit: 'Count', dimensions: [], sets: [[]], tells: 'messages on their way to the dead letters' },
  RelayDeadLetters: {
    unit: 'Count',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: "dead letters in the queue of a cluster's relay; every ten minutes as long as there are some",
  },
  RefusedMessages: {
    unit: 'Count',
    dimensions: ['reason'],
    sets: [[], ['reason']],
    tells: 'events whose sender may not say what they say, or that report facts which no API server has',
  },
  ViewMismatches: { unit: 'Count', dimensions: ['kind'], sets: [[]], tells: 'workloads whose view differed from the relay for seconds' },
  OverdueRuns: { unit: 'Count', dimensions: [], sets: [[]], tells: 'runs of run-once that were past their time, found by sweep' },
  StaleWakes: { unit: 'Count', dimensions: ['kind'], sets: [[]], tells: 'workloads whose wake or pass was lost, found by sweep' },
  SilentClusters: {
    unit: 'Count',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells:
      'API servers that do not answer passes or their relay, or let nobody in, and relays of relayed clusters that do not answer; at once, and once a minute as long as it lasts',
  },
  ForbiddenClusters: {
    unit: 'Count',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: 'API servers that forbid what every workload needs; once a minute as long as it lasts',
  },
  CredentialsNotRenewed: {
    unit: 'Count',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: 'clusters whose credential is due to be renewed and could not be; once a minute as long as it lasts',
  },
  UnwellVirtualNodes: {
    unit: 'Count',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: 'virtual nodes whose provider is not well or does not answer; once a minute as long as it lasts',
  },
  LeaseLateness: {
    unit: 'Milliseconds',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: 'age of the last renewal of the lease of a virtual node whose provider is well; once a minute',
  },
  ErasRaised: { unit: 'Count', dimensions: ['cluster'], sets: [[]], tells: 'API servers found restored from an older state' },
  WatchAge: {
    unit: 'Milliseconds',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: "age of the oldest of a relay's watches, or of its last heartbeat; once a minute",
  },
  UnheardClusters: {
    unit: 'Count',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: 'clusters of whose relay no heartbeat is known; once a minute as long as it lasts',
  },
  ClockOffset: {
    unit: 'Milliseconds',
    dimensions: ['cluster'],
    sets: [[], ['cluster']],
    tells: "how far a cluster's clock is off, without its sign; once a minute",
  },
  SweepsFinished: { unit: 'Count', dimensions: [], sets: [[]], tells: 'rounds of the safety net' },
  AwsRequests: {
    unit: 'Count',
    dimensions: [],
    sets: [['function']],
    tells: 'calls of a function to AWS, tries that were repeated included',
  },
  WriteUnits: { unit: 'Count', dimensions: [], sets: [['function']], tells: 'write units of the table, indexes included' },
  ReadUnits: { unit: 'Count', dimensions: [], sets: [['function']], tells: 'read units of the table' },
  ColdStarts: { unit: 'Count', dimensions: [], sets: [['function']], tells: 'processes that began' },
};
