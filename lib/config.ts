// Environment → Config, read and checked once; all mistakes are named together.
import * as v from 'valibot';

const text = v.pipe(v.string(), v.minLength(1));
const wholeNumber = (min: number, max: number): v.GenericSchema<unknown, number> =>
  v.pipe(v.string(), v.regex(/^\d+$/, 'a whole number'), v.transform(Number), v.minValue(min), v.maxValue(max));

const Config = v.object({
  /** Name of the DynamoDB table with view and heads. */
  TABLE_NAME: v.pipe(v.string(), v.minLength(3)),
  EVENTS_QUEUE_URL: v.pipe(v.string(), v.url()),
  WAKES_QUEUE_URL: v.pipe(v.string(), v.url()),
  TIMERS_QUEUE_URL: v.pipe(v.string(), v.url()),
  EVENTS_DEAD_QUEUE_URL: v.pipe(v.string(), v.url()),
  WAKES_DEAD_QUEUE_URL: v.pipe(v.string(), v.url()),
  TIMERS_DEAD_QUEUE_URL: v.pipe(v.string(), v.url()),
  /** URL of a cluster's relay queue, with `{cluster}` in the place of its name. */
  RELAY_QUEUE_URL: text,
  RELAY_DEAD_QUEUE_URL: text,
  /** Unique id of the role that sends dead letters again: it alone may say who had sent them first. */
  REDRIVER_ID: v.optional(text),
  /** Unique id of the role that alone may ask for actions of people. */
  ASKER_ID: v.optional(text),
  /** Table of the registered clusters; their credentials lie in Secrets Manager. Either this or CLUSTERS_FILE. */
  CLUSTERS_TABLE: v.optional(text),
  /** Before a cluster's name in the name of its secret. */
  CLUSTER_SECRET_PREFIX: v.optional(text),
  /** Table of the runs. Absent: messages drive none. */
  RUNS_TABLE: v.optional(text),
  /** To which runs are given, as in `http:https://provider.example:9000`; empty: the deployment names none. */
  RUN_PROVIDER: v.optional(v.string(), ''),
  /** Before `runs/providers` in the name of the secret with the token of that provider. */
  RUN_SECRET_PREFIX: v.optional(text),
  /** File with the cluster records and their access; see docs/clusters.md. */
  CLUSTERS_FILE: v.optional(text),
  /** `yes` lets functions dial the loopback: only in a stage that tests remove again. */
  ALLOW_LOOPBACK: v.optional(v.picklist(['yes', 'no']), 'no'),
  /** Whether people may act on workloads. */
  ACTIONS: v.optional(v.picklist(['on', 'off']), 'off'),
  /** Trouble of a workload that lasts longer needs a person. */
  TROUBLE_MINUTES: v.optional(wholeNumber(1, 1_440), '5'),
  /** CloudWatch log group that passes are written to, for the function that reads them back. */
  PASSES_LOG_GROUP: v.optional(text),
  /** Log groups of the functions whose cost is summed up, with commas between them, for the function that answers people. */
  COST_LOG_GROUPS: v.optional(text),
  /** How long those keep their lines. */
  LOG_RETENTION_DAYS: v.optional(wholeNumber(1, 3_653), '14'),
  /** CloudWatch namespace of the metrics; without it they are not written. */
  METRICS_NAMESPACE: v.optional(text),
  /** Whether those of the built-in controllers are among them. */
  UPSTREAM_METRICS: v.optional(v.picklist(['on', 'off']), 'on'),
  /** Seconds kept back from the function's deadline to hand work back in good order. */
  DEADLINE_RESERVE_SECONDS: v.optional(wholeNumber(1, 60), '22'),
  LOG_LEVEL: v.optional(v.picklist(['debug', 'info', 'warn', 'error']), 'info'),
});

/** Names of the environment variables that a configuration is read from. */
export const CONFIG_VARIABLES: readonly string[] = Object.keys(Config.entries);

export type Config = v.InferOutput<typeof Config>;

/** @throws Error naming every variable that is missing or unusable, and what was expected */
export function configFrom(environment: Record<string, string | undefined>): Config {
  const parsed = v.safeParse(Config, environment);
  const mistakes = [
    ...(parsed.issues ?? []).map((issue) => `${v.getDotPath(issue) ?? 'environment'}: ${issue.message}`),
    ...clustersMistakes(environment),
    ...runsMistakes(environment),
  ];
  if (parsed.success && mistakes.length === 0) return parsed.output;
  throw new Error(`the environment is not usable: ${mistakes.join('; ')}`);
}

function clustersMistakes({ CLUSTERS_TABLE, CLUSTERS_FILE, CLUSTER_SECRET_PREFIX }: Record<string, string | undefined>): string[] {
  if ((CLUSTERS_TABLE === undefined) === (CLUSTERS_FILE === undefined)) return ['CLUSTERS_FILE: expected either it or CLUSTERS_TABLE'];
  return CLUSTERS_TABLE !== undefined && CLUSTER_SECRET_PREFIX === undefined ? ['CLUSTER_SECRET_PREFIX: CLUSTERS_TABLE needs it'] : [];
}

function runsMistakes({ RUNS_TABLE, RUN_SECRET_PREFIX }: Record<string, string | undefined>): string[] {
  return RUNS_TABLE !== undefined && RUN_SECRET_PREFIX === undefined ? ['RUN_SECRET_PREFIX: RUNS_TABLE needs it'] : [];
}
