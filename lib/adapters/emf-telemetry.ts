// Telemetry of a function on AWS: log lines as JSON with the field names that Powertools for AWS Lambda uses, and metrics in CloudWatch's
// embedded metric format, which CloudWatch reads off the log. Counts wait until the invocation ends: one line instead of dozens.
import type { Clock } from '../ports/clock.ts';
import { METRICS } from '../ports/metrics.ts';
import type { MetricDescription } from '../ports/metrics.ts';
import type { Fields, MetricUnit } from '../ports/telemetry.ts';
import { LeveledTelemetry, plainOf, textOf, type Level } from './log-lines.ts';

export interface EmfTelemetryOptions {
  /** CloudWatch namespace, one per stage; without it no metric is written. */
  namespace: string | undefined;
  level: Level;
  clock: Clock;
  /** Takes a line without its end; standard output when absent. */
  write?: (line: string) => void;
}

/** The format's own limit on the values of one metric in one line. */
const VALUES_MAX = 100;
/** Distinct sets of dimension values that wait for the end. Beyond it they are written early: no cluster is left out, and memory stays bounded. */
const GROUPS_MAX = 500;

interface Group {
  dimensions: Record<string, string>;
  sets: readonly (readonly string[])[];
  metrics: Map<string, { unit: MetricUnit; values: number[] }>;
}

export class EmfTelemetry extends LeveledTelemetry {
  readonly #options: EmfTelemetryOptions;
  readonly #write: (line: string) => void;
  readonly #groups = new Map<string, Group>();
  #invocation: { function: string; requestId: string } | undefined;
  #isColdStart = true;

  constructor(options: EmfTelemetryOptions) {
    super(options.level);
    this.#options = options;
    this.#write = options.write ?? ((line) => process.stdout.write(`${line}\n`));
  }

  /** From now on lines and metrics are this invocation's. @param functionName short: `ingest` */
  begin(functionName: string, requestId: string): void {
    this.#invocation = { function: functionName, requestId };
    if (this.#isColdStart) this.count('ColdStarts', 1, 'Count');
  }

  /** Writes what was counted since the last time. */
  end(): void {
    this.#flush();
    this.#isColdStart = false;
  }

  #flush(): void {
    const { namespace, clock } = this.#options;
    for (const group of namespace === undefined ? [] : this.#groups.values())
      for (let from = 0; [...group.metrics.values()].some(({ values }) => values.length > from); from += VALUES_MAX)
        this.#write(textOf(lineOf(group, { namespace: namespace ?? '', nowMs: clock.nowMs(), from })));
    this.#groups.clear();
  }

  /** Only what stands in the table of metrics is published: others are for the /metrics page of a process that stays. */
  count(metric: string, value: number, unit: MetricUnit, dimensions: Record<string, string> = {}): void {
    const known: MetricDescription | undefined = METRICS[metric];
    if (!known || !Number.isFinite(value)) return;
    const given: Record<string, string> = { ...dimensions, function: this.#invocation?.function ?? 'unknown' };
    const wanted = Object.fromEntries([...new Set(known.sets.flat())].toSorted().map((name) => [name, given[name] ?? 'unknown']));
    const id = textOf([wanted, known.sets]);
    const group = this.#groups.get(id) ?? { dimensions: wanted, sets: known.sets, metrics: new Map() };
    if (!this.#groups.has(id)) {
      if (this.#groups.size >= GROUPS_MAX) this.#flush();
      this.#groups.set(id, group);
    }
    const counted = group.metrics.get(metric) ?? { unit, values: [] };
    group.metrics.set(metric, counted);
    // Counts add up; of durations each tells.
    if (unit === 'Count' && counted.values.length > 0) counted.values[0] = (counted.values[0] ?? 0) + value;
    else counted.values.push(value);
  }

  protected override line(level: Level, message: string, fields: Fields): void {
    const plain = Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, plainOf(value)]])),
    );
    const own = {
      level: level.toUpperCase(),
      message,
      timestamp: new Date(this.#options.clock.nowMs()).toISOString(),
      service: 'farloop',
      ...(this.#invocation && {
        function_name: this.#invocation.function,
        function_request_id: this.#invocation.requestId,
        cold_start: this.#isColdStart,
      }),
    };
    // First for the reader, last so that no field takes their place.
    this.#write(textOf({ ...own, ...plain, ...own }));
  }
}

function lineOf(
  { dimensions, sets, metrics }: Group,
  { namespace, nowMs, from }: { namespace: string; nowMs: number; from: number },
): object {
  const told = [...metrics].filter(([, { values }]) => values.length > from);
  return {
    _aws: {
      Timestamp: nowMs,
      CloudWatchMetrics: [{ Namespace: namespace, Dimensions: sets, Metrics: told.map(([Name, { unit }]) => ({ Name, Unit: unit })) }],
    },
    ...dimensions,
    ...Object.fromEntries(
      told.map(([name, { values }]) => {
        const part = values.slice(from, from + VALUES_MAX);
        return [name, part.length === 1 ? part[0] : part];
      }),
    ),
  };
}
