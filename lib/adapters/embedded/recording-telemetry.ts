// Telemetry for tests: what was said and counted, to look at; or nothing at all.
import type { Fields, MetricUnit, Telemetry } from '../../ports/telemetry.ts';

export interface RecordedLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: Fields;
}

export interface RecordedCount {
  metric: string;
  value: number;
  unit: MetricUnit;
  dimensions: Record<string, string>;
}

export class RecordingTelemetry implements Telemetry {
  readonly lines: RecordedLine[] = [];
  readonly counts: RecordedCount[] = [];

  debug(message: string, fields: Fields = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }

  info(message: string, fields: Fields = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: Fields = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }

  error(message: string, fields: Fields = {}): void {
    this.lines.push({ level: 'error', message, fields });
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
}

export class SilentTelemetry implements Telemetry {
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(): void {}
  count(): void {}
}
