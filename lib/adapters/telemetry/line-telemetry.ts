// Telemetry of local mode: a line per event on standard error, sums of metrics in memory for the /metrics page.
import { upstreamMetric } from '../../objects/upstream-metrics.ts';
import { shownText } from '../../objects/values/shown-text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Fields, MetricUnit } from '../../ports/telemetry.ts';
import { RecentCounts } from './recent-counts.ts';
import { DEEPEST_CAUSE, LeveledTelemetry, isError, isUnexpected, plainOf, textOf, type Level } from './log-lines.ts';
import { SystemClock } from '../clock/system-clock.ts';

export interface Metric {
  name: string;
  unit: MetricUnit;
  dimensions: Record<string, string>;
  /** How often it was counted, and all values together. */
  count: number;
  sum: number;
  max: number;
  /** Of a histogram of the reference: how many values were at most each of its bounds. */
  buckets?: number[];
}

export interface LineTelemetryOptions {
  /** Less important lines are dropped. */
  level?: Level;
  /** `json`: one object a line. `text`: time, level, message, `name=value`. */
  format?: 'json' | 'text';
  clock?: Clock;
  /** Takes a line without its end; standard error when absent. */
  write?: (line: string) => void;
}

/** Dimensions take few values; this bound keeps a mistake from filling the memory. */
const METRICS_MAX = 2_000;

export class LineTelemetry extends LeveledTelemetry {
  readonly #format: 'json' | 'text';
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #metrics = new Map<string, Metric>();
  /** Of the last hour. */
  readonly recent: RecentCounts;
  #isClosed = false;

  constructor({ level = 'info', format = 'text', clock = new SystemClock(), write = toStandardError }: LineTelemetryOptions = {}) {
    super(level);
    this.#format = format;
    this.#clock = clock;
    this.#write = write;
    this.recent = new RecentCounts(clock.nowMs());
  }

  count(metric: string, value: number, unit: MetricUnit, dimensions: Record<string, string> = {}): void {
    this.recent.note({ metric, value, dimensions, atMs: this.#clock.nowMs() });
    const id = JSON.stringify([metric, ...Object.entries(dimensions).toSorted(byName)]);
    const bounds = upstreamMetric(metric)?.buckets;
    let known = this.#metrics.get(id);
    if (!known) {
      if (this.#metrics.size >= METRICS_MAX) return;
      known = {
        name: metric,
        unit,
        dimensions: { ...dimensions },
        count: 0,
        sum: 0,
        max: value,
        ...(bounds && { buckets: bounds.map(() => 0) }),
      };
      this.#metrics.set(id, known);
    }
    known.count++;
    known.sum += value;
    known.max = Math.max(known.max, value);
    if (bounds && known.buckets) known.buckets = known.buckets.map((under, at) => under + (value <= (bounds[at] ?? 0) ? 1 : 0));
  }

  /** Everything counted since the start, by name. */
  metrics(): Metric[] {
    return [...this.#metrics.values()].map((metric) => ({ ...metric })).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Drops all later lines. */
  close(): void {
    this.#isClosed = true;
  }

  protected override line(level: Level, message: string, fields: Fields): void {
    if (this.#isClosed) return;
    const time = new Date(this.#clock.nowMs()).toISOString();
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const plain = (): Fields => Object.fromEntries(given.map(([name, value]) => [name, plainOf(value)]));
    const line =
      this.#format === 'json'
        ? // First for the reader, last so that no field takes their place.
          textOf(Object.assign({ time, level, message }, plain(), { time, level, message }))
        : [time, level.padEnd(5), message, ...given.map(([name, value]) => `${name}=${valueText(sentenceOr(value))}`)].join(' ');
    this.#write(shownText(line));
  }
}

const toStandardError = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const byName = ([one]: [string, string], [other]: [string, string]): number => (one < other ? -1 : 1);

/** For people an error is what it says, and what brought it about unless that is said already; a mistake of our own stays whole. */
function sentenceOr(value: unknown, depth = 0): unknown {
  if (!isError(value) || isUnexpected(value.name)) return plainOf(value);
  const cause: unknown = Reflect.get(value, 'cause');
  const because = isError(cause) && !isUnexpected(cause.name) && depth < DEEPEST_CAUSE ? sentenceOr(cause, depth + 1) : undefined;
  return typeof because === 'string' && !value.message.includes(because) ? `${value.message}: ${because}` : value.message;
}

const valueText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : textOf(value);
  return typeof value === 'string' && (text === '' || /[\s"=\p{Cc}]/u.test(text)) ? JSON.stringify(text) : text;
};
