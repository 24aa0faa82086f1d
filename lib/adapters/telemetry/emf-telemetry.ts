// Telemetry of a function on AWS: log lines as JSON with the field names that Powertools for AWS Lambda uses, and metrics in CloudWatch's
// embedded metric format, which CloudWatch reads off the log. Counts wait until the invocation ends: one line instead of dozens.
import { upstreamMetric } from '../../objects/upstream-metrics.ts';
import { shownText } from '../../objects/values/shown-text.ts';
import type { Clock } from '../../ports/clock.ts';
import { METRICS } from '../../ports/metrics.ts';
import type { MetricDescription } from '../../ports/metrics.ts';
import type { Fields, MetricUnit } from '../../ports/telemetry.ts';
import { FUNCTION_SUMS } from './cost-lines.ts';
import { LeveledTelemetry, plainOf, textOf, type Level } from './log-lines.ts';

export interface EmfTelemetryOptions {
  /** CloudWatch namespace, one per stage; without it no metric is written. */
  namespace: string | undefined;
  /** Whether those of the built-in controllers are written too, under their names: each set of their labels is a metric that is paid for. */
  referenceMetrics: boolean;
  level: Level;
  clock: Clock;
  /** Takes a line without its end; standard output when absent. */
  write?: (line: string) => void;
}

/** The format's own limit on the values of one metric in one line. */
const VALUES_MAX = 100;
/** Significant digits of what is no count: more than anybody reads, and each is paid for. */
const DIGITS = 4;
/** Lines that are open for more metrics at a time: finding one that has room for a metric shall not take long. */
const LINES_OPEN = 16;
/** Distinct sets of dimension values that wait for the end. Beyond it they are written early: no cluster is left out, and memory stays bounded. */
const GROUPS_MAX = 500;

/** AWS requests and units of the table that an invocation used. */
export interface Spent {
  AwsRequests: number;
  WriteUnits: number;
  ReadUnits: number;
}

interface Measured {
  unit: MetricUnit;
  values: number[];
}

type NamedMeasured = [name: string, measured: Measured];

interface Group {
  dimensions: Record<string, string>;
  sets: readonly (readonly string[])[];
  metrics: Map<string, Measured>;
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

  /**
   * Writes what was counted since the last time.
   * @param spent in this invocation
   * @param queueRequests of those requests, the ones to queues: no metric, which would be paid for, but a field of the line
   */
  end(spent: Partial<Spent> = {}, queueRequests = 0): void {
    for (const [metric, value] of Object.entries(spent)) if (value > 0) this.count(metric, value, 'Count');
    this.#flush(queueRequests > 0 ? { [FUNCTION_SUMS.sent]: queueRequests } : {});
    this.#isColdStart = false;
  }

  /** @param beside fields of the first line */
  #flush(beside: Record<string, number> = {}): void {
    const { namespace, clock } = this.#options;
    if (namespace !== undefined)
      for (const [at, line] of linesOf([...this.#groups.values()]).entries())
        this.#write(textOf({ ...line.told({ namespace, nowMs: clock.nowMs() }), ...(at === 0 && beside) }));
    this.#groups.clear();
  }

  /**
   * Only what stands in the table of metrics is published, and what the built-in controllers have: others are for the /metrics page of a
   * process that stays.
   */
  count(metric: string, value: number, unit: MetricUnit, dimensions: Record<string, string> = {}): void {
    const sets = this.#setsOf(metric);
    if (!sets || !Number.isFinite(value)) return;
    const given: Record<string, string> = { ...dimensions, function: this.#invocation?.function ?? '' };
    // CloudWatch knows no empty value.
    const wanted = Object.fromEntries([...new Set(sets.flat())].toSorted().map((name) => [name, given[name] || 'unknown']));
    const id = textOf([wanted, sets]);
    const group = this.#groups.get(id) ?? { dimensions: wanted, sets, metrics: new Map() };
    if (!this.#groups.has(id)) {
      if (this.#groups.size >= GROUPS_MAX) this.#flush();
      this.#groups.set(id, group);
    }
    const counted = group.metrics.get(metric) ?? { unit, values: [] };
    group.metrics.set(metric, counted);
    // Counts add up; each duration is a value of its own.
    if (unit === 'Count' && counted.values.length > 0) counted.values[0] = (counted.values[0] ?? 0) + value;
    else counted.values.push(unit === 'Count' ? value : Number(value.toPrecision(DIGITS)));
  }

  #setsOf(metric: string): Group['sets'] | undefined {
    const known: MetricDescription | undefined = METRICS[metric];
    if (known) return known.sets;
    const reference = this.#options.referenceMetrics ? upstreamMetric(metric) : undefined;
    return reference && [reference.labels];
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
    this.#write(shownText(textOf({ ...own, ...plain, ...own })));
  }
}

/** One line of the log: metrics of several sets of dimensions, where none of them takes the place of another. */
class Line {
  readonly #dimensions: Record<string, string> = {};
  readonly #values: Record<string, number | number[]> = {};
  readonly #directives: { Dimensions: Group['sets']; Metrics: { Name: string; Unit: string }[] }[] = [];

  /** @returns false when it has no room for them */
  take({ dimensions, sets }: Group, metrics: readonly NamedMeasured[]): boolean {
    const differs = Object.entries(dimensions).some(([name, value]) => (this.#dimensions[name] ?? value) !== value);
    if (differs || metrics.some(([name]) => name in this.#values)) return false;
    Object.assign(this.#dimensions, dimensions);
    for (const [name, { values }] of metrics) this.#values[name] = values.length === 1 ? (values[0] ?? 0) : values;
    this.#directives.push({ Dimensions: sets, Metrics: metrics.map(([Name, { unit }]) => ({ Name, Unit: unit })) });
    return true;
  }

  told({ namespace, nowMs }: { namespace: string; nowMs: number }): object {
    const CloudWatchMetrics = this.#directives.map((directive) => ({ Namespace: namespace, ...directive }));
    return { _aws: { Timestamp: nowMs, CloudWatchMetrics }, ...this.#dimensions, ...this.#values };
  }
}

/** As few lines as there must be: what surrounds metrics in a line is paid for as they are. */
function linesOf(groups: readonly Group[]): Line[] {
  const lines: Line[] = [];
  for (const group of groups)
    for (let from = 0; ; from += VALUES_MAX) {
      const metrics = [...group.metrics].flatMap(([name, { unit, values }]): NamedMeasured[] =>
        values.length > from ? [[name, { unit, values: values.slice(from, from + VALUES_MAX) }]] : [],
      );
      if (metrics.length === 0) break;
      if (lines.slice(-LINES_OPEN).some((line) => line.take(group, metrics))) continue;
      const line = new Line();
      line.take(group, metrics);
      lines.push(line);
    }
  return lines;
}
