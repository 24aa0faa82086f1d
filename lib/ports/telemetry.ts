// Log lines, metrics. Constant messages with named fields; dimensions take few values, never a name.

export type Fields = Record<string, unknown>;
export type MetricUnit = 'Count' | 'Milliseconds' | 'Seconds' | 'Bytes';

export interface Telemetry {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  count(metric: string, value: number, unit: MetricUnit, dimensions?: Record<string, string>): void;
}
