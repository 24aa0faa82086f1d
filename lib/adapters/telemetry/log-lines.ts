// Shared by the log lines of all telemetry: four levels, the least of them that is written, and values as plain data.
import type { Fields, MetricUnit, Telemetry } from '../../ports/telemetry.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Causes of causes that are shown. */
export const DEEPEST_CAUSE = 4;

/** Telemetry whose lines below a level are dropped; how a line looks and where metrics go is its own. */
export abstract class LeveledTelemetry implements Telemetry {
  readonly #lowest: number;

  /** @param lowest less important lines are dropped */
  constructor(lowest: Level) {
    this.#lowest = LEVELS.indexOf(lowest);
  }

  debug(message: string, fields?: Fields): void {
    this.#leveled('debug', message, fields);
  }

  info(message: string, fields?: Fields): void {
    this.#leveled('info', message, fields);
  }

  warn(message: string, fields?: Fields): void {
    this.#leveled('warn', message, fields);
  }

  error(message: string, fields?: Fields): void {
    this.#leveled('error', message, fields);
  }

  abstract count(metric: string, value: number, unit: MetricUnit, dimensions?: Record<string, string>): void;

  /** Writes a line that is important enough. */
  protected abstract line(level: Level, message: string, fields: Fields): void;

  #leveled(level: Level, message: string, fields: Fields = {}): void {
    if (LEVELS.indexOf(level) >= this.#lowest) this.line(level, message, fields);
  }
}

/** Errors keep their message, their informative fields and their cause; the rest stays as it is. */
export function plainOf(value: unknown, depth = 0): unknown {
  if (!isError(value)) return value;
  const { name, message } = value;
  const code: unknown = Reflect.get(value, 'code');
  const cause: unknown = Reflect.get(value, 'cause');
  return {
    name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined || depth >= DEEPEST_CAUSE ? {} : { cause: plainOf(cause, depth + 1) }),
    ...(depth === 0 && isUnexpected(name) ? { stack: value.stack } : {}),
  };
}

/** By shape: errors of the runtime itself may come from another realm. */
export const isError = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && 'message' in value && 'stack' in value && typeof value.message === 'string';

/** Our own mistakes, which nobody finds without the place. */
export const isUnexpected = (name: string): boolean => ['TypeError', 'ReferenceError', 'AssertionError'].includes(name);

/** Never throws: a log line is not worth a pass. */
export const textOf = (value: unknown): string => {
  try {
    return JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? String(part) : plainOf(part))) ?? String(value);
  } catch (error) {
    return JSON.stringify(`cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
  }
};
