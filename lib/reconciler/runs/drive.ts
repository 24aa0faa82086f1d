// Drives a run to its end within one process: by timers, by changes that the provider reports, and by what others write into its record.
import { isOver, type RunState } from '../../kinds/run-once/run.ts';
import { advance, type AdvanceOptions } from './advance.ts';
import type { RunPorts } from './run-ports.ts';

/** A cancellation is written into the record, by a process that this one cannot hear. */
const RECORD_AGAIN_MS = 500;

export interface DriveOptions extends Pick<AdvanceOptions, 'onStep'> {
  /** Changes of tasks. @returns how to end it */
  onChange?: (listener: (change: { uid: string }) => void) => () => void;
  /** Seconds after which waiting tasks are looked at, where the provider reports no changes. */
  lookAgainSeconds?: number;
  /** Fires: the run is left as it stands. */
  signal?: AbortSignal;
}

/** @returns the run as it stands; undefined: there is no such run */
export async function drive(id: string, ports: RunPorts, options: DriveOptions = {}): Promise<RunState | undefined> {
  const { onStep, onChange, lookAgainSeconds = Infinity, signal } = options;
  const { clock } = ports;
  let changed = new Set<string>();
  let wake = (): void => {};
  const leave = onChange?.(({ uid }) => {
    changed.add(uid);
    wake();
  });
  let lookedAtMs = clock.nowMs();
  try {
    for (;;) {
      const known = changed;
      changed = new Set();
      const advanced = await advance(id, ports, { changed: known, ...(onStep && { onStep }) });
      if (!advanced || isOver(advanced.run) || signal?.aborted) return advanced?.run;
      if (clock.nowMs() - lookedAtMs >= lookAgainSeconds * 1_000) {
        lookedAtMs = clock.nowMs();
        for (const { uid } of advanced.run.pods) changed.add(uid);
      }
      if (changed.size > 0) continue;
      const woken = new AbortController();
      wake = () => woken.abort();
      signal?.addEventListener('abort', wake, { once: true });
      const waitMs = Math.min((advanced.dueAtMs ?? Infinity) - clock.nowMs(), RECORD_AGAIN_MS);
      await clock.wait(Math.max(waitMs, 1), woken.signal);
      signal?.removeEventListener('abort', wake);
    }
  } finally {
    leave?.();
  }
}
