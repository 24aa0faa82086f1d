// Telemetry for tests: what was said and counted, to look at; or nothing at all.
import type { Fields, MetricUnit, Telemetry } from '../../lib/ports/telemetry.ts';
import { LeveledTelemetry, type Level } from '../../lib/adapters/telemetry/log-lines.ts';

export interface RecordedLine {
  level: Level;
  message: string;
  fields: Fields;
}

export interface RecordedCount {
  metric: string;
  value: number;
  unit: MetricUnit;
  dimensions: Record<string, string>;
}

export class RecordingTelemetry extends LeveledTelemetry {
  readonly lines: RecordedLine[] = [];
  readonly counts: RecordedCount[] = [];

  constructor() {
    super('debug');
  }

  count(metric: string, value: number, unit: MetricUnit, dimensions: Record<string, string> = {}): void {
    this.counts.push({ metric, value, unit, dimensions });
  }

  /** All that was counted under this name, with at least these dimensions. */
  sum(metric: string, dimensions: Record<string, string> = {}): number {
    let sum = 0;
    for (const count of this.counts)
      if (count.metric === metric && Object.entries(dimensions).every(([name, value]) => count.dimensions[name] === value))
        sum += count.value;
    return sum;
  }

  protected override line(level: Level, message: string, fields: Fields): void {
    this.lines.push({ level, message, fields });
  }
}

export class SilentTelemetry implements Telemetry {
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
  count(): void {}
}
