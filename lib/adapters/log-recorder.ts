// The flight recorder as log lines, where a log service keeps and searches them: a pass is one line with everything in it.
import type { PassRecord, Recorder } from '../ports/recorder.ts';
import type { Telemetry } from '../ports/telemetry.ts';

export class LogRecorder implements Recorder {
  readonly #telemetry: Telemetry;

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
  }

  async append(pass: PassRecord): Promise<void> {
    this.#telemetry.info('pass', { ...pass });
  }

  /** What was logged is found in the log service, not here. */
  async passes(): Promise<PassRecord[]> {
    return [];
  }
}
