// Which counted metrics make the rates that people watch: pods started, succeeded and failed, passes, lag.

export const RATES = ['podsStarted', 'podsSucceeded', 'podsFailed', 'passes', 'lag'] as const;
export type RateName = (typeof RATES)[number];

interface Source {
  rate: RateName;
  /** With this value of this label alone. */
  label?: readonly [string, string];
}

/** Of training jobs the success of a pod is not counted, only that of a job. */
const SOURCES: ReadonlyMap<string, readonly Source[]> = new Map<string, readonly Source[]>([
  ['job_controller_job_pods_creation_total', [{ rate: 'podsStarted', label: ['status', 'succeeded'] }]],
  ['created_pods_total', [{ rate: 'podsStarted' }]],
  [
    'job_controller_job_pods_finished_total',
    [
      { rate: 'podsSucceeded', label: ['result', 'succeeded'] },
      { rate: 'podsFailed', label: ['result', 'failed'] },
    ],
  ],
  ['failed_pods_total', [{ rate: 'podsFailed' }]],
  ['ReconcileDuration', [{ rate: 'passes' }]],
  ['EventToPassLag', [{ rate: 'lag' }]],
]);

/** @returns undefined for a metric that makes none */
export const rateFor = (metric: string, dimensions: Readonly<Record<string, string>>): RateName | undefined =>
  SOURCES.get(metric)?.find(({ label }) => label === undefined || dimensions[label[0]] === label[1])?.rate;

/** Counted in one span of time. */
export interface RateCount {
  /** How many values, and their sum. */
  count: number;
  sum: number;
}
